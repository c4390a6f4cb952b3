// What the audit log says of the end: whose request was the first. The author of the last DELETE is the finisher, usually
// the pod's own kubelet, and never the cause.
import type { Evidence } from '../model/evidence.ts';
import type { Case } from './case.ts';
import { CLOCK_SLACK_MS, isBetween, isSeenToEnd, latestEnd, ofKind, SECOND_MS } from './traces.ts';

const DELETIONS = new Set(['delete', 'evict', 'deletecollection', 'delete-collection']);
const CONTROLLER = 'system:serviceaccount:kube-system:';

const NODE_USER = 'system:node:';

/** Those only finish what others began. */
const FINISHERS = new Set(['pod-garbage-collector']);

/** Where controllers have no accounts of their own, they share this one: it does not say which one it was. */
const ANY_CONTROLLER = 'system:kube-controller-manager';

/** The API server that takes a deletion stamps it, to the second. */
const AT_END_MS = 2 * SECOND_MS;

/**
 * The first request to delete or evict the pod, by whomever it was; undefined where no audit log says that for certain.
 * Invariant: a request that may have been a dry run is it only if the pod was seen to end then, and nobody else asked.
 */
export function firstDeletion(known: Case): Evidence | undefined {
  const [first] = deletions(known);
  if (first === undefined || first.by === ANY_CONTROLLER) return undefined;
  if (!mayBeDryRun(first)) return first;
  return isSeenToEnd(known.life) && likelyDeletions(known).every(({ by }) => by === first.by) ? first : undefined;
}

/** Requests that may have begun its end, of which the log does not say whether one was a dry run. */
export function likelyDeletions(known: Case): Evidence[] {
  const found = deletions(known);
  if (!found.some(mayBeDryRun)) return [];
  if (!isSeenToEnd(known.life)) return found;
  const last = lastFinisher(known, found);
  return found.filter((one) => isAtEnd(known, one) && one.by !== last?.by);
}

/**
 * Who removed a pod that had been given time to end, and had not used it: then somebody else had begun its end before.
 * Usually that is its kubelet, which is known; a simulated one, or a person who does not want to wait, is known by this.
 */
function lastFinisher({ life: { deletion, gone }, pod }: Case, found: readonly Evidence[]): Evidence | undefined {
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined || first.by === last.by) return undefined;
  if (deletion === undefined || gone === undefined || deletion.graceSeconds === 0) return undefined;
  const isEarly = gone < deletion.requested + deletion.graceSeconds * SECOND_MS;
  const isGoneAtOnce = isBetween(last, gone - AT_END_MS, gone + AT_END_MS);
  const isByKubelet = ofKind(pod, 'audited').some(({ reason, by }) => reason === 'delete' && by.startsWith(NODE_USER));
  return isEarly && isGoneAtOnce && !isByKubelet ? last : undefined;
}

/** Controllers do no dry runs. */
function mayBeDryRun(one: Evidence): boolean {
  return one.unconfirmed === true && isByOthers(one);
}

function isAtEnd({ life: { deletion }, endedAt }: Case, one: Evidence): boolean {
  if (deletion === undefined) return isBetween(one, endedAt - CLOCK_SLACK_MS, endedAt + AT_END_MS);
  return isBetween(one, deletion.requested - AT_END_MS, deletion.requested + AT_END_MS);
}

/** Some controller deleted it, and the audit log does not say which. */
export function isByAnyController(known: Case): boolean {
  return deletions(known)[0]?.by === ANY_CONTROLLER;
}

/**
 * Requests that began its end, or may have. Without a UID, one may be about the pod that had the name before. What may have
 * been a dry run, and was not when the pod was seen to end, was one.
 */
function deletions(known: Case): Evidence[] {
  const isSeen = isSeenToEnd(known.life);
  const from = Math.max(known.life.created - SECOND_MS, known.endedAt - CLOCK_SLACK_MS);
  const to = latestEnd(known) + CLOCK_SLACK_MS;
  return ofKind(known.pod, 'audited')
    .filter((one) => DELETIONS.has(one.reason) && !isFinisher(one.by) && isBetween(one, from, to))
    .filter((one) => !isSeen || !mayBeDryRun(one) || isAtEnd(known, one));
}

/** The controller whose request it was: `replicaset-controller`; undefined for anybody else. */
export function controllerOf({ by }: Evidence): string | undefined {
  if (by === ANY_CONTROLLER) return 'kube-controller-manager';
  if (by === 'system:kube-scheduler') return 'kube-scheduler';
  const name = by.startsWith(CONTROLLER) ? by.slice(CONTROLLER.length) : '';
  return CONTROLLERS.has(name) ? name : undefined;
}

const CONTROLLERS = new Set([
  ...['replicaset-controller', 'replication-controller', 'statefulset-controller', 'daemon-set-controller'],
  ...['job-controller', 'cronjob-controller', 'deployment-controller', 'generic-garbage-collector'],
  ...['namespace-controller', 'node-controller', 'taint-eviction-controller', 'pod-garbage-collector'],
  ...['ttl-after-finished-controller', 'horizontal-pod-autoscaler', 'device-taint-eviction-controller'],
]);

/** A person, or a program that is no part of Kubernetes. */
export function isByOthers(evidence: Evidence): boolean {
  return controllerOf(evidence) === undefined && !isFinisher(evidence.by);
}

function isFinisher(by: string): boolean {
  return by === '' || by.startsWith(NODE_USER) || FINISHERS.has(by.slice(CONTROLLER.length));
}
