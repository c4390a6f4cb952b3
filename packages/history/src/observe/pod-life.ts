// The life of a pod's network, as the API can know it: which transition a context is, and one function for each of them.
// docs/sandbox-life.md draws it. Pure; holder-life.ts calls it and adds what is not of the network.
import type { Boundary } from '../model/boundary.ts';
import type { Fact, LiveHolder } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Holder, Tenure } from '../model/records.ts';
import { type EpochMillis, earliest, epochMillis, latest } from '../model/time.ts';
import {
  anothersEnd,
  blankFrom,
  doubtfulStart,
  isDoubtful,
  lostEnd,
  lostFrom,
  openEnd,
  overlookedStart,
  replacedEnd,
  tenureStart,
  terminalEnd,
  wasUp,
} from './boundaries.ts';
import {
  hasBeenUsed,
  isEndedByKubelet,
  isTerminal,
  lastFinishedAt,
  networkLostAt,
  networkReadyAt,
  RESOLUTION_MS,
  ranBefore,
} from './evidence.ts';
import { UNWATCHED_RELEASE_MS } from './measured-limits.ts';
import type { ObservedPod } from './observation.ts';
import type { ObservationContext } from './observation-context.ts';
import { closed, confirmed, endedBy, endedKnownBy, endOfBlank, isOpen, isProven, notBefore } from './tenure-ends.ts';

export type SandboxState =
  /** On no node. Left when it is bound. */
  | { readonly kind: 'unbound' }
  /** On a node, no network known. Left when the network comes up, an address is shown, or it goes. */
  | { readonly kind: 'bound' }
  /** The condition says that there is a network; its address is not shown. Left by the address, a loss or the end. */
  | { readonly kind: 'up'; readonly since: EpochMillis }
  /** It shows its address, or did when it was last shown. Left by a loss, another sandbox, or the end. */
  | { readonly kind: 'holding' }
  /** Its network is going, and nothing says yet that it is gone. Left by proof: see Going, and the next sandbox. */
  | { readonly kind: 'going'; readonly why: 'sandbox-lost' | 'deleted' | 'ended-by-another' }
  /** Its kubelet has ended it. Final. */
  | { readonly kind: 'released' };

export function stateOf(live: LiveHolder): SandboxState {
  const { holder, terminal, tenures, networkReadyAt: up, networkLostAt: lost, more } = live;
  if (terminal) return { kind: 'released' };
  if (more?.going !== undefined) return { kind: 'going', why: more.going.why };
  if (tenures.some(isOpen)) return { kind: 'holding' };
  if (tenures.length > 0) return { kind: 'going', why: 'sandbox-lost' };
  if (up !== undefined && lost === undefined) return { kind: 'up', since: up };
  return { kind: holder.node === '' ? 'unbound' : 'bound' };
}

/** What a context is, of the network's life. */
export type Transition =
  /** Its kubelet says that it is over: the sandbox is down. */
  | 'ended'
  /** Somebody else made it terminal: its network stands. */
  | 'abandoned'
  /** The kubelet says that the sandbox is lost; it has yet to take down what is left of it. */
  | 'lost'
  /** Another network is up, and its address is not shown yet. */
  | 'renewed'
  /** What is shown is of the sandbox that is known to be lost: its node has booted since, and its kubelet not written. */
  | 'unchanged'
  /** No address is shown. */
  | 'blank'
  | 'shown';

/** Of the addresses that a pod has, or had in the sandbox before. */
export interface Network {
  readonly open: readonly Tenure[];
  /** Of the sandbox that was lost, for as long as there is no other: its address may be shown beyond. */
  readonly lost: readonly Tenure[];
  readonly blankSince: EpochMillis | undefined;
}

/** What a transition looks at, and where it puts its facts. */
export interface Scene {
  readonly before: LiveHolder | undefined;
  readonly pod: ObservedPod;
  readonly holder: Holder;
  readonly shown: readonly IpAddress[];
  readonly context: ObservationContext;
  readonly facts: Fact[];
}

export function transitionOf({ before, pod, shown, context }: Scene): Transition {
  if (isTerminal(pod)) return isEndedByKubelet(pod) ? 'ended' : 'abandoned';
  if (networkLostAt(pod, wasUp(before)) !== undefined) return 'lost';
  if (isStillLost(before, pod)) return 'unchanged';
  if (shown.length > 0) return 'shown';
  return sandboxIsNew(before, pod, context) ? 'renewed' : 'blank';
}

