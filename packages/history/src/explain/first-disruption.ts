// The first DisruptionTarget, where it is why the pod ended. Whoever disrupts a pod writes the condition first and deletes
// it then; a condition on a pod that was ending already is a second reason.
import type { Evidence } from '../model/evidence.ts';
import type { Reason } from '../model/pod-life.ts';
import { controllerOf, firstDeletion } from './audited.ts';
import type { Case } from './case.ts';
import type { Verdict } from './cause.ts';
import { ownerDeletion } from './owner-deletion.ts';
import { disruptionOrder } from './seen-order.ts';
import { ofKind } from './traces.ts';

export function firstDisruption(known: Case): Reason | undefined {
  const { disruption } = known.life;
  const order = disruptionOrder(known);
  if (disruption === undefined || order === undefined || order === 'after') return undefined;
  return order !== 'before' && isOthersFirst(known, disruption) ? undefined : disruption;
}

export function isDisruptedBy(known: Case, ...reasons: readonly string[]): boolean {
  return reasons.includes(firstDisruption(known)?.reason ?? '');
}

/** A verdict about the first DisruptionTarget, less certain where only a listing showed it, together with the deletion. */
export function asFarAsSeen(known: Case, verdict: Verdict | undefined): Verdict | undefined {
  const { disruption } = known.life;
  if (verdict === undefined || disruption === undefined || disruptionOrder(known) !== 'unknown') return verdict;
  const request = firstDeletion(known);
  return request !== undefined && isOf(disruption, request) ? verdict : { ...verdict, certainty: 'inferred' };
}

/**
 * Where versions do not say it: the audit log has the request that wrote the condition, and an earlier one of somebody else.
 * Or its controller deleted it, too: controllers leave pods alone that are being deleted, so that theirs was first.
 */
function isOthersFirst(known: Case, disruption: Reason): boolean {
  const request = firstDeletion(known);
  if (request === undefined) return ownerDeletion(known).by === 'owner';
  const isAudited = ofKind(known.pod, 'audited').some((one) => isOf(disruption, one));
  return isAudited && !isOf(disruption, request);
}

/** Who asks for what leads to this condition. */
function isOf({ reason }: Reason, request: Evidence): boolean {
  if (reason === 'EvictionByEvictionAPI') return request.reason === 'evict';
  return WRITERS[reason]?.includes(controllerOf(request) ?? '') ?? false;
}

const WRITERS: Readonly<Record<string, readonly string[]>> = {
  DeletionByTaintManager: ['node-controller', 'taint-eviction-controller'],
  DeletionByDeviceTaintManager: ['device-taint-eviction-controller'],
  PreemptionByScheduler: ['kube-scheduler'],
  PreemptionByKubeScheduler: ['kube-scheduler'],
};
