// Which lines of a run of the stage belong to which case: requests that the stage sent, by their Audit-IDs, and those of
// controllers and kubectl, by what they are. Used by make.ts and audit.test.ts.
import type { AuditStage } from './stage.ts';

export interface CaseLine {
  readonly case: string;
  readonly event: Event;
}

interface Event {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username?: string };
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly namespace?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: { readonly spec?: { readonly unschedulable?: unknown; readonly taints?: unknown } };
}

const CONTROLLER = 'system:serviceaccount:kube-system:';
const by = (user: string, verb: string, what: string) => (event: Event) =>
  event.user.username === user &&
  event.verb === verb &&
  [event.objectRef?.resource, event.objectRef?.subresource].filter(Boolean).join('/') === what;

/** The first answered request of a run that is so. */
const OTHERS: Readonly<Record<string, (event: Event) => boolean>> = {
  'replicaset-creates': by(`${CONTROLLER}replicaset-controller`, 'create', 'pods'),
  'replicaset-scales-down': by(`${CONTROLLER}replicaset-controller`, 'delete', 'pods'),
  'scheduler-binds': by('system:kube-scheduler', 'create', 'pods/binding'),
  'kubelet-writes-status': by('kwok', 'patch', 'pods/status'),
  'kubelet-deletes': by('kwok', 'delete', 'pods'),
  'person-creates-deployment': by('jane', 'create', 'deployments'),
  'person-scales': by('jane', 'patch', 'deployments/scale'),
  'person-restarts': by('jane', 'patch', 'deployments'),
  'person-deletes-deployment': by('jane', 'delete', 'deployments'),
  'drain-cordons': (event) => by('admin', 'patch', 'nodes')(event) && event.requestObject?.spec?.unschedulable === true,
  'drain-evicts': (event) => by('admin', 'create', 'pods/eviction')(event),
  uncordon: (event) => by('admin', 'patch', 'nodes')(event) && event.requestObject?.spec?.unschedulable === null,
  taint: (event) => by('admin', 'patch', 'nodes')(event) && Array.isArray(event.requestObject?.spec?.taints),
  'taint-deletes': by(`${CONTROLLER}node-controller`, 'delete', 'pods'),
  'taint-writes-condition': by(`${CONTROLLER}node-controller`, 'patch', 'pods/status'),
  'collector-deletes-replicaset': by(`${CONTROLLER}generic-garbage-collector`, 'delete', 'replicasets'),
  'collector-deletes-pod': by(`${CONTROLLER}generic-garbage-collector`, 'delete', 'pods'),
  'namespace-deletes-pods': by(`${CONTROLLER}namespace-controller`, 'deletecollection', 'pods'),
  'delete-node': by('admin', 'delete', 'nodes'),
};

export function caseLines({ provoked }: AuditStage, lines: readonly string[]): CaseLine[] {
  const events = lines.map((line) => JSON.parse(line) as Event);
  const sent = new Set(provoked.map(({ auditID }) => auditID));
  const found = provoked.flatMap(({ name, auditID, uri }) =>
    events
      .filter((event) => event.auditID === auditID && event.requestURI === uri)
      .map((event) => ({ case: name, event })),
  );
  for (const [name, isIt] of Object.entries(OTHERS)) {
    const event = events.find(
      (candidate) =>
        candidate.stage === 'ResponseComplete' &&
        !sent.has(candidate.auditID) &&
        candidate.responseStatus?.code !== 404 &&
        isIt(candidate),
    );
    if (event === undefined) throw new Error(`The run has no request for the case ${name}.`);
    found.push({ case: name, event });
  }
  return found;
}
