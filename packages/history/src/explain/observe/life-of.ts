// What one sighting of a pod shows of its life. Pure. Times are those of the object where they can be true: the same pod
// gives the same life, whoever looks at it and when.

import type { Provenance } from '../../model/boundary.ts';
import { cut } from '../../model/evidence.ts';
import type { ObjectReference } from '../../model/object-reference.ts';
import {
  type ContainerEnding,
  MOST_ENDINGS,
  MOST_LABEL_CHARACTERS,
  type PodLife,
  type Reason,
} from '../../model/pod-life.ts';
import { type EpochMillis, earliest, epochMillis, latest } from '../../model/time.ts';
import {
  credible,
  hasBegunToEnd,
  isPossible,
  isTerminal,
  lastFinishedAt,
  networkReadyAt,
  RESOLUTION_MS,
} from '../../observe/evidence.ts';
import { holderOf } from '../../observe/holder-life.ts';
import { mirrorOf } from '../../observe/mirror.ts';
import type { ObservedMeta, ObservedPod } from '../../observe/observation.ts';

/** A life without how it came to be known. */
export type LifeContent = Omit<PodLife, keyof Provenance>;

export interface Sighting {
  readonly at: EpochMillis;
  /** When it was first seen, for a pod that does not say when it was created. */
  readonly firstSeen: EpochMillis;
  /** The first DisruptionTarget that it showed. */
  readonly disruption: Reason | undefined;
  /** Its object is gone; this is its last state. */
  readonly isGone: boolean;
}

const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** Whoever lived longer is filed under its end. */
const LONG_LIFE_MS = 86_400_000;

export function lifeOf(pod: ObservedPod, sighting: Sighting): LifeContent {
  const life = shownLife(pod, sighting);
  const end = endOf(life);
  return end !== undefined && end - life.created > LONG_LIFE_MS ? { ...life, filedAt: end } : life;
}

function shownLife(pod: ObservedPod, { at, firstSeen, disruption, isGone }: Sighting): LifeContent {
  const { metadata, spec, status } = pod;
  const created = createdAt(pod, at) ?? firstSeen;
  const isEnding = isGone || hasBegunToEnd(pod);
  const scheduled = condition(pod, 'PodScheduled', 'True');
  const unschedulable = condition(pod, 'PodScheduled', 'False');
  const ready = condition(pod, 'Ready', 'True');
  return {
    pod: holderOf({ kind: 'Pod', object: pod }),
    owner: ownerOf(metadata),
    revision: metadata.labels.get('pod-template-hash') ?? metadata.labels.get('controller-revision-hash'),
    restartedAt: metadata.annotations.get(RESTARTED_AT),
    ...labelsOf(metadata),
    isMirror: mirrorOf(pod) !== undefined,
    qosClass: status.qosClass ?? '',
    priority: spec.priority ?? 0,
    created,
    scheduled: scheduled && timeOf(pod, scheduled.lastTransitionTime, at),
    unschedulable: unschedulable && reasonOf(pod, unschedulable, created, at),
    networkUp: timeOf(pod, networkReadyAt(pod), at),
    ready: ready && timeOf(pod, ready.lastTransitionTime, at),
    notReady: isEnding ? notReadyAt(pod, at) : undefined,
    // One that is reset without an end is no cause.
    disruption: isEnding ? disruption : undefined,
    terminal: isTerminal(pod)
      ? {
          phase: status.phase,
          reason: status.reason ?? '',
          message: cut(status.message),
          at: terminalAt(pod, at) ?? at,
        }
      : undefined,
    deletion: deletionOf(pod, created, at),
    gone: isGone ? at : undefined,
    restarts: restartsOf(pod),
    endings: endingsOf(pod, created, at),
  };
}

/** The first of what ended it; undefined for a pod that goes on. */
export function endOf({ deletion, terminal, gone }: LifeContent): EpochMillis | undefined {
  return earliest(deletion?.requested, terminal?.at) ?? gone;
}

/** Undefined where it says nothing, or what cannot be. */
export function createdAt({ metadata }: ObservedPod, at: EpochMillis): EpochMillis | undefined {
  const { creationTimestamp } = metadata;
  return isPossible(creationTimestamp, at) ? epochMillis(creationTimestamp) : undefined;
}

/**
 * What is a milestone in it, as one text: two lives of a pod with the same text need not both be stored. `wasReady`: it
 * has been ready at some time. Whether it is so at the moment is no milestone while it goes on.
 */
export function milestonesOf(life: LifeContent, wasReady: boolean): string {
  const { pod, owner, revision, unschedulable, disruption, terminal, deletion, endings } = life;
  return [
    ...[pod.node, owner?.uid, revision, life.qosClass, life.priority, life.created],
    ...[life.scheduled, unschedulable?.reason, unschedulable?.at, life.networkUp, wasReady, life.notReady],
    ...[disruption?.reason, disruption?.at, terminal?.phase, terminal?.reason, deletion?.requested, life.gone],
    ...[life.restarts, ...endings.flatMap(({ container, at, exitCode }) => [container, at, exitCode])],
  ].join(' ');
}

