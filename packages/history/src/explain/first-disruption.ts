// The first DisruptionTarget, where it is why the pod ended. Whoever disrupts a pod writes the condition first and deletes
// it then; a condition on a pod that was ending already is a second reason.
import type { Evidence } from '../model/evidence.ts';
import type { Reason } from '../model/pod-life.ts';
import { controllerOf, firstDeletion } from './audited.ts';
import type { Case } from './case.ts';
import type { Verdict } from './cause.ts';
import { ownerDeletion } from './owner-deletion.ts';
import { disruptionOrder, lapseOf } from './seen-order.ts';
import { ofKind, SECOND_MS } from './traces.ts';
import { doubted } from './verdict.ts';

export function firstDisruption(known: Case): Reason | undefined {
  const { disruption } = known.life;
  const order = disruptionOrder(known);
  if (disruption === undefined || order === undefined || order === 'after') return undefined;
  const isOpen = order !== 'before' || lapseOf(known) !== undefined;
  return isOpen && isOthersFirst(known, disruption) ? undefined : disruption;
}

export function isDisruptedBy(known: Case, ...reasons: readonly string[]): boolean {
  return reasons.includes(firstDisruption(known)?.reason ?? '');
}

/**
 * A verdict about the first DisruptionTarget, less certain where only a listing showed it, together with the deletion, or where
 * the deletion came so much later that it may be somebody else's.
 */
export function asFarAsSeen(known: Case, verdict: Verdict | undefined): Verdict | undefined {
  const { disruption } = known.life;
  const lapse = lapseOf(known);
  const isUnknown = disruptionOrder(known) === 'unknown';
  if (verdict === undefined || disruption === undefined || (!isUnknown && lapse === undefined)) return verdict;
  const request = firstDeletion(known);
  if (request !== undefined && isOf(disruption.reason, request)) return verdict;
  if (lapse !== undefined && firstDisruption(known) !== undefined) {
    const seconds = Math.round(lapse / SECOND_MS);
    return doubted(verdict, `unless somebody else deleted it: that was ${seconds} s later`);
  }
  return isUnknown ? { ...verdict, certainty: 'inferred' } : verdict;
}

/**
 * Where versions do not say it, or what the condition announced may have failed: the audit log has the request that wrote the
 * condition, and an earlier one of somebody else; where it failed, that one alone is enough. Or its controller deleted it, too:
 * controllers leave pods alone that are being deleted, so that theirs was first.
 */
function isOthersFirst(known: Case, disruption: Reason): boolean {
  const request = firstDeletion(known);
  if (request === undefined) return ownerDeletion(known).by === 'owner';
  const isAudited = ofKind(known.pod, 'audited').some((one) => isOf(disruption.reason, one));
  return (isAudited || lapseOf(known) !== undefined) && !isOf(disruption.reason, request);
}

/** The audit log has who asked first, and that is nobody who writes this condition. */
export function isAskedByOthers(known: Case, reason: string): boolean {
  const request = firstDeletion(known);
  return request !== undefined && !isOf(reason, request);
}

/** Who asks for what leads to this condition. */
export function isOf(reason: string, request: Evidence): boolean {
  if (reason === 'EvictionByEvictionAPI') return request.reason === 'evict';
  return WRITERS.get(reason)?.includes(controllerOf(request) ?? '') ?? false;
}

/** A map, because reasons come from pods: `constructor` is none of an object's own names. */
const WRITERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['DeletionByTaintManager', ['node-controller', 'taint-eviction-controller']],
  ['DeletionByDeviceTaintManager', ['device-taint-eviction-controller']],
  ['PreemptionByScheduler', ['kube-scheduler']],
  ['PreemptionByKubeScheduler', ['kube-scheduler']],
]);
