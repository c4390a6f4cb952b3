// One holder's life: from what is remembered of it and the next sighting to facts and what to remember then. Pure.
import type { Boundary } from '../model/boundary.ts';
import type { Fact, LiveHolder } from '../model/fact.ts';
import type { Holder, Tenure } from '../model/records.ts';
import { type EpochMillis, earliest, epochMillis, latest } from '../model/time.ts';
import { addressesOf } from './addresses.ts';
import { annotationChanges, annotationValues } from './annotation-changes.ts';
import {
  asMillis,
  blankFrom,
  boundary,
  confirmedStart,
  deletedEnd,
  doubtfulStart,
  inferredEnd,
  isDoubtful,
  lostEnd,
  lostFrom,
  overlookedStart,
  replacedEnd,
  type Sighting,
  tenureStart,
  terminalEnd,
  undecidedStart,
  undoneEnd,
  undoneSince,
} from './boundaries.ts';
import {
  hasBeenUsed,
  isTerminal,
  lastFinishedAt,
  networkLostAt,
  networkReadyAt,
  RESOLUTION_MS,
  ranBefore,
} from './evidence.ts';
import type { Observed, ObservedPod } from './observation.ts';
import { LONGEST_DELIVERY_MS } from './stream.ts';
import { workloadOf } from './workload.ts';

export interface LifeStep {
  readonly facts: readonly Fact[];
  /** Undefined once there is nothing to remember. */
  readonly live: LiveHolder | undefined;
}

