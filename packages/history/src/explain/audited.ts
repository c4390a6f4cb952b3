// What the audit log says of the end: whose request was the first. The author of the last DELETE is the finisher, usually
// the pod's own kubelet, and never the cause.
import type { Evidence } from '../model/evidence.ts';
import type { Case } from './case.ts';
import { CLOCK_SLACK_MS, isBetween, latestEnd, ofKind, SECOND_MS } from './traces.ts';

const DELETIONS = new Set(['delete', 'evict', 'deletecollection', 'delete-collection']);
const CONTROLLER = 'system:serviceaccount:kube-system:';

/** Those only finish what others began. */
const FINISHERS = new Set(['pod-garbage-collector']);

/** Where controllers have no accounts of their own, they share this one: it does not say which one it was. */
const ANY_CONTROLLER = 'system:kube-controller-manager';

/** The first request to delete or evict the pod, by whomever it was; undefined where no audit log says that. */
export function firstDeletion(known: Case): Evidence | undefined {
  const [first] = deletions(known);
  return first === undefined || first.by === ANY_CONTROLLER ? undefined : first;
}

/** Some controller deleted it, and the audit log does not say which. */
export function isByAnyController(known: Case): boolean {
  return deletions(known)[0]?.by === ANY_CONTROLLER;
}

/** Requests that began its end. Without a UID, one may be about the pod that had the name before. */
function deletions(known: Case): Evidence[] {
  const from = Math.max(known.life.created - SECOND_MS, known.endedAt - CLOCK_SLACK_MS);
  const to = latestEnd(known) + CLOCK_SLACK_MS;
  return ofKind(known.pod, 'audited').filter(
    (one) => DELETIONS.has(one.reason) && !isFinisher(one.by) && isBetween(one, from, to),
  );
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
  return by === '' || by.startsWith('system:node:') || FINISHERS.has(by.slice(CONTROLLER.length));
}
