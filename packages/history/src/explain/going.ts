// Whether the pod's namespace or owner was on its way out when the pod began to end.
import type { Evidence } from '../model/evidence.ts';
import type { ObjectReference } from '../model/object-reference.ts';
import type { Case } from './case.ts';
import { streamOf } from './streams.ts';
import { isBeforeEnd, isWrittenLater, lastBeforeEnd, latestEnd, MINUTE_MS, ofKind, SECOND_MS } from './traces.ts';

export function goingNamespace(known: Case): Evidence | undefined {
  return goingBeforeEnd(known, known.namespace);
}

/**
 * The highest of its owners that went is what somebody deleted. A Deployment that leaves its ReplicaSet behind takes no
 * pod along: where somebody watched ReplicaSets, that of the pod must have been on its way out, too.
 */
export function goingOwner(known: Case): Evidence | undefined {
  const { owner, pod } = known.life;
  const { workload } = pod;
  // Among the workload's evidence are other ReplicaSets of it: old ones are cleaned up at any time.
  const ofWorkload = known.workload.filter(
    ({ about }) => about.kind === workload?.kind && about.name === workload.name,
  );
  const highest = goingBeforeEnd(known, ofWorkload);
  const own = goingBeforeEnd(known, known.owner);
  if (highest === undefined || owner?.kind === workload?.kind) return highest ?? own;
  if (own === undefined) return isWatched(known, owner?.kind) ? undefined : highest;
  return Math.abs(own.at - highest.at) <= TAKEN_ALONG_MS ? highest : own;
}

/** The garbage collector goes from owner to owner, some seconds each, more where it is busy. */
const TAKEN_ALONG_MS = 5 * MINUTE_MS;

function isWatched({ unwatched }: Case, kind: string | undefined): boolean {
  const stream = streamOf(kind);
  return stream !== undefined && !unwatched.includes(stream);
}

/** A ReplicaSet's Deployment, a Job's CronJob; undefined where nobody says. */
export function controllerOfOwner({ owner, life }: Pick<Case, 'owner' | 'life'>): ObjectReference | undefined {
  return owner.findLast(({ what, about }) => what === 'owned' && about.uid === life.owner?.uid)?.related;
}

/**
 * The controller of its ReplicaSet, where that is no Deployment: a Rollout of Argo, for instance. Its ReplicaSets have no number of
 * replicas that are desired, and no revision in the annotation of Deployments.
 */
export function foreignController(known: Pick<Case, 'owner' | 'life'>): ObjectReference | undefined {
  const controller = known.life.owner?.kind === 'ReplicaSet' ? controllerOfOwner(known) : undefined;
  return controller?.kind === 'Deployment' ? undefined : controller;
}

/** It was to be deleted, or gone, and not there again. */
function goingBeforeEnd(known: Case, evidence: readonly Evidence[]): Evidence | undefined {
  const all = ofKind(evidence, 'created', 'terminating', 'deleted').filter((one) => !isWrittenLater(known, one));
  const states = wentBeforeEnd(known, all);
  const last = lastBeforeEnd(known, states);
  if (last === undefined || last.what === 'created') return undefined;
  return states.find((one) => one.what !== 'created' && one.about.uid === last.about.uid && isBeforeEnd(known, one));
}

/**
 * Without those that were to be deleted after the pod had begun to end. The API server wrote both times, in seconds: that
 * needs no slack for other clocks.
 */
function wentBeforeEnd(known: Case, states: readonly Evidence[]): Evidence[] {
  const late = new Set(
    ofKind(states, 'terminating')
      .filter(({ at }) => at > latestEnd(known) + SECOND_MS)
      .map(({ about }) => about.uid),
  );
  return states.filter(({ what, about }) => what === 'created' || !late.has(about.uid));
}
