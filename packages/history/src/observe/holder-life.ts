// One holder's life: from what is remembered of it and the next context to facts and what to remember then. Pure.
import type { Boundary } from '../model/boundary.ts';
import { type Fact, type Going, type LiveHolder, type LiveMore, possibleFact } from '../model/fact.ts';
import type { Holder, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis, latest } from '../model/time.ts';
import { addressesOf } from './addresses.ts';
import { annotationChanges, annotationValues } from './annotation-changes.ts';
import { failedBefore, lostUnshown, neverShown } from './awaited-address.ts';
import {
  asMillis,
  boundary,
  deletedEnd,
  doubtfulStart,
  endKnownBy,
  inferredEnd,
  isDoubtful,
  lostFrom,
  mirrorEnd,
  openEnd,
  undoneEnd,
  undoneSince,
} from './boundaries.ts';
import { awaitedDisruption } from './disruption.ts';
import { isTerminal, networkReadyAt } from './evidence.ts';
import { goingOf, graceOf, releaseOf } from './going.ts';
import { END_LATE_MS, MIRROR_LATE_MS, UNWATCHED_RELEASE_MS } from './measured-limits.ts';
import { mirrorOf } from './mirror.ts';
import { machineOf } from './node-book.ts';
import type { Observed, ObservedPod } from './observation.ts';
import { type ObservationContext, provenanceOf } from './observation-context.ts';
import { placementAfter, undoneMove } from './placements.ts';
import { isStillLost, type Scene, step, type Transition, transitionOf } from './pod-life.ts';
import { possibleAfter, withdraw } from './possible-tenures.ts';
import { LONGEST_DELIVERY_MS } from './stream.ts';
import {
  closed,
  endedBy,
  endedKnownBy,
  endOfBlank,
  isEndOpen,
  isOpen,
  notBefore,
  notBeforeStart,
} from './tenure-ends.ts';
import { workloadOf } from './workload.ts';

export interface LifeStep {
  readonly facts: readonly Fact[];
  /** Undefined once there is nothing to remember. */
  readonly live: LiveHolder | undefined;
}

export function holderOf(seen: Observed): Holder {
  const { metadata } = seen.object;
  const isPod = seen.kind === 'Pod';
  return {
    kind: seen.kind,
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    node: isPod ? seen.object.spec.nodeName : seen.kind === 'Node' ? metadata.name : '',
    workload: isPod ? workloadOf(metadata) : undefined,
    hostNetwork: isPod && seen.object.spec.hostNetwork,
  };
}

/** The holder is there, as `seen`. */
export function present(before: LiveHolder | undefined, seen: Observed, context: ObservationContext): LifeStep {
  if (seen.kind !== 'Pod') return plainPresent(before, seen, context);
  const { kind } = context.continuity;
  if (before !== undefined && kind === 'unconfirmed') return written(before, seen.object, seen, context);
  if (before !== undefined && !before.terminal && kind === 'restored')
    return restored(before, seen.object, seen, context);
  return podPresent(before, seen.object, seen, context);
}

/**
 * An etcd that was restored from a backup shows the holder. What it shows may be from before what is known of it: a
 * kubelet that knows better says so soon, and until then nothing of it is certain.
 */
function restored(before: LiveHolder, pod: ObservedPod, seen: Observed, context: ObservationContext): LifeStep {
  const ready = networkReadyAt(pod);
  const isNews =
    isTerminal(pod) || (ready !== undefined && context.watermark !== undefined && ready > context.watermark);
  if (isNews || pod.spec.hostNetwork) return podPresent(before, pod, seen, context);
  const shown = addressesOf(seen);
  const facts: Fact[] = [];
  const tenures: Tenure[] = [];
  for (const tenure of before.tenures) {
    // One that shows no address may no longer be bound to its node, which then ends it; else its kubelet reports it again.
    const isKnown = shown.includes(tenure.ip) && !isOfThePast(tenure, context);
    if (!isOpen(tenure) || isKnown) tenures.push(tenure);
    else facts.push({ kind: 'tenure', tenure: undone(tenure, context) });
  }
  const holder = holderOf(seen);
  for (const ip of shown) {
    if (tenures.some((tenure) => isOpen(tenure) && tenure.ip === ip)) continue;
    const start = notBefore(doubtfulStart(pod, context), undoneSince(context));
    const tenure: Tenure = { ip, holder, start, end: undefined };
    facts.push({ kind: 'tenure', tenure });
    tenures.push(tenure);
  }
  // Where the past is shown, its network is what the next words are compared with: the same once more is no news.
  const isPast = facts.length > 0 && ready !== undefined;
  const known = isPast ? { ...before, tenures, networkReadyAt: ready } : { ...before, tenures };
  const step = written(known, pod, seen, context);
  return { facts: [...facts, ...step.facts], live: step.live };
}