const TRANSITIONS: Readonly<Record<Transition, (scene: Scene, network: Network) => Network>> = {
  ended: endByKubelet,
  abandoned: endByAnother,
  lost: loseSandbox,
  renewed: renewSandbox,
  unchanged: (_, network) => network,
  blank: showNothing,
  shown: showAddresses,
};

export function step(transition: Transition, scene: Scene): Network {
  const { before, pod, facts } = scene;
  const readyAt = networkReadyAt(pod) ?? before?.networkReadyAt;
  let open: readonly Tenure[] = before?.tenures.filter(isOpen) ?? [];
  if (hasBeenUsed(pod, readyAt)) {
    open = open.map((tenure) => (isProven(tenure, pod, readyAt) ? confirmed(tenure, facts) : tenure));
  }
  const lost = before?.tenures.filter((tenure) => !isOpen(tenure)) ?? [];
  return TRANSITIONS[transition](scene, { open, lost, blankSince: before?.blankSince });
}

/** A blank address on the way out neither opens nor closes: the end of the pod is the end. */
function endByKubelet(scene: Scene, network: Network): Network {
  const { before, pod, context, facts } = scene;
  const end = terminalEnd(pod, context, before);
  for (const tenure of endOpen(scene, network, end)) facts.push({ kind: 'tenure', tenure });
  // What was lost and not yet known to be gone is gone, too.
  for (const tenure of network.lost) facts.push(...endedKnownBy(tenure, end.notAfter));
  liveUnseen(scene, network, end);
  return { open: [], lost: [], blankSince: undefined };
}

/** Treated as a deletion by force: the beginning of an end. */
function endByAnother(scene: Scene, network: Network): Network {
  const { pod, context, facts } = scene;
  const known = anothersEnd(pod, context);
  // Where nobody says how its node is, the limit counts.
  const limited = { ...known, notAfter: epochMillis(known.notAfter + UNWATCHED_RELEASE_MS) };
  const end = context.node !== undefined ? openEnd(known) : limited;
  const ended = endOpen(scene, network, end);
  for (const tenure of ended) facts.push({ kind: 'tenure', tenure });
  return { open: [], lost: joined(network.lost, ended), blankSince: undefined };
}

/** False is written before the kubelet takes down what is left: the earliest release, not the latest. */
function loseSandbox(scene: Scene, network: Network): Network {
  const { before, pod, context, facts } = scene;
  const end = lostEnd(pod, context, before);
  const ended = endOpen(scene, network, openEnd(end));
  for (const tenure of ended) facts.push({ kind: 'tenure', tenure });
  liveUnseen(scene, network, openEnd(end));
  return { open: [], lost: joined(network.lost, ended), blankSince: undefined };
}

/** Those of the sandbox before ended before this one came. */
function renewSandbox(scene: Scene, network: Network): Network {
  const { before, pod, context, facts } = scene;
  const end = replacedEnd(context, pod, goneSince(network, before), before?.seenAt ?? context.at);
  const ended = network.open.map((tenure) => endedBy(tenure, end));
  for (const tenure of ended) facts.push({ kind: 'tenure', tenure });
  const lost = network.lost.map((tenure) => settledBy(tenure, end.notAfter, facts));
  return { open: [], lost: joined(lost, ended), blankSince: undefined };
}

/** Nothing is closed by a blank; if another address or the end comes, it was gone at some time since now. */
function showNothing({ context }: Scene, network: Network): Network {
  return network.open.length === 0 ? network : { ...network, blankSince: network.blankSince ?? blankFrom(context) };
}

function showAddresses(scene: Scene, network: Network): Network {
  const { before, pod, holder, shown, context, facts } = scene;
  const isNew = sandboxIsNew(before, pod, context);
  const end = replacedEnd(context, pod, goneSince(network, before), before?.seenAt ?? context.at);
  const kept: Tenure[] = [];
  for (const tenure of network.open) {
    if (shown.includes(tenure.ip) && !isNew) kept.push(tenure);
    else facts.push(closed(tenure, end));
  }
  for (const tenure of network.lost) facts.push(...endedKnownBy(tenure, end.notAfter));
  for (const ip of shown) {
    if (kept.some((tenure) => tenure.ip === ip)) continue;
    const opened: Tenure = { ip, holder, start: startOf(scene, network, ip), end: undefined };
    facts.push({ kind: 'tenure', tenure: opened });
    kept.push(opened);
  }
  return { open: kept, lost: [], blankSince: undefined };
}

