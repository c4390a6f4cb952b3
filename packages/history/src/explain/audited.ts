// What the audit log says of the end: whose request was the first. The author of the last DELETE is the finisher, usually
// the pod's own kubelet, and never the cause.
import type { Evidence } from '../model/evidence.ts';
import type { Case } from './case.ts';
import { CLOCK_SLACK_MS, MINUTE_MS, ofKind } from './traces.ts';

const DELETIONS = new Set(['delete', 'evict', 'deletecollection', 'delete-collection']);
const CONTROLLER = 'system:serviceaccount:kube-system:';

/** Those only finish what others began. */
const FINISHERS = new Set(['pod-garbage-collector']);

/** The first request to delete or evict the pod, by whomever; undefined where no audit log has one. */
export function firstDeletion({ pod, endedAt }: Case): Evidence | undefined {
  return ofKind(pod, 'audited').find(
    ({ reason, by, at }) =>
      DELETIONS.has(reason) && !isFinisher(by) && Math.abs(at - endedAt) <= MINUTE_MS + CLOCK_SLACK_MS,
  );
}

/** The controller whose request it was: `replicaset-controller`; undefined for anybody else. */
export function controllerOf({ by }: Evidence): string | undefined {
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