/** What was first shown after the last certain moment, and is older, may be a status of the past. */
function isOfThePast({ start }: Tenure, context: ObservationContext): boolean {
  return start.observedAt > (context.watermark ?? context.at) && start.notBefore < undoneSince(context);
}

function undone(tenure: Tenure, context: ObservationContext): Tenure {
  const ended = endedBy(tenure, undoneEnd(context));
  if (!isOfThePast(tenure, context) || ended.end === undefined) return ended;
  return { ...ended, start: { ...ended.start, notAfter: ended.end.notAfter } };
}

/** The pod was written to, but nothing new is known of its network. */
function written(before: LiveHolder, pod: ObservedPod, seen: Observed, context: ObservationContext): LifeStep {
  const facts: Fact[] = [];
  const holder = holderOf(seen);
  const annotations = annotationValues(pod.metadata.annotations);
  recordChanges(before, holder, annotations, context, facts);
  const { epoch, resourceVersion, at: seenAt } = context;
  const known = before.placement;
  const isElsewhere = known !== undefined && known.end === undefined && known.pod.node !== holder.node;
  const placement = isElsewhere ? undoneMove({ holder, context, facts }, known) : known;
  const { more: _, ...rest } = before;
  const more = withDisruption(before, pod, context);
  const kept = more === undefined ? rest : { ...rest, more };
  const live: LiveHolder = { ...kept, holder, placement, epoch, resourceVersion, seenAt, annotations };
  facts.push({ kind: 'live', uid: holder.uid, live });
  return { facts, live };
}

/**
 * The holder is gone; `seen` is its final state if its delete was observed. Of a pod that its kubelet has not ended, that
 * is the beginning of the end: it is remembered until there is proof, or a limit.
 */
export function gone(before: LiveHolder, seen: Observed | undefined, given: ObservationContext): LifeStep {
  // When nothing is known of the time before, it was still there when it was last seen, however late that arrived.
  const context = { ...given, watermark: given.watermark ?? epochMillis(before.seenAt - LONGEST_DELIVERY_MS) };
  // The delete may be the first word of the end, or of an address: take in the final state first.
  const last = seen === undefined ? undefined : present(before, seen, context);
  const live = last?.live ?? before;
  const facts: Fact[] = [...(last?.facts ?? []).filter((fact) => fact.kind !== 'live')];
  const pod = seen?.kind === 'Pod' ? seen.object : undefined;
  const { holder, terminal } = live;
  const hadGrace = live.more?.graceUntil !== undefined;
  const known = seen === undefined ? inferredEnd(context, live) : deletedEnd(context, pod, hadGrace);
  const mayStand = holder.kind === 'Pod' && !holder.hostNetwork && holder.node !== '' && !terminal;
  if (!mayStand) return { facts: [...facts, ...ends(live, known, context), forgotten(before)], live: undefined };
  const end = live.more?.mirror === undefined ? known : mirrorEnd(known, pod, context);
  const going = live.more?.going ?? goingOf('deleted', pod, context, live.more?.graceUntil, live.tenures.length > 0);
  const step =
    context.node === undefined ? releaseByLimit(live, end, going, context) : beginToGo(live, pod, end, going, context);
  return { facts: [...facts, ...step.facts], live: step.live };
}

/** Nodes are not watched: the limit counts. */
function releaseByLimit(live: LiveHolder, end: Boundary, going: Going, context: ObservationContext): LifeStep {
  const release = releaseOf(going, going.since, UNWATCHED_RELEASE_MS);
  const bounded = { ...end, notAfter: latest(end.notAfter, release) ?? end.notAfter };
  const facts = live.tenures.flatMap((tenure) => endedKnownBy(tenure, release));
  return { facts: [...facts, ...ends(live, bounded, context), forgotten(live)], live: undefined };
}

/** Its network may stand on: it is remembered until there is proof, or a limit. */
function beginToGo(
  live: LiveHolder,
  pod: ObservedPod | undefined,
  end: Boundary,
  going: Going,
  context: ObservationContext,
): LifeStep {
  const ended = ends(live, openEnd(end), context);
  const never = neverShown(live, pod, openEnd(end), context);
  if (never !== undefined) ended.push(possibleFact(never));
  const { possible: _, ...more } = live.more ?? {};
  const left: LiveHolder = {
    ...live,
    tenures: [
      ...live.tenures.filter((tenure) => !isOpen(tenure)),
      ...ended.flatMap((fact) => (fact.kind === 'tenure' ? [fact.tenure] : [])),
    ],
    placement: ended.flatMap((fact) => (fact.kind === 'placement' ? [fact.placement] : []))[0] ?? live.placement,
    more: { ...more, going: { ...going, why: 'deleted' }, ...(never === undefined ? {} : { possible: never }) },
  };
  return { facts: [...ended, { kind: 'live', uid: live.holder.uid, live: left }], live: left };
}