/** Of an address that was not shown before, or by another sandbox. */
function startOf(scene: Scene, network: Network, ip: IpAddress): Boundary {
  const { before, pod, context } = scene;
  const isReappeared = context.continuity.kind === 'reappeared';
  const start =
    isReappeared || mayBeOfEarlierSandbox(scene, network, ip) ? doubtfulStart(pod, context) : certainStart(scene);
  // Only a restored etcd makes a terminal pod live again: what has ended has ended.
  const hasEnded = before?.terminal === true || isReappeared;
  const least = hasEnded
    ? latest(before?.seenAt, context.watermark)
    : latest(before?.networkLostAt, sinceReplaced(network));
  return notBefore(start, least);
}

/** The address is that of the sandbox before, or of one that was never seen, and nothing has used it since. */
function mayBeOfEarlierSandbox({ before, pod }: Scene, { lost, open }: Network, ip: IpAddress): boolean {
  const readyAt = networkReadyAt(pod) ?? before?.networkReadyAt;
  if (hasBeenUsed(pod, readyAt)) return false;
  const hasEarlierSandbox = before === undefined && ranBefore(pod, readyAt);
  return hasEarlierSandbox || [...lost, ...open].some((tenure) => tenure.ip === ip);
}

/** The open ones as they end: another address that is shown took the place of the known one before. */
function endOpen({ before, pod, shown, context }: Scene, { open }: Network, end: Boundary): Tenure[] {
  return open.map((tenure) => {
    const isReplaced = shown.length > 0 && !shown.includes(tenure.ip);
    const unseen = isReplaced ? replacedEnd(context, pod, before?.networkLostAt, tenure.start.at, true) : end;
    return endedBy(tenure, endOfBlank(before, unseen, context));
  });
}

/** A short life may never have been seen: its address is shown only now. */
function liveUnseen({ before, pod, holder, shown, context, facts }: Scene, { open }: Network, end: Boundary): void {
  if (!livedUnseen(before, pod, context)) return;
  for (const ip of shown) {
    if (open.some((tenure) => tenure.ip === ip)) continue;
    const start = tenureStart(pod, context, before, true);
    facts.push(closed({ ip, holder, start: notBefore(start, before?.networkLostAt), end: undefined }, end));
  }
}

function certainStart({ before, pod, context }: Scene): Boundary {
  return context.continuity.kind === 'overlooked' ? overlookedStart(pod, context) : tenureStart(pod, context, before);
}

/** It shows an address that no sandbox known so far had: one came and went between two sightings. */
function livedUnseen(before: LiveHolder | undefined, pod: ObservedPod, context: ObservationContext): boolean {
  if (before === undefined) return isTerminal(pod);
  if (before.terminal || before.more?.going !== undefined) return false;
  if (before.networkLostAt === undefined) return true;
  // The address of a sandbox that is known to be lost is shown for as long as there is no other.
  const lastUse = latest(lostFrom(pod, context, before), lastFinishedAt(pod));
  return lastUse !== undefined && lastUse > before.networkLostAt + RESOLUTION_MS;
}

/** Another network than at the last context: in between its addresses were nobody's, or another's. */
function sandboxIsNew(before: LiveHolder | undefined, pod: ObservedPod, { watermark }: ObservationContext): boolean {
  const ready = networkReadyAt(pod);
  if (before === undefined || ready === undefined) return false;
  if (before.networkReadyAt !== undefined) return ready !== before.networkReadyAt;
  return watermark !== undefined && ready > watermark;
}

/** Its node has booted since, and its kubelet has not written of another sandbox. */
export function isStillLost(before: LiveHolder | undefined, pod: ObservedPod): boolean {
  const ready = networkReadyAt(pod);
  return before?.more?.rebooted === true && ready !== undefined && ready === before.networkReadyAt;
}

/** An address that was in doubt is replaced by that of the same sandbox: it came up no earlier. */
function sinceReplaced({ open }: Network): EpochMillis | undefined {
  return latest(...open.filter(({ start }) => isDoubtful(start)).map(({ start }) => start.notBefore));
}

function goneSince({ blankSince }: Network, before: LiveHolder | undefined): EpochMillis | undefined {
  return earliest(blankSince, before?.networkLostAt);
}

function settledBy(tenure: Tenure, release: EpochMillis, facts: Fact[]): Tenure {
  const [fact] = endedKnownBy(tenure, release);
  if (fact?.kind !== 'tenure') return tenure;
  facts.push(fact);
  return fact.tenure;
}

/** Of one address the one that ended last. */
function joined(lost: readonly Tenure[], ended: readonly Tenure[]): readonly Tenure[] {
  return [...lost.filter(({ ip }) => !ended.some((tenure) => tenure.ip === ip)), ...ended];
}
