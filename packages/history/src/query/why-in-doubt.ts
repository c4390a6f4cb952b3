// Why a candidate of an ambiguous answer is only a candidate: one of a closed list, and its sentence. Pure. Called
// by doubts.ts; docs/ambiguous.md has the list for people.
import type { Boundary } from '../model/boundary.ts';
import type { Placement } from '../model/records.ts';
import { type EpochMillis, toText } from '../model/time.ts';
import { isDoubtful } from '../observe/boundaries.ts';
import type { AnsweredHolder } from './answer.ts';

export type DoubtCode =
  /** The address is a node's, which its pods on the host network share. */
  | 'node-address'
  /** Several showed it at once. */
  | 'several-showed-it'
  /** It is known from an import, which shows one instant. */
  | 'imported'
  /** It never showed an address: any of its node's may have been its own. */
  | 'address-never-shown'
  /** It showed the address when another sandbox was up already: it may be that of the one before. */
  | 'address-not-proven'
  /** It had the address when it was first listed. */
  | 'start-not-seen'
  /** Its kubelet does not say more exactly when the network came up. Before 1.36, that is usual. */
  | 'start-not-exact'
  /** Its object went before its kubelet had said that its network was gone: deleted by force, or by a controller. */
  | 'deleted-not-confirmed'
  /** The pod went on and its sandbox did not: killed, replaced, or lost with a reboot. */
  | 'sandbox-lost'
  /** A listing lacked it. */
  | 'end-not-seen'
  /** Its kubelet does not say more exactly when the network went. */
  | 'end-not-exact'
  /** Its network may have stood on beyond the last word of it, and nothing tells of which kind that word was. */
  | 'end-not-confirmed';

export interface Doubt {
  readonly code: DoubtCode;
  /** What is in doubt lies in between; without `to`, nothing bounds it yet. */
  readonly from: EpochMillis;
  readonly to: EpochMillis | undefined;
}

/** What is known of the candidate beside its boundaries. */
export interface DoubtContext {
  /** Its place on a node; undefined where that was not read. */
  readonly placement?: Placement | undefined;
  /** It is there for an address that it never showed. */
  readonly neverShown?: boolean;
}

export function whyInDoubt(candidate: AnsweredHolder, at: EpochMillis, context: DoubtContext = {}): Doubt {
  const known = doubtWithoutPlacement(candidate, at, context);
  // Invariant: whoever has no end is explained without a placement.
  return known ?? doubt(whyNotEnded(candidate.end!, context.placement), candidate.end!);
}

/** Whether its placement has a say in why it is a candidate: nobody needs to look for any other. */
export function dependsOnPlacement(candidate: AnsweredHolder, at: EpochMillis, context: DoubtContext): boolean {
  return doubtWithoutPlacement(candidate, at, context) === undefined;
}

/** Undefined: its end is in doubt. */
function doubtWithoutPlacement(
  { kind, hostNetwork, start, end }: AnsweredHolder,
  at: EpochMillis,
  { neverShown }: DoubtContext,
): Doubt | undefined {
  if (kind === 'Node' || hostNetwork) return doubt('node-address', start);
  if (start.source === 'import') return doubt('imported', start);
  if (neverShown === true) return doubt('address-never-shown', start, end);
  if (isDoubtful(start)) return doubt('address-not-proven', start, end);
  if (at < start.notAfter) return doubt(start.source === 'list' ? 'start-not-seen' : 'start-not-exact', start);
  return end === undefined || at < end.notBefore ? doubt('several-showed-it', start, end) : undefined;
}

function whyNotEnded(end: Boundary, placement: Placement | undefined): DoubtCode {
  if (end.source === 'inferred' || end.source === 'list') {
    // Nobody saw it, and yet the pod went on: its node had booted, or it came back from a gap with another address.
    return placement !== undefined && outlived(placement, end) ? 'sandbox-lost' : 'end-not-seen';
  }
  // A word that says that the network is gone bounds the end by itself; any other is bounded by what came later.
  const isConfirmed = end.notAfter <= end.observedAt;
  if (placement === undefined) return isConfirmed ? 'end-not-exact' : 'end-not-confirmed';
  if (!endedTogether(end, placement.end)) return 'sandbox-lost';
  return isConfirmed ? 'end-not-exact' : 'deleted-not-confirmed';
}

function outlived({ end: ofPod }: Placement, end: Boundary): boolean {
  return ofPod === undefined || ofPod.observedAt > end.observedAt;
}

/** The same word, or the same release, ended the address and the pod; else the pod outlived its sandbox. */
function endedTogether(end: Boundary, ofPod: Boundary | undefined): boolean {
  if (ofPod === undefined) return false;
  const isSameWord = end.epoch === ofPod.epoch && end.resourceVersion === ofPod.resourceVersion;
  return isSameWord || end.notAfter === ofPod.notAfter;
}

function doubt(code: DoubtCode, first: Boundary, last: Boundary | undefined = first): Doubt {
  return { code, from: first.notBefore, to: last === undefined || isDoubtful(last) ? undefined : last.notAfter };
}

/** How times are written; in UTC unless the caller has a zone. */
export interface ShownTimes {
  readonly time: (at: EpochMillis) => string;
  readonly span: (from: EpochMillis, to: EpochMillis) => string;
}

const IN_UTC: ShownTimes = { time: toText, span: (from, to) => `${toText(from)} to ${toText(to)}` };

/** Goes on after the name of the candidate: "web-1 " + text + ".". */
export function doubtText({ code, from, to }: Doubt, { time, span }: ShownTimes = IN_UTC): string {
  const within = to === undefined ? `since ${time(from)}` : `from ${span(from, to)}`;
  const gone = to === undefined ? 'nothing says yet that its network is gone' : `its network was gone by ${time(to)}`;
  switch (code) {
    case 'node-address':
      return 'shares the address with everything on the host network of its node';
    case 'several-showed-it':
      return 'showed it while another did, too';
    case 'imported':
      return 'is known from an import, which shows one instant';
    case 'address-never-shown':
      return 'never showed which address of its node it had';
    case 'address-not-proven':
      return 'showed it, but it may have been the address of its sandbox before';
    case 'start-not-seen':
      return `had it when it was first listed, and got it at some time ${within}`;
    case 'start-not-exact':
      return `got it at some time ${within}`;
    case 'deleted-not-confirmed':
      return `was deleted, at ${time(from)} at the earliest, before its kubelet confirmed its end, and ${gone}`;
    case 'sandbox-lost':
      return `lost its sandbox, at ${time(from)} at the earliest, and ${gone}`;
    case 'end-not-seen':
      return to === undefined
        ? `was last seen at ${time(from)}, and ${gone}`
        : `was not seen to end: at some time ${within}`;
    case 'end-not-exact':
      return `let go of it at some time ${within}`;
    case 'end-not-confirmed':
      return `was last reported at ${time(from)}, and ${gone}`;
  }
}