/** What of it is open, as it ends. */
function ends(live: LiveHolder, end: Boundary, context: ObservationContext): Fact[] {
  const facts: Fact[] = live.tenures.filter(isOpen).map((tenure) => closed(tenure, endOfBlank(live, end, context)));
  const { placement } = live;
  if (placement !== undefined && placement.end === undefined) {
    facts.push({ kind: 'placement', placement: { ...placement, end: notBeforeStart(end, placement.start) } });
  }
  return facts;
}

function forgotten({ holder }: LiveHolder): Fact {
  return { kind: 'live', uid: holder.uid, live: undefined };
}

/** By then its network is gone: everything that was open for want of proof is known now. */
export function released(live: LiveHolder, release: EpochMillis, wasUnknown = false): LifeStep {
  const facts: Fact[] = live.tenures.flatMap((tenure) => endedKnownBy(tenure, release));
  const { placement, more } = live;
  if (placement?.end !== undefined && isDoubtful(placement.end)) {
    facts.push({ kind: 'placement', placement: { ...placement, end: endKnownBy(placement.end, release) } });
  }
  const never = more?.possible;
  if (wasUnknown) withdraw(never, facts);
  else if (never?.end !== undefined) facts.push(possibleFact({ ...never, end: endKnownBy(never.end, release) }));
  return { facts: [...facts, forgotten(live)], live: undefined };
}

/** Its node has booted again: the sandbox is gone since some time after `lastSign`. Undefined where there is nothing to end. */
export function lostWithNode(
  live: LiveHolder,
  lastSign: EpochMillis,
  context: ObservationContext,
): LifeStep | undefined {
  const facts: Fact[] = [];
  // What its kubelet had done and not yet written is lost with the node.
  const unwritten =
    live.more?.mirror !== undefined ? MIRROR_LATE_MS : live.more?.graceUntil === undefined ? 0 : END_LATE_MS;
  const since = epochMillis(lastSign - unwritten);
  const end = openEnd(boundary(context, since, context.at));
  const tenures = live.tenures.map((tenure) => {
    // One that began after the last sign of the time before is of the time after.
    if (!isOpen(tenure) || tenure.start.notBefore > lastSign) return tenure;
    const ended = endedBy(tenure, end);
    facts.push({ kind: 'tenure', tenure: ended });
    return ended;
  });
  const unshown = lostUnshown(live, context);
  if (unshown !== undefined) {
    const waits: LiveHolder = { ...live, more: { ...live.more, rebooted: true, possible: unshown } };
    return { facts: [possibleFact(unshown), { kind: 'live', uid: live.holder.uid, live: waits }], live: waits };
  }
  if (facts.length === 0) return undefined;
  const lost: LiveHolder = { ...live, tenures, networkLostAt: since, more: { ...live.more, rebooted: true } };
  return { facts: [...facts, { kind: 'live', uid: live.holder.uid, live: lost }], live: lost };
}

/** A mirror pod is back under another UID: its sandbox ran on, from before it was gone. */
export function returned(live: LiveHolder, context: ObservationContext): LifeStep {
  const facts: Fact[] = [];
  const tenures: Tenure[] = [];
  const since = live.more?.going?.since ?? context.at;
  for (const tenure of live.tenures) {
    if (tenure.end === undefined || !isEndOpen(tenure)) continue;
    const point = latest(since, tenure.end.notBefore, tenure.start.at) ?? since;
    const end = { ...tenure.end, at: point, notBefore: point, notAfter: point };
    facts.push({ kind: 'tenure', tenure: { ...tenure, end: notBeforeStart(end, tenure.start) } });
    const start = { ...boundary(context, point, point), at: point, notBefore: point, notAfter: point };
    const again: Tenure = { ...tenure, start, end: undefined };
    facts.push({ kind: 'tenure', tenure: again });
    tenures.push(again);
  }
  // What it may have had without showing it stays in doubt: perhaps that was another sandbox than the one to come.
  const { mirror } = live.more ?? {};
  const { more: _, ...rest } = live;
  const back: LiveHolder = { ...rest, tenures, ...(mirror === undefined ? {} : { more: { mirror } }) };
  return { facts, live: back };
}

