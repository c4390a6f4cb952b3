// The columns that `kubectl get` prints, by resource: the server decides them, not the client. Priority 1 is shown
// with `-o wide` only.
import type { KubeObject } from '../../api/cluster-api.ts';
import { arrayAt, numberAt, objectAt, textAt, valueAt } from '../../api/json-object.ts';
import type { ResourceType } from '../../api/resource-type.ts';
import { typeKey } from '../../api/resource-type.ts';
import { selectorOfObject } from '../../api/selectors/label-selector.ts';
import { age, humanDuration } from './human-duration.ts';
import { jsonPathValue } from './json-path.ts';
import { podReady, podRestarts, podStatus } from './pod-cells.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
  /** `now` in milliseconds, for ages. */
  readonly cell: (object: KubeObject, now: number) => unknown;
}

const NONE = '<none>';

export function tableColumns(type: ResourceType, version: string): readonly Column[] {
  if (type.custom) return customColumns(type, version);
  return BUILT_IN[typeKey(type)] ?? [NAME, { ...column('Created At', createdAt), type: 'date' }];
}

function column(name: string, cell: Column['cell'], priority = 0, type = 'string'): Column {
  return { name, type, format: '', priority, cell };
}

function integer(name: string, ...path: readonly string[]): Column {
  return column(name, (object) => numberAt(object, ...path) ?? 0, 0, 'integer');
}

const NAME: Column = { ...column('Name', (object) => object.metadata.name), format: 'name' };
const AGE = column('Age', (object, now) => age(object.metadata.creationTimestamp, now));
const createdAt = (object: KubeObject) => object.metadata.creationTimestamp;

const CONTAINERS = column('Containers', (object) => containers(object, 'name'), 1);
const IMAGES = column('Images', (object) => containers(object, 'image'), 1);
const SELECTOR = column('Selector', (object) => selectorOfObject(objectAt(object, 'spec', 'selector')).text || NONE, 1);