function holderOf(seen: Observed): Holder {
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
export function present(before: LiveHolder | undefined, seen: Observed, sighting: Sighting): LifeStep {
  if (seen.kind !== 'Pod') return plainPresent(before, seen, sighting);
  if (before !== undefined && sighting.isSilent === true) return written(before, seen.object, seen, sighting);
  return podPresent(before, seen.object, seen, sighting);
}

/**
 * An etcd that was restored from a backup shows the holder. What it shows may be from before what is known of it: a
 * kubelet that knows better says so soon, and until then nothing of it is certain.
 */
export function restored(before: LiveHolder | undefined, seen: Observed, sighting: Sighting): LifeStep {
  if (seen.kind !== 'Pod' || before === undefined || before.terminal || sighting.isRisen === true)
    return present(before, seen, sighting);
  const pod = seen.object;
  const ready = networkReadyAt(pod);
  const isNews = isTerminal(pod) || (ready !== undefined && sighting.floor !== undefined && ready > sighting.floor);
  if (isNews || seen.object.spec.hostNetwork) return present(before, seen, sighting);
  const shown = addressesOf(seen);
  const facts: Fact[] = [];
  const tenures: Tenure[] = [];
  for (const tenure of before.tenures) {
    // One that shows no address may no longer be bound to its node, which then ends it; else its kubelet tells of it again.
    const isKnown = shown.includes(tenure.ip) && !isOfThePast(tenure, sighting);
    if (!isOpen(tenure) || isKnown) tenures.push(tenure);
    else facts.push({ kind: 'tenure', tenure: undone(tenure, sighting) });
  }
  const holder = holderOf(seen);
  for (const ip of shown) {
    if (tenures.some((tenure) => isOpen(tenure) && tenure.ip === ip)) continue;
    const start = notBefore(doubtfulStart(pod, sighting), undoneSince(sighting));
    const tenure: Tenure = { ip, holder, start, end: undefined };
    facts.push({ kind: 'tenure', tenure });
    tenures.push(tenure);
  }
  // Where the past is shown, its network is what the next words are compared with: the same once more is no news.
  const isPast = facts.length > 0 && ready !== undefined;
  const known = isPast ? { ...before, tenures, networkReadyAt: ready } : { ...before, tenures };
  const step = written(known, pod, seen, sighting);
  return { facts: [...facts, ...step.facts], live: step.live };
}

/** What was first shown after the last certain moment, and is older, may be a status of the past. */
function isOfThePast({ start }: Tenure, sighting: Sighting): boolean {
  return start.observedAt > (sighting.floor ?? sighting.at) && start.notBefore < undoneSince(sighting);
}

function undone(tenure: Tenure, sighting: Sighting): Tenure {
  const ended = endedBy(tenure, undoneEnd(sighting));
  if (!isOfThePast(tenure, sighting) || ended.end === undefined) return ended;
  return { ...ended, start: { ...ended.start, notAfter: ended.end.notAfter } };
}

/** The pod was written to, but nothing is known anew of its network. */
function written(before: LiveHolder, pod: ObservedPod, seen: Observed, sighting: Sighting): LifeStep {
  const facts: Fact[] = [];
  const holder = holderOf(seen);
  const annotations = annotationValues(pod.metadata.annotations);
  recordChanges(before, holder, annotations, sighting, facts);
  const { epoch, resourceVersion, at: seenAt } = sighting;
  let placement = before.placement;
  if (placement !== undefined && placement.end === undefined && placement.pod.node !== holder.node) {
    // It was restored to before it was bound, and goes elsewhere. A ledger has one place for a pod: the first one ends.
    const detail = `from ${placement.pod.node} to ${holder.node || 'none'}`;
    facts.push({
      kind: 'anomaly',
      anomaly: { ...provenance(sighting), what: 'node-changed', uid: holder.uid, detail },
    });
    placement = { ...placement, end: notBeforeStart(undoneEnd(sighting), placement.start) };
    facts.push({ kind: 'placement', placement });
  }
  const live: LiveHolder = { ...before, holder, placement, epoch, resourceVersion, seenAt, annotations };
  facts.push({ kind: 'live', uid: holder.uid, live });
  return { facts, live };
}

/** The holder is gone; `seen` is its final state if its delete was observed. */
export function gone(before: LiveHolder, seen: Observed | undefined, told: Sighting): LifeStep {
  // When nothing is known of the time before, it was still there when it was last seen, however late that arrived.
  const sighting = { ...told, floor: told.floor ?? epochMillis(before.seenAt - LONGEST_DELIVERY_MS) };
  // The delete may be the first word of the end, or of an address: take in the final state first.
  const last = seen === undefined ? undefined : present(before, seen, sighting);
  const live = last?.live ?? before;
  const pod = seen?.kind === 'Pod' ? seen.object : undefined;
  const end = seen === undefined ? inferredEnd(sighting, live) : deletedEnd(sighting, pod);
  const facts: Fact[] = [...(last?.facts ?? []).filter((fact) => fact.kind !== 'live')];
  for (const tenure of live.tenures.filter(isOpen)) facts.push(closed(tenure, endOfBlank(live, end, sighting)));
  if (live.placement !== undefined && live.placement.end === undefined) {
    facts.push({ kind: 'placement', placement: { ...live.placement, end: notBeforeStart(end, live.placement.start) } });
  }
  facts.push({ kind: 'live', uid: before.holder.uid, live: undefined });
  return { facts, live: undefined };
}

function podPresent(before: LiveHolder | undefined, pod: ObservedPod, seen: Observed, sighting: Sighting): LifeStep {
  const facts: Fact[] = [];
  const holder = holderOf(seen);
  const terminal = isTerminal(pod);
  // Its node's, on the host network: shown by the pod also where the Node lists none, or is gone.
  const shown = addressesOf(seen);
  const readyAt = networkReadyAt(pod) ?? before?.networkReadyAt;
  let tenures: readonly Tenure[] = before?.tenures.filter(isOpen) ?? [];
  // Of the sandbox that was lost, for as long as there is no other: its address may be shown beyond.
  let lost: readonly Tenure[] = before?.tenures.filter((tenure) => !isOpen(tenure)) ?? [];
  const isUsed = hasBeenUsed(pod, readyAt);
  if (isUsed) tenures = tenures.map((tenure) => (isProven(tenure, pod, readyAt) ? confirmed(tenure, facts) : tenure));
  let blankSince = before?.blankSince;
  const goneSince = earliest(blankSince, before?.networkLostAt);

  if (terminal || networkLostAt(pod) !== undefined) {
    // A blank address on the way out neither opens nor closes: the end of the pod, or of its sandbox, is the end.
    const end = terminal ? terminalEnd(pod, sighting, before) : lostEnd(pod, sighting, before);
    const ended: Tenure[] = [];
    for (const tenure of tenures) {
      const isReplaced = shown.length > 0 && !shown.includes(tenure.ip);
      const unseen = isReplaced ? replacedEnd(sighting, pod, before?.networkLostAt, tenure.start.at, true) : end;
      ended.push(endedBy(tenure, endOfBlank(before, unseen, sighting)));
    }
    for (const tenure of ended) facts.push({ kind: 'tenure', tenure });
    lost = terminal ? [] : [...lost.filter(({ ip }) => !ended.some((tenure) => tenure.ip === ip)), ...ended];
    // A short life may never have been seen: its address is told only now.
    for (const ip of livedUnseen(before, pod, sighting) ? shown : []) {
      if (tenures.some((tenure) => tenure.ip === ip)) continue;
      const start = tenureStart(pod, sighting, true);
      facts.push(closed({ ip, holder, start: notBefore(start, before?.networkLostAt), end: undefined }, end));
    }
    tenures = [];
    blankSince = undefined;
  } else if (shown.length === 0 && sandboxIsNew(before, pod, sighting)) {
    // Another network is up, and its address is not told yet: those of the one before ended before it came.
    const end = replacedEnd(sighting, pod, goneSince, before?.seenAt ?? sighting.at);
    const ended = tenures.map((tenure) => endedBy(tenure, end));
    for (const tenure of ended) facts.push({ kind: 'tenure', tenure });
    lost = [...lost.filter(({ ip }) => !ended.some((tenure) => tenure.ip === ip)), ...ended];
    tenures = [];
    blankSince = undefined;
  } else if (shown.length === 0) {
    // Nothing is closed by a blank; if another address or the end comes, it was gone at some time since now.
    if (tenures.length > 0) blankSince ??= blankFrom(sighting);
  } else {
    const kept: Tenure[] = [];
    for (const tenure of tenures) {
      if (shown.includes(tenure.ip) && !sandboxIsNew(before, pod, sighting)) kept.push(tenure);
      else facts.push(closed(tenure, replacedEnd(sighting, pod, goneSince, before?.seenAt ?? sighting.at)));
    }
    const earlier = [...lost, ...tenures];
    // First seen with a sandbox that is not its first: nobody knows which address that one had.
    const isAnew = before === undefined && ranBefore(pod, readyAt);
    for (const ip of shown) {
      if (kept.some((tenure) => tenure.ip === ip)) continue;
      const wasAnothers = !isUsed && (isAnew || earlier.some((tenure) => tenure.ip === ip));
      const mayBeStale = wasAnothers || sighting.isRisen === true;
      const start = mayBeStale ? doubtfulStart(pod, sighting) : startOf(pod, sighting);
      // Only a restored etcd makes a terminal pod live again: what has ended has ended.
      const hasEnded = before?.terminal === true || sighting.isRisen === true;
      const least = hasEnded ? latest(before?.seenAt, sighting.floor) : before?.networkLostAt;
      const opened: Tenure = { ip, holder, start: notBefore(start, least), end: undefined };
      facts.push({ kind: 'tenure', tenure: opened });
      kept.push(opened);
    }
    tenures = kept;
    lost = [];
    blankSince = undefined;
  }

  const placement = placePod(before, pod, holder, sighting, terminal, facts);
  const annotations = annotationValues(pod.metadata.annotations);
  recordChanges(before, holder, annotations, sighting, facts);
  const live: LiveHolder = {
    holder,
    epoch: sighting.epoch,
    resourceVersion: sighting.resourceVersion,
    seenAt: sighting.at,
    terminal,
    tenures: lost.length === 0 ? tenures : [...lost, ...tenures],
    placement,
    blankSince,
    networkReadyAt: readyAt,
    networkLostAt: lostFrom(pod, sighting, before),
    annotations,
  };
  facts.push({ kind: 'live', uid: holder.uid, live });
  return { facts, live };
}

function startOf(pod: ObservedPod, sighting: Sighting): Boundary {
  return sighting.isOverlooked === true ? overlookedStart(pod, sighting) : tenureStart(pod, sighting);
}

/** It shows an address that no sandbox known so far had: one came and went between two sightings. */
function livedUnseen(before: LiveHolder | undefined, pod: ObservedPod, sighting: Sighting): boolean {
  if (before === undefined) return isTerminal(pod);
  if (before.terminal) return false;
  if (before.networkLostAt === undefined) return true;
  // The address of a sandbox that is known to be lost is shown for as long as there is no other.
  const lastUse = latest(lostFrom(pod, sighting, before), lastFinishedAt(pod));
  return lastUse !== undefined && lastUse > before.networkLostAt + RESOLUTION_MS;
}

/** The same address, but another network than at the last sighting: in between it was nobody's, or another's. */
function sandboxIsNew(before: LiveHolder | undefined, pod: ObservedPod, { floor }: Sighting): boolean {
  const ready = networkReadyAt(pod);
  if (before === undefined || ready === undefined) return false;
  if (before.networkReadyAt !== undefined) return ready !== before.networkReadyAt;
  return floor !== undefined && ready > floor;
}

function placePod(
  before: LiveHolder | undefined,
  pod: ObservedPod,
  holder: Holder,
  sighting: Sighting,
  terminal: boolean,
  facts: Fact[],
): LiveHolder['placement'] {
  let placement = before?.placement;
  if (placement !== undefined && holder.node !== before?.holder.node) {
    const detail = `from ${placement.pod.node} to ${holder.node || 'none'}`;
    facts.push({
      kind: 'anomaly',
      anomaly: { ...provenance(sighting), what: 'node-changed', uid: holder.uid, detail },
    });
  }
  if (placement === undefined && holder.node !== '') {
    const scheduled = pod.status.conditions.find((c) => c.type === 'PodScheduled' && c.status === 'True');
    const since = asMillis(scheduled?.lastTransitionTime);
    const start =
      since !== undefined && since <= sighting.at
        ? boundary(sighting, epochMillis(since - RESOLUTION_MS), epochMillis(since + RESOLUTION_MS), since)
        : boundary(
            sighting,
            latest(sighting.floor, asMillis(pod.metadata.creationTimestamp)) ?? sighting.at,
            sighting.at,
          );
    placement = { pod: holder, start, end: undefined };
    facts.push({ kind: 'placement', placement });
  }
  if (placement !== undefined && placement.end === undefined && terminal) {
    placement = {
      ...placement,
      end: notBeforeStart(terminalEnd(pod, sighting, before), placement.start),
    };
    facts.push({ kind: 'placement', placement });
  }
  return placement;
}

/** Nodes and services: their addresses come and go with the object. */
function plainPresent(before: LiveHolder | undefined, seen: Observed, sighting: Sighting): LifeStep {
  const facts: Fact[] = [];
  const holder = holderOf(seen);
  const shown = addressesOf(seen);
  const kept: Tenure[] = [];
  for (const tenure of before?.tenures ?? []) {
    if (shown.includes(tenure.ip)) kept.push(tenure);
    else facts.push(closed(tenure, deletedEnd(sighting)));
  }
  const created = before === undefined ? asMillis(seen.object.metadata.creationTimestamp) : undefined;
  const since = created ?? sighting.floor;
  for (const ip of shown) {
    if (kept.some((tenure) => tenure.ip === ip)) continue;
    const opened: Tenure = { ip, holder, start: boundary(sighting, since ?? sighting.at, sighting.at), end: undefined };
    facts.push({ kind: 'tenure', tenure: opened });
    kept.push(opened);
  }
  const live: LiveHolder = {
    holder,
    epoch: sighting.epoch,
    resourceVersion: sighting.resourceVersion,
    seenAt: sighting.at,
    terminal: false,
    tenures: kept,
    placement: undefined,
    blankSince: undefined,
    networkReadyAt: undefined,
    networkLostAt: undefined,
    annotations: [],
  };
  facts.push({ kind: 'live', uid: holder.uid, live });
  return { facts, live };
}

function recordChanges(
  before: LiveHolder | undefined,
  pod: Holder,
  annotations: LiveHolder['annotations'],
  sighting: Sighting,
  facts: Fact[],
): void {
  for (const change of annotationChanges(before?.annotations ?? [], annotations)) {
    facts.push({ kind: 'change', change: { ...provenance(sighting), pod, ...change } });
  }
}

function closed(tenure: Tenure, end: Boundary): Fact {
  return { kind: 'tenure', tenure: endedBy(tenure, end) };
}

function endedBy(tenure: Tenure, end: Boundary): Tenure {
  const start = undecidedStart(tenure.start, end);
  return { ...tenure, start, end: notBeforeStart(end, start) };
}

function isOpen({ end }: Tenure): boolean {
  return end === undefined;
}

/** The same tenure without its doubt, if it had one: that is a fact worth telling. */
function confirmed(tenure: Tenure, facts: Fact[]): Tenure {
  const start = confirmedStart(tenure.start);
  if (start === tenure.start) return tenure;
  const known: Tenure = { ...tenure, start };
  facts.push({ kind: 'tenure', tenure: known });
  return known;
}

/** After a blank, or once the sandbox is lost, the end lies between the first word of that and what came next. */
function endOfBlank(live: LiveHolder | undefined, end: Boundary, { doubtedSince }: Sighting): Boundary {
  const since = earliest(end.notBefore, live?.blankSince, live?.networkLostAt, doubtedSince) ?? end.notBefore;
  return { ...end, notBefore: since };
}

/** A pod that rose from a backup shows that its containers were ready, but long before. */
function isProven({ start }: Tenure, pod: ObservedPod, readyAt: EpochMillis | undefined): boolean {
  return !isDoubtful(start) || hasBeenUsed(pod, latest(readyAt, start.notBefore));
}

function notBefore(start: Boundary, least: EpochMillis | undefined): Boundary {
  return {
    ...start,
    at: latest(start.at, least) ?? start.at,
    notBefore: latest(start.notBefore, least) ?? start.notBefore,
    notAfter: latest(start.notAfter, least) ?? start.notAfter,
  };
}

/** Invariant: start ≤ end, whatever the clocks said. */
function notBeforeStart(end: Boundary, start: Boundary): Boundary {
  return {
    ...end,
    at: latest(end.at, start.at) ?? end.at,
    notBefore: latest(end.notBefore, start.notBefore) ?? end.notBefore,
    notAfter: latest(end.notAfter, start.notAfter) ?? end.notAfter,
  };
}

function provenance({ source, epoch, resourceVersion, collector, at }: Sighting) {
  return { source, epoch, resourceVersion, collector, observedAt: at };
}