function podPresent(
  before: LiveHolder | undefined,
  pod: ObservedPod,
  seen: Observed,
  context: ObservationContext,
): LifeStep {
  const facts: Fact[] = [];
  const holder = holderOf(seen);
  // Its node's, on the host network: shown by the pod also where the Node lists none, or is gone.
  const scene: Scene = { before, pod, holder, shown: addressesOf(seen), context, facts };
  const transition = transitionOf(scene);
  const terminal = transition === 'ended';
  const { open, lost, blankSince } = step(transition, scene);
  const placement = placementAfter(scene, transition);
  const annotations = annotationValues(pod.metadata.annotations);
  recordChanges(before, holder, annotations, context, facts);
  const live: LiveHolder = {
    holder,
    epoch: context.epoch,
    resourceVersion: context.resourceVersion,
    seenAt: context.at,
    terminal,
    // Of its exact length: an array that was pushed to keeps room for seventeen.
    tenures: lost.concat(open),
    placement,
    blankSince,
    networkReadyAt: networkReadyAt(pod) ?? before?.networkReadyAt,
    networkLostAt: isStillLost(before, pod) ? before?.networkLostAt : lostFrom(pod, context, before),
    annotations,
  };
  const more = moreOf(scene, transition, live);
  const known = more === undefined ? live : { ...live, more };
  facts.push({ kind: 'live', uid: holder.uid, live: known });
  return { facts, live: known };
}

/** What only some pods need to have remembered. */
function moreOf(scene: Scene, transition: Transition, live: LiveHolder): LiveMore | undefined {
  const { before, pod, context, facts } = scene;
  const mirror = mirrorOf(pod);
  const graceUntil = latest(before?.more?.graceUntil, graceOf(pod));
  const going =
    transition === 'abandoned'
      ? (before?.more?.going ?? goingOf('ended-by-another', pod, context, graceUntil, live.tenures.length > 0))
      : undefined;
  const possible = possibleAfter(scene, transition, live);
  const failed = failedBefore(before, live, pod, context);
  if (failed !== undefined) facts.push(possibleFact(failed));
  const more: LiveMore = {
    ...(mirror === undefined ? {} : { mirror }),
    ...(graceUntil === undefined ? {} : { graceUntil }),
    ...(going === undefined ? {} : { going }),
    ...(isStillLost(before, pod) || (possible !== undefined && before?.more?.rebooted === true)
      ? { rebooted: true as const }
      : {}),
    ...(possible === undefined ? {} : { possible }),
    ...disruptionOf(before, pod, context),
  };
  return Object.keys(more).length === 0 ? undefined : more;
}

/** What was remembered beside the rest, with the disruption that the pod shows now. */
function withDisruption(before: LiveHolder, pod: ObservedPod, context: ObservationContext): LiveMore | undefined {
  const { disruption: _, ...rest } = before.more ?? {};
  const more = { ...rest, ...disruptionOf(before, pod, context) };
  return Object.keys(more).length === 0 ? undefined : more;
}

function disruptionOf(
  before: LiveHolder | undefined,
  pod: ObservedPod,
  context: ObservationContext,
): Pick<LiveMore, 'disruption'> {
  const disruption = awaitedDisruption(before?.more?.disruption, pod, provenanceOf(context));
  return disruption === undefined ? {} : { disruption };
}

/** Nodes and services: their addresses come and go with the object. */
function plainPresent(before: LiveHolder | undefined, seen: Observed, context: ObservationContext): LifeStep {
  const facts: Fact[] = [];
  const holder = holderOf(seen);
  const shown = addressesOf(seen);
  const kept: Tenure[] = [];
  for (const tenure of before?.tenures ?? []) {
    if (shown.includes(tenure.ip)) kept.push(tenure);
    else facts.push(closed(tenure, deletedEnd(context)));
  }
  const created = before === undefined ? asMillis(seen.object.metadata.creationTimestamp) : undefined;
  const since = created ?? context.watermark;
  for (const ip of shown) {
    if (kept.some((tenure) => tenure.ip === ip)) continue;
    const opened: Tenure = { ip, holder, start: boundary(context, since ?? context.at, context.at), end: undefined };
    facts.push({ kind: 'tenure', tenure: opened });
    kept.push(opened);
  }
  const live: LiveHolder = {
    holder,
    epoch: context.epoch,
    resourceVersion: context.resourceVersion,
    seenAt: context.at,
    terminal: false,
    tenures: kept,
    placement: undefined,
    blankSince: undefined,
    networkReadyAt: undefined,
    networkLostAt: undefined,
    annotations: [],
  };
  const machine = seen.kind === 'Node' ? machineOf(seen.object, before?.more?.machine, context.at) : undefined;
  const known = machine === undefined ? live : { ...live, more: { machine } };
  facts.push({ kind: 'live', uid: holder.uid, live: known });
  return { facts, live: known };
}

function recordChanges(
  before: LiveHolder | undefined,
  pod: Holder,
  annotations: LiveHolder['annotations'],
  context: ObservationContext,
  facts: Fact[],
): void {
  for (const change of annotationChanges(before?.annotations ?? [], annotations)) {
    facts.push({ kind: 'change', change: { ...provenanceOf(context), pod, ...change } });
  }
}
