// Whether the pod's controller deleted it: an event of the controller names it, or the audit log does. Events are lossy:
// more than ten alike in ten minutes are merged, and of one object 25 are sent in a burst and then one in five minutes. Of
// a controller that had little to say, silence means that it did not do it.
import type { Evidence } from '../model/evidence.ts';
import { compareFirstSeen } from '../model/first-seen.ts';
import type { PodLife } from '../model/pod-life.ts';
import { controllerOf, firstDeletion, isByAnyController } from './audited.ts';
import type { Case } from './case.ts';
import { goingNamespace, goingOwner } from './going.ts';
import { sameName } from './siblings.ts';
import { isOwnerUnwatched } from './streams.ts';
import {
  CLOCK_SLACK_MS,
  endOf,
  events,
  isAroundEnd,
  isBetween,
  MINUTE_MS,
  namesPod,
  ofKind,
  SECOND_MS,
} from './traces.ts';

export type OwnerDeletion =
  | { readonly by: 'owner'; readonly evidence: readonly Evidence[] }
  /** The audit log names somebody else, its namespace or owner was going, or its controller would have said it. */
  | { readonly by: 'others' }
  | {
      readonly by: 'unknown';
      /**
       * Its controller may well have said it: nobody was watching events, or there were so many that they were merged; and
       * its owner was there, which somebody watched.
       */
      readonly isLost: boolean;
    };

/** For verdicts that rest on no word of the controller: a person who deletes a pod then leaves no other trace. */
export const OR_DELETED = ', or was deleted on request while that went on';

/** So many events alike are sent one by one. */
const SINGLE_EVENTS = 10;

/** Pods of one owner that came, went or were refused in so long: each was an event. With fewer, none of these is held back. */
const SPARE_EVENTS = 12;
const SPARED_MS = 120 * MINUTE_MS;
/** An Event waits in a queue of its controller. */
const SENT_WITHIN_MS = 10 * SECOND_MS;
/** A rollout waits for new pods to become ready, ten minutes by default. */
const STEPS_MS = 10 * MINUTE_MS;

export function ownerDeletion(known: Case): OwnerDeletion {
  const named = namingEvents(known);
  const request = firstDeletion(known);
  if (request !== undefined) {
    const controller = controllerOf(request);
    const isOwner = controller !== undefined && controller === CONTROLLERS[known.life.owner?.kind ?? ''];
    return isOwner ? { by: 'owner', evidence: [request, ...named] } : { by: 'others' };
  }
  if (named.length > 0) return { by: 'owner', evidence: named };
  if (goingNamespace(known) !== undefined || goingOwner(known) !== undefined) return { by: 'others' };
  if (isOwnerUnwatched(known)) return { by: 'unknown', isLost: false };
  const isLost = isByAnyController(known) || known.unwatched.includes('events') || isMerged(known) || isBusy(known);
  if (isNamespaceGoneSoon(known)) return { by: 'unknown', isLost: false };
  if (isLost || !hasReported(known)) return { by: 'unknown', isLost };
  return { by: 'others' };
}

const CONTROLLERS: Readonly<Record<string, string>> = {
  ReplicaSet: 'replicaset-controller',
  ReplicationController: 'replication-controller',
  StatefulSet: 'statefulset-controller',
  DaemonSet: 'daemon-set-controller',
  Job: 'job-controller',
};

/** The names of their pods are made once. The next pod of a StatefulSet has the name of the one before. */
const NAME_ONCE: ReadonlySet<string> = new Set(['ReplicaSet', 'ReplicationController', 'DaemonSet', 'Job']);

/**
 * Events of its owner that say that it deleted the pod. Where names are made once that is so whatever their time: it is of the
 * clock of the controller manager, which is not that of the API server.
 */
export function namingEvents(known: Case): Evidence[] {
  const isOnce = NAME_ONCE.has(known.life.owner?.kind ?? '');
  const found = isOnce ? events(known.owner, 'SuccessfulDelete') : ownerEvents(known);
  return found.filter((event) => namesPod(event, known));
}

function ownerEvents(known: Case): Evidence[] {
  return events(known.owner, 'SuccessfulDelete').filter(
    (event) => isAroundEnd(known, event) && !isOfPrevious(known, event) && !isOfNext(known, event),
  );
}

/** Nothing is deleted before it is there: then it is about who had the name before. */
function isOfPrevious(known: Case, event: Evidence): boolean {
  return event.at < known.life.created && namesPod(event, known);
}

/** Events name a pod and not its UID: once the next of that name is there and ends, they are about that one. */
function isOfNext(known: Case, event: Evidence): boolean {
  const next = sameName(known);
  if (next === undefined || event.at < next.created || !namesPod(event, known)) return false;
  const end = endOf(next);
  if (end === undefined || end > event.at + CLOCK_SLACK_MS) return false;
  return event.at > next.created || isSentAfter(event, next);
}

/** Within a second, by versions: each request is an event, or one more of the same, which is evidence of its own. */
function isSentAfter({ epoch, resourceVersion }: Evidence, { deletion }: PodLife): boolean {
  const { seenIn } = deletion ?? {};
  return seenIn !== undefined && compareFirstSeen(seenIn, { epoch, resourceVersion }) < 0;
}

/**
 * A Deployment reports each step of a rollout. Where it has reported none, what its ReplicaSets reported may be lost, too.
 * The others have nothing else to say.
 */
function hasReported(known: Case): boolean {
  const isStep = (one: Evidence) => isBetween(one, known.endedAt - STEPS_MS, known.endedAt + 2 * MINUTE_MS);
  if (known.life.owner?.kind !== 'ReplicaSet' || known.life.pod.workload?.kind !== 'Deployment') return true;
  return [...events(known.workload, 'ScalingReplicaSet'), ...events(known.owner, 'SuccessfulDelete')].some(isStep);
}

function isBusy({ life, owner, siblings, endedAt }: Case): boolean {
  const isThen = (at: number | undefined) => at !== undefined && at >= endedAt - SPARED_MS && at <= endedAt + MINUTE_MS;
  const said = [life, ...siblings]
    .filter(({ owner }) => owner?.uid === life.owner?.uid)
    .flatMap((one) => [one.created, endOf(one)]);
  const refused = events(owner, 'FailedCreate').filter(({ at }) => isThen(at));
  // Older clients count Warnings and what is none together, that of 1.36 counts them apart.
  return said.filter(isThen).length + refused.reduce((sum, { count }) => sum + count, 0) >= SPARE_EVENTS;
}

/** Its owner could not make pods: that no replacement came is no sign that it wanted fewer. */
export function isRefused({ owner, endedAt }: Case): boolean {
  return events(owner, 'FailedCreate').some((one) =>
    isBetween(one, endedAt - REFUSED_BEFORE_MS, endedAt + 2 * MINUTE_MS),
  );
}

/** It tries again less and less often. */
const REFUSED_BEFORE_MS = 60 * MINUTE_MS;

/** No Event can be written in a namespace that is being deleted, and controllers send theirs a little later. */
function isNamespaceGoneSoon(known: Case): boolean {
  return ofKind(known.namespace, 'terminating', 'deleted').some((one) =>
    isBetween(one, known.endedAt, known.endedAt + SENT_WITHIN_MS),
  );
}

function isMerged(known: Case): boolean {
  return ownerEvents(known).reduce((sum, { count }) => sum + count, 0) >= SINGLE_EVENTS;
}
