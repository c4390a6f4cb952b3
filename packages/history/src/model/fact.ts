// What observing yields, and what an engine stores of it. Every fact is an upsert by its record's key: storing one twice changes
// nothing, and a later version of a record replaces the earlier one.
import type { OccurrenceFact } from './occurrence.ts';
import type { Reason } from './pod-life.ts';
import type { Change, ChangeValue, Coverage, Holder, Placement, PossibleTenure, Tenure } from './records.ts';
import type { EpochMillis } from './time.ts';

/** What must be remembered of a holder that has not ended, to understand its next observation, also after a restart. */
export interface LiveHolder {
  readonly holder: Holder;
  readonly epoch: number;
  /** Of the last observation that counted. */
  readonly resourceVersion: string;
  readonly seenAt: EpochMillis;
  /** Terminal pods stay until deleted: their address is no longer theirs. */
  readonly terminal: boolean;
  /** Those that are open; and, while its sandbox is lost, those that ended with it. */
  readonly tenures: readonly Tenure[];
  readonly placement: Placement | undefined;
  /** When the address was first found blank on a pod that goes on. */
  readonly blankSince: EpochMillis | undefined;
  /** When its sandbox came up, and when that was lost, as the kubelet wrote. */
  readonly networkReadyAt: EpochMillis | undefined;
  readonly networkLostAt: EpochMillis | undefined;
  readonly annotations: readonly (readonly [key: string, value: ChangeValue])[];
  /** What only some holders need. Invariant: absent rather than empty, and so is each of its fields. */
  readonly more?: LiveMore;
}

export interface LiveMore {
  /** Of a mirror pod: its node and the hash of its manifest. Its UID changes while its sandbox runs on. */
  readonly mirror?: string;
  /** When the grace of its deletion is over; the longest that was asked for. */
  readonly graceUntil?: EpochMillis;
  /** Its object is gone, or somebody else than its kubelet ended it: its network may stand on. */
  readonly going?: Going;
  /** Its node has booted since its kubelet last wrote of it: what it shows is of the sandbox before. */
  readonly rebooted?: true;
  /** It waits for its address, and this was stored of that. */
  readonly possible?: PossibleTenure;
  /** The first DisruptionTarget of a pod that has not begun to end: a cause, should it end. */
  readonly disruption?: Reason;
  /** Of a node. */
  readonly machine?: Machine;
}

/** A pod that is on its way out, and what its kubelet has yet to do. */
export interface Going {
  readonly why: 'deleted' | 'ended-by-another';
  /** When that was observed, and its version: what its kubelet wrote later proves that it lives. */
  readonly since: EpochMillis;
  readonly resourceVersion: string;
  /** What is under way until then cannot be shortened. */
  readonly notBefore: EpochMillis;
}

/** What is known of a node's kubelet. */
export interface Machine {
  readonly ready: boolean;
  /** When that was last seen to change. */
  readonly since: EpochMillis;
  readonly bootId: string;
  readonly kubeletVersion: string;
  readonly podCidrs: readonly string[];
}

export type Fact =
  | { readonly kind: 'tenure'; readonly tenure: Tenure }
  | { readonly kind: 'placement'; readonly placement: Placement }
  /** Undefined: its pod has shown the address after all. */
  | { readonly kind: 'possible'; readonly key: string; readonly possible: PossibleTenure | undefined }
  | { readonly kind: 'coverage'; readonly coverage: Coverage }
  | OccurrenceFact
  /** Undefined: it has ended and need not be remembered. */
  | { readonly kind: 'live'; readonly uid: string; readonly live: LiveHolder | undefined };

/** What is remembered of a living holder, as the observer wrote it (observe/live-state.ts): engines do not look into it. */
export interface LiveState {
  readonly uid: string;
  readonly state: string;
}

/** A fact as an engine stores it. */
export type StoredFact =
  | Exclude<Fact, { readonly kind: 'live' }>
  /** Undefined: it has ended and need not be remembered. */
  | { readonly kind: 'live'; readonly uid: string; readonly state: string | undefined };

export function tenureKey(t: Tenure): string {
  return `${t.ip}|${t.holder.uid}|${t.start.epoch}|${t.start.resourceVersion}`;
}

export function possibleKey({ pod, start }: PossibleTenure): string {
  return `${pod.uid}|${start.epoch}|${start.resourceVersion}`;
}

export function possibleFact(possible: PossibleTenure): Extract<Fact, { kind: 'possible' }> {
  return { kind: 'possible', key: possibleKey(possible), possible };
}

/**
 * Of two versions of one coverage record, the one to keep, in whichever order they come: a claim only grows, until a
 * gap ends it with what was really watched. What was withdrawn stays so, and the earliest withdrawal counts.
 */
export function newerCoverage(stored: Coverage | undefined, next: Coverage): Coverage {
  const [kept, claimed] = [stored?.withdrawn ?? Number.POSITIVE_INFINITY, next.withdrawn ?? Number.POSITIVE_INFINITY];
  if (stored !== undefined && kept !== claimed) return claimed < kept ? next : stored;
  if (stored === undefined || (next.ended && !stored.ended)) return next;
  if (stored.ended && !next.ended) return stored;
  const isLonger = next.to > stored.to || (next.to === stored.to && next.confirmed > stored.confirmed);
  return isLonger ? next : stored;
}

/** Of two versions of one change, the one to keep: the number of suppressed changes only grows. */
export function newerChange(stored: Change | undefined, next: Change): Change {
  if (stored?.suppressed === undefined || next.suppressed === undefined) return next;
  return stored.suppressed.changes > next.suppressed.changes ? stored : next;
}

/** Nothing of it holds: its clock was wrong from its beginning. */
export function isVoid({ from, withdrawn }: Coverage): boolean {
  return withdrawn !== undefined && withdrawn <= from;
}

/** What a recorder goes on with: the stretch that began last, and not what lies over it. `coverage` is in order. */
export function presentCoverage(coverage: readonly Coverage[]): Coverage | undefined {
  return coverage.findLast((one) => one.scope.kind !== 'pods' && !isVoid(one));
}
