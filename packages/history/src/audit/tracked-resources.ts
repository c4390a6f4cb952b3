// Which objects a request must be about for the log's line to matter: pods, and what makes pods come and go. Everything
// else in an audit log is skipped.

/** Their kinds, by group and resource. */
const KINDS: Readonly<Record<string, string>> = {
  '/pods': 'Pod',
  '/bindings': 'Pod',
  '/nodes': 'Node',
  '/namespaces': 'Namespace',
  '/replicationcontrollers': 'ReplicationController',
  'apps/deployments': 'Deployment',
  'apps/replicasets': 'ReplicaSet',
  'apps/statefulsets': 'StatefulSet',
  'apps/daemonsets': 'DaemonSet',
  'batch/jobs': 'Job',
  'batch/cronjobs': 'CronJob',
};

/** The resources alone, as they stand in a line. */
export const TRACKED_RESOURCES: readonly string[] = [
  ...new Set(Object.keys(KINDS).map((key) => key.slice(key.indexOf('/') + 1))),
];

/** Undefined: not tracked. */
export function trackedKind(apiGroup: string, resource: string): string | undefined {
  const key = `${apiGroup}/${resource}`;
  return Object.hasOwn(KINDS, key) ? KINDS[key] : undefined;
}