/** When something last happened in a life that goes on. */
export function lastMilestone({ created, scheduled, unschedulable, networkUp, ready, endings }: LifeContent): number {
  return Math.max(
    ...[created, scheduled ?? 0, unschedulable?.at ?? 0, networkUp ?? 0, ready ?? 0, endings.at(-1)?.at ?? 0],
  );
}

type Condition = ObservedPod['status']['conditions'][number];

function condition({ status }: ObservedPod, type: string, value: string): Condition | undefined {
  return status.conditions.find((one) => one.type === type && one.status === value);
}

function reasonOf(pod: ObservedPod, found: Condition, otherwise: EpochMillis, at: EpochMillis): Reason {
  const { reason = '', message, lastTransitionTime } = found;
  return { reason, message: cut(message), at: timeOf(pod, lastTransitionTime, at) ?? otherwise };
}

function timeOf(pod: ObservedPod, time: number | undefined, at: EpochMillis): EpochMillis | undefined {
  return isPossible(time, at) ? credible(pod, epochMillis(time), at) : undefined;
}

/** A pod begins unready: only a transition after its start means that it had been ready. */
function notReadyAt(pod: ObservedPod, at: EpochMillis): EpochMillis | undefined {
  const { startTime } = pod.status;
  const since = timeOf(pod, condition(pod, 'Ready', 'False')?.lastTransitionTime, at);
  return since === undefined || startTime === undefined || since <= startTime + RESOLUTION_MS ? undefined : since;
}

/**
 * When its last container ended; where none says so (an eviction, a controller), when it last changed, unless that was
 * when it started. Undefined where nobody says it.
 */
function terminalAt(pod: ObservedPod, at: EpochMillis): EpochMillis | undefined {
  const finished = timeOf(pod, lastFinishedAt(pod), at);
  if (finished !== undefined) return finished;
  const changed = lastChangeOf(pod, at);
  const { startTime } = pod.status;
  return changed === undefined || (startTime !== undefined && changed <= startTime + RESOLUTION_MS)
    ? undefined
    : changed;
}

/**
 * Of its conditions. The scheduler's is of its beginning. A disruption may come later than the end; only the garbage
 * collector of pods writes it together with the last phase, long after the node controller made the pod unready.
 */
function lastChangeOf(pod: ObservedPod, at: EpochMillis): EpochMillis | undefined {
  let found: EpochMillis | undefined;
  for (const { type, reason, lastTransitionTime } of pod.status.conditions) {
    if (type === 'PodScheduled') continue;
    if (type === 'DisruptionTarget' && reason !== 'DeletionByPodGC') continue;
    found = latest(found, timeOf(pod, lastTransitionTime, at));
  }
  return found;
}

function deletionOf({ metadata }: ObservedPod, created: EpochMillis, at: EpochMillis): PodLife['deletion'] {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  // The API server keeps the difference when the grace is shortened: it is the first request, whoever repeats it.
  const asked = deletionTimestamp - deletionGracePeriodSeconds * 1000;
  const requested = isPossible(asked, at) ? epochMillis(Math.max(asked, created)) : at;
  return { requested, graceSeconds: deletionGracePeriodSeconds };
}

function ownerOf({ ownerReferences, namespace }: ObservedMeta): ObjectReference | undefined {
  const owner = ownerReferences.find(({ controller }) => controller);
  return owner && { kind: owner.kind, namespace, name: owner.name, uid: owner.uid ?? '' };
}

/**
 * Whole labels in the order of their keys, as far as there is room. They are no milestone: a label that is changed again
 * and again must not be written again and again.
 */
function labelsOf({ labels }: ObservedMeta): Pick<PodLife, 'labels' | 'labelsCut'> {
  const kept: [key: string, value: string][] = [];
  let room = MOST_LABEL_CHARACTERS;
  for (const [key, value] of [...labels].sort(([a], [b]) => (a < b ? -1 : 1))) {
    room -= key.length + value.length;
    if (room < 0) break;
    kept.push([key, value]);
  }
  return { labels: Object.fromEntries(kept), ...(kept.length < labels.size ? { labelsCut: true } : {}) };
}

function restartsOf({ status }: ObservedPod): number {
  const most = new Map<string, number>();
  for (const { kind, container = '', restartCount = 0 } of status.terminations) {
    if (kind === 'ephemeral') continue;
    most.set(container, Math.max(most.get(container) ?? 0, restartCount));
  }
  return [...most.values()].reduce((sum, count) => sum + count, 0);
}

function endingsOf(pod: ObservedPod, created: EpochMillis, at: EpochMillis): readonly ContainerEnding[] {
  // Of a container whose end nobody knows, the kubelet writes no time.
  const otherwise = lastChangeOf(pod, at) ?? created;
  const endings: ContainerEnding[] = [];
  for (const ended of pod.status.terminations) {
    const { kind, container = '', reason = '', exitCode = 0, signal = 0, finishedAt, current } = ended;
    // An init container that is done is the beginning of a pod. Who debugs a pod does not end it.
    if (kind === 'ephemeral' || (kind === 'init' && exitCode === 0 && signal === 0)) continue;
    const restarted = current === false ? { restarted: true as const } : {};
    endings.push({ container, reason, exitCode, signal, at: timeOf(pod, finishedAt, at) ?? otherwise, ...restarted });
  }
  return endings.sort((a, b) => a.at - b.at).slice(-MOST_ENDINGS);
}
