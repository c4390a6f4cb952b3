// What the audit log says of the end: whose request was the first. The author of the last DELETE is the finisher, usually
// the pod's own kubelet, and never the cause.
import type { Evidence } from '../model/evidence.ts';
import type { Case } from './case.ts';
import { disruptionOrder, lapseOf } from './seen-order.ts';
import { CLOCK_SLACK_MS, isBetween, isSeenToEnd, latestEnd, ofKind, SECOND_MS } from './traces.ts';

const DELETIONS = new Set(['delete', 'evict', 'delete-collection']);
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
  if (first === undefined || isAnyController(first) || rivals(known).length > 0) return undefined;
  if (!mayBeDryRun(first)) return first;
  return isSeenToEnd(known.life) && likelyDeletions(known).every((one) => actorOf(one) === actorOf(first))
    ? first
    : undefined;
}

/**
 * Requests of several users of which any may have begun its end, the likeliest first: one was received before the other was
 * answered. Empty where the order is known: controllers leave alone what is being deleted, so that theirs was first.
 */
export function rivals(known: Case): Evidence[] {
  const [first, ...more] = deletions(known).filter((one) => !mayBeDryRun(one));
  if (first === undefined || LEAVE_ALONE.has(controllerOf(first) ?? '')) return [];
  const others = more.filter((one) => one.at < first.observedAt && actorOf(one) !== actorOf(first));
  return others.length === 0 ? [] : [first, ...others];
}

/** Those of pods. */
const LEAVE_ALONE = new Set([
  ...['replicaset-controller', 'replication-controller', 'statefulset-controller', 'daemon-set-controller'],
  'job-controller',
]);

/** Requests that may have begun its end, of which the log does not say whether one was a dry run. */
export function likelyDeletions(known: Case): Evidence[] {
  const found = deletions(known);
  if (!found.some(mayBeDryRun)) return [];
  if (!isSeenToEnd(known.life)) return found;
  const last = lastFinisher(known, found);
  return found.filter((one) => isAtEnd(known, one) && (last === undefined || actorOf(one) !== actorOf(last)));
}

/**
 * Who removed a pod that had been given time to end, and had not used it: then somebody else had begun its end before.
 * Usually that is its kubelet, which is known; a simulated one, or a person who does not want to wait, is known by this.
 */
function lastFinisher({ life: { deletion, gone }, pod }: Case, found: readonly Evidence[]): Evidence | undefined {
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined || actorOf(first) === actorOf(last)) return undefined;
  if (deletion === undefined || gone === undefined || deletion.graceSeconds === 0) return undefined;
  const isEarly = gone < deletion.requested + deletion.graceSeconds * SECOND_MS;
  const isGoneAtOnce = isBetween(last, gone - AT_END_MS, gone + AT_END_MS);
  const isByKubelet = ofKind(pod, 'audited').some((one) => one.reason === 'delete' && isByNode(one));
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
  const [first] = deletions(known);
  return first !== undefined && isAnyController(first);
}

/**
 * Requests that began its end, or may have. Without a UID, one may be about the pod that had the name before. What may have
 * been a dry run, and was not when the pod was seen to end, was one. The API server keeps the time of the first request:
 * where that is known, later ones began nothing. Who was answered first was first: a request may wait in a webhook while others are done.
 */
function deletions(known: Case): Evidence[] {
  const isSeen = isSeenToEnd(known.life);
  const from = Math.max(known.life.created - SECOND_MS, known.endedAt - CLOCK_SLACK_MS);
  const { deletion } = known.life;
  const to = deletion === undefined ? latestEnd(known) + CLOCK_SLACK_MS : deletion.requested + AT_END_MS;
  return ofKind(known.pod, 'audited')
    .filter((one) => DELETIONS.has(one.reason) && !isFinisher(one) && one.observedAt >= from && one.at <= to)
    .filter((one) => isOfFirstReason(known, one))
    .filter((one) => !isSeen || !mayBeDryRun(one) || isAtEnd(known, one))
    .sort((a, b) => a.observedAt - b.observedAt);
}

/**
 * The pod showed whether an eviction was the first: then requests of the other kind began nothing, whenever they were
 * received, unless it may have failed. An eviction that is no DisruptionTarget of its own came after the one that the pod
 * showed first.
 */
function isOfFirstReason(known: Case, { reason }: Evidence): boolean {
  const order = disruptionOrder(known);
  if (order === 'after') return reason !== 'evict';
  const isEviction = known.life.disruption?.reason === 'EvictionByEvictionAPI';
  return order !== 'before' || !isEviction || reason === 'evict' || lapseOf(known) !== undefined;
}

/** Who is to be named: both, where one asked in the name of another. */
export function actorOf({ by, impersonatedBy }: Evidence): string {
  return impersonatedBy === undefined ? by : `${impersonatedBy} as ${by}`;
}

/**
 * The controller whose request it was: `replicaset-controller`; undefined for anybody else, also for who asks in the name of
 * a controller.
 */
export function controllerOf(evidence: Evidence): string | undefined {
  const { by, impersonatedBy } = evidence;
  if (impersonatedBy !== undefined) return undefined;
  if (isAnyController(evidence)) return 'kube-controller-manager';
  if (by === 'system:kube-scheduler') return 'kube-scheduler';
  const name = by.startsWith(CONTROLLER) ? by.slice(CONTROLLER.length) : '';
  return CONTROLLERS.has(name) ? name : undefined;
}

function isAnyController({ by, impersonatedBy }: Evidence): boolean {
  return by === ANY_CONTROLLER && impersonatedBy === undefined;
}

const CONTROLLERS = new Set([
  ...['replicaset-controller', 'replication-controller', 'statefulset-controller', 'daemon-set-controller'],
  ...['job-controller', 'cronjob-controller', 'deployment-controller', 'generic-garbage-collector'],
  ...['namespace-controller', 'node-controller', 'taint-eviction-controller', 'pod-garbage-collector'],
  ...['ttl-after-finished-controller', 'horizontal-pod-autoscaler', 'device-taint-eviction-controller'],
]);

/** A person, or a program that is no part of Kubernetes. */
export function isByOthers(evidence: Evidence): boolean {
  return controllerOf(evidence) === undefined && !isFinisher(evidence);
}

function isFinisher(evidence: Evidence): boolean {
  const { by, impersonatedBy } = evidence;
  if (impersonatedBy !== undefined) return false;
  const isOther = by.startsWith(CONTROLLER) && FINISHERS.has(by.slice(CONTROLLER.length));
  return by === '' || isByNode(evidence) || isOther;
}

function isByNode({ by, impersonatedBy }: Evidence): boolean {
  return by.startsWith(NODE_USER) && impersonatedBy === undefined;
}