const BUILT_IN: Readonly<Record<string, readonly Column[]>> = {
  namespaces: [NAME, column('Status', (object) => textAt(object, 'status', 'phase')), AGE],
  nodes: [
    NAME,
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    AGE,
    column('Version', (node) => textAt(node, 'status', 'nodeInfo', 'kubeletVersion')),
    column('Internal-IP', (node) => nodeAddress(node, 'InternalIP'), 1),
    column('External-IP', (node) => nodeAddress(node, 'ExternalIP'), 1),
    column('OS-Image', (node) => textAt(node, 'status', 'nodeInfo', 'osImage') || '<unknown>', 1),
    column('Kernel-Version', kernelVersion, 1),
    column('Container-Runtime', (node) => nodeInfo(node, 'containerRuntimeVersion'), 1),
  ],
  pods: [
    NAME,
    column('Ready', podReady),
    column('Status', podStatus),
    column('Restarts', podRestarts),
    AGE,
    column('IP', (pod) => textAt(pod, 'status', 'podIP') || NONE, 1),
    column('Node', (pod) => textAt(pod, 'spec', 'nodeName') || NONE, 1),
    column('Nominated Node', (pod) => textAt(pod, 'status', 'nominatedNodeName') || NONE, 1),
    column('Readiness Gates', readinessGates, 1),
  ],
  services: [
    NAME,
    column('Type', (service) => textAt(service, 'spec', 'type')),
    column('Cluster-IP', (service) => textAt(service, 'spec', 'clusterIP') || NONE),
    column('External-IP', externalAddress),
    column('Port(s)', servicePorts),
    AGE,
    column('Selector', (service) => labelsText(objectAt(service, 'spec', 'selector')), 1),
  ],
  configmaps: [NAME, column('Data', dataCount), AGE],
  events: [
    column('Last Seen', (event, now) => eventAge(event, now, 'lastTimestamp')),
    column('Type', (event) => textAt(event, 'type')),
    column('Reason', (event) => textAt(event, 'reason')),
    column(
      'Object',
      (event) => `${textAt(event, 'involvedObject', 'kind').toLowerCase()}/${textAt(event, 'involvedObject', 'name')}`,
    ),
    column('Subobject', (event) => textAt(event, 'involvedObject', 'fieldPath'), 1),
    column('Source', eventSource, 1),
    column('Message', (event) => textAt(event, 'message').trim()),
    column('First Seen', (event, now) => eventAge(event, now, 'firstTimestamp'), 1),
    column('Count', (event) => numberAt(event, 'count') ?? 1, 1),
    { ...NAME, priority: 1 },
  ],
  'leases.coordination.k8s.io': [NAME, column('Holder', (lease) => textAt(lease, 'spec', 'holderIdentity')), AGE],
  'deployments.apps': [
    NAME,
    column('Ready', readyOfReplicas),
    column('Up-to-date', (object) => numberAt(object, 'status', 'updatedReplicas') ?? 0),
    column('Available', (object) => numberAt(object, 'status', 'availableReplicas') ?? 0),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  'replicasets.apps': [
    NAME,
    integer('Desired', 'spec', 'replicas'),
    integer('Current', 'status', 'replicas'),
    integer('Ready', 'status', 'readyReplicas'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  'statefulsets.apps': [NAME, column('Ready', readyOfReplicas), AGE, CONTAINERS, IMAGES],
  'daemonsets.apps': [
    NAME,
    integer('Desired', 'status', 'desiredNumberScheduled'),
    integer('Current', 'status', 'currentNumberScheduled'),
    integer('Ready', 'status', 'numberReady'),
    integer('Up-to-date', 'status', 'updatedNumberScheduled'),
    integer('Available', 'status', 'numberAvailable'),
    column('Node Selector', (object) => labelsText(objectAt(object, 'spec', 'template', 'spec', 'nodeSelector'))),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  'jobs.batch': [
    NAME,
    column('Status', jobStatus),
    column('Completions', jobCompletions),
    column('Duration', jobDuration),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  'poddisruptionbudgets.policy': [
    NAME,
    column('Min Available', (object) => amount(object, 'minAvailable')),
    column('Max Unavailable', (object) => amount(object, 'maxUnavailable')),
    integer('Allowed Disruptions', 'status', 'disruptionsAllowed'),
    AGE,
  ],
};

function customColumns(type: ResourceType, version: string): readonly Column[] {
  const asked = type.printerColumns?.[version] ?? [];
  if (asked.length === 0) return [NAME, { ...AGE, type: 'date' }];
  return [
    NAME,
    ...asked.map(({ name, type, format = '', priority = 0, jsonPath }): Column => {
      const cell = (object: KubeObject, now: number) => customCell(type, jsonPathValue(object, jsonPath), now);
      return { name, type, format, priority, cell };
    }),
  ];
}

function customCell(type: string, value: unknown, now: number): unknown {
  if (value === undefined) return null;
  if (type === 'date') return age(String(value), now);
  if (type === 'integer' || type === 'number') return typeof value === 'number' ? value : null;
  if (type === 'boolean') return value === true;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function containers(object: KubeObject, field: string): string {
  return arrayAt(object, 'spec', 'template', 'spec', 'containers')
    .map((container) => textAt(container, field))
    .join(',');
}

function labelsText(labels: Readonly<Record<string, unknown>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? NONE : pairs.sort().join(',');
}

function nodeStatus(node: KubeObject): string {
  const ready = arrayAt(node, 'status', 'conditions').find((one) => textAt(one, 'type') === 'Ready');
  const state = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return valueAt(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

function nodeRoles(node: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = new Set<string>();
  for (const [label, value] of Object.entries(node.metadata.labels ?? {})) {
    if (label.startsWith(prefix) && label.length > prefix.length) roles.add(label.slice(prefix.length));
    else if (label === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return roles.size === 0 ? NONE : [...roles].sort().join(',');
}

function nodeAddress(node: KubeObject, type: string): string {
  const address = arrayAt(node, 'status', 'addresses').find((one) => textAt(one, 'type') === type);
  return textAt(address, 'address') || NONE;
}

function nodeInfo(node: KubeObject, field: string): string {
  return textAt(node, 'status', 'nodeInfo', field) || '<unknown>';
}

function kernelVersion(node: KubeObject): string {
  const kernel = textAt(node, 'status', 'nodeInfo', 'kernelVersion');
  const architecture = textAt(node, 'status', 'nodeInfo', 'architecture');
  if (kernel === '') return '<unknown>';
  return architecture === '' ? kernel : `${kernel} (${architecture})`;
}

function readinessGates(pod: KubeObject): string {
  const gates = arrayAt(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return NONE;
  const conditions = arrayAt(pod, 'status', 'conditions');
  const met = gates.filter((gate) =>
    conditions.some((one) => textAt(one, 'type') === textAt(gate, 'conditionType') && textAt(one, 'status') === 'True'),
  );
  return `${met.length}/${gates.length}`;
}

function externalAddress(service: KubeObject): string {
  const outside = arrayAt(service, 'spec', 'externalIPs').map(String);
  switch (textAt(service, 'spec', 'type')) {
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName');
    case 'LoadBalancer': {
      const given = arrayAt(service, 'status', 'loadBalancer', 'ingress').map(
        (one) => textAt(one, 'ip') || textAt(one, 'hostname'),
      );
      return [...given, ...outside].join(',') || '<pending>';
    }
    default:
      return outside.join(',') || NONE;
  }
}

function servicePorts(service: KubeObject): string {
  const ports = arrayAt(service, 'spec', 'ports').map((port) => {
    const node = numberAt(port, 'nodePort');
    return `${numberAt(port, 'port')}${node ? `:${node}` : ''}/${textAt(port, 'protocol') || 'TCP'}`;
  });
  return ports.join(',') || NONE;
}

function dataCount(map: KubeObject): number {
  return Object.keys({ ...objectAt(map, 'data'), ...objectAt(map, 'binaryData') }).length;
}

function eventAge(event: KubeObject, now: number, field: string): string {
  const series = field === 'lastTimestamp' ? textAt(event, 'series', 'lastObservedTime') : '';
  return age(series || textAt(event, field) || textAt(event, 'eventTime') || event.metadata.creationTimestamp, now);
}

function eventSource(event: KubeObject): string {
  const component = textAt(event, 'source', 'component') || textAt(event, 'reportingComponent');
  const host = textAt(event, 'source', 'host') || textAt(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
}

function readyOfReplicas(object: KubeObject): string {
  return `${numberAt(object, 'status', 'readyReplicas') ?? 0}/${numberAt(object, 'spec', 'replicas') ?? 0}`;
}

function jobStatus(job: KubeObject): string {
  const has = (type: string) =>
    arrayAt(job, 'status', 'conditions').some(
      (one) => textAt(one, 'type') === type && textAt(one, 'status') === 'True',
    );
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  return has('FailureTarget') ? 'FailureTarget' : has('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function jobCompletions(job: KubeObject): string {
  const done = numberAt(job, 'status', 'succeeded') ?? 0;
  const wanted = numberAt(job, 'spec', 'completions');
  if (wanted !== undefined) return `${done}/${wanted}`;
  const parallel = numberAt(job, 'spec', 'parallelism') ?? 1;
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`;
}

function jobDuration(job: KubeObject, now: number): string {
  const start = Date.parse(textAt(job, 'status', 'startTime'));
  if (Number.isNaN(start)) return '';
  const end = Date.parse(textAt(job, 'status', 'completionTime'));
  return humanDuration((Number.isNaN(end) ? now : end) - start);
}

function amount(budget: KubeObject, field: string): string {
  const value = valueAt(budget, 'spec', field);
  return value === undefined ? 'N/A' : String(value);
}
