// The resources that are there without a CustomResourceDefinition.
import { textAt, valueAt } from './json-object.ts';
import type { FieldGetter, ResourceType, Subresource } from './resource-type.ts';
import {
  configMapRules,
  disruptionBudgetRules,
  eventRules,
  leaseRules,
  namespaceRules,
  nodeRules,
  serviceRules,
} from './rules/cluster-rules.ts';
import { definitionRules } from './rules/definition-rules.ts';
import { podRules } from './rules/pod-rules.ts';
import { PLAIN_RULES, type ResourceRules } from './rules/resource-rules.ts';
import {
  daemonSetRules,
  deploymentRules,
  jobRules,
  replicaSetRules,
  statefulSetRules,
} from './rules/workload-rules.ts';

type Fields = Readonly<Record<string, FieldGetter | undefined>>;

interface Row {
  readonly plural: string;
  readonly kind: string;
  readonly group?: string;
  readonly clusterWide?: true;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly Subresource[];
  readonly rules?: ResourceRules;
  readonly fields?: Fields;
}

const POD_FIELDS: Fields = paths([
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'status.phase',
  'status.podIP',
  'status.nominatedNodeName',
]);

const EVENT_FIELDS: Fields = {
  ...paths([
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'type',
  ]),
  source: (event) => textAt(event, 'source', 'component') || textAt(event, 'reportingComponent'),
};

const ROWS: readonly Row[] = [
  {
    plural: 'namespaces',
    kind: 'Namespace',
    clusterWide: true,
    shortNames: ['ns'],
    subresources: ['status', 'finalize'],
    rules: namespaceRules,
    fields: paths(['status.phase']),
  },
  {
    plural: 'nodes',
    kind: 'Node',
    clusterWide: true,
    shortNames: ['no'],
    subresources: ['status'],
    rules: nodeRules,
    fields: {
      'spec.unschedulable': (node) => String(valueAt(node, 'spec', 'unschedulable') === true),
    },
  },
  {
    plural: 'pods',
    kind: 'Pod',
    shortNames: ['po'],
    categories: ['all'],
    subresources: ['status', 'binding', 'eviction', 'log'],
    rules: podRules,
    fields: {
      ...POD_FIELDS,
      'spec.hostNetwork': (pod) => String(valueAt(pod, 'spec', 'hostNetwork') === true),
    },
  },
  {
    plural: 'services',
    kind: 'Service',
    shortNames: ['svc'],
    categories: ['all'],
    subresources: ['status'],
    rules: serviceRules,
    fields: paths(['spec.clusterIP', 'spec.type']),
  },
  { plural: 'configmaps', kind: 'ConfigMap', shortNames: ['cm'], rules: configMapRules },
  { plural: 'events', kind: 'Event', shortNames: ['ev'], rules: eventRules, fields: EVENT_FIELDS },
  // A view on the events of the core group: see server/event-view.ts. Nothing is stored under this name.
  { plural: 'events', kind: 'Event', group: 'events.k8s.io', shortNames: ['ev'] },
  { plural: 'leases', kind: 'Lease', group: 'coordination.k8s.io', rules: leaseRules },
  {
    plural: 'deployments',
    kind: 'Deployment',
    group: 'apps',
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: ['status', 'scale'],
    rules: deploymentRules,
  },
  {
    plural: 'replicasets',
    kind: 'ReplicaSet',
    group: 'apps',
    shortNames: ['rs'],
    categories: ['all'],
    subresources: ['status', 'scale'],
    rules: replicaSetRules,
    fields: paths(['status.replicas']),
  },
  {
    plural: 'statefulsets',
    kind: 'StatefulSet',
    group: 'apps',
    shortNames: ['sts'],
    categories: ['all'],
    subresources: ['status', 'scale'],
    rules: statefulSetRules,
  },
  {
    plural: 'daemonsets',
    kind: 'DaemonSet',
    group: 'apps',
    shortNames: ['ds'],
    categories: ['all'],
    subresources: ['status'],
    rules: daemonSetRules,
  },
  {
    plural: 'jobs',
    kind: 'Job',
    group: 'batch',
    categories: ['all'],
    subresources: ['status'],
    rules: jobRules,
    fields: paths(['status.successful']),
  },
  // No controller of the sandbox makes Jobs of them: they can be stored and watched.
  { plural: 'cronjobs', kind: 'CronJob', group: 'batch', shortNames: ['cj'], categories: ['all'] },
  {
    plural: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    group: 'policy',
    shortNames: ['pdb'],
    subresources: ['status'],
    rules: disruptionBudgetRules,
  },
  {
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    group: 'apiextensions.k8s.io',
    clusterWide: true,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: ['status'],
    rules: definitionRules,
  },
];

export function builtInResources(): ResourceType[] {
  return ROWS.map((row) => ({
    group: row.group ?? '',
    versions: ['v1'],
    storageVersion: 'v1',
    plural: row.plural,
    singular: row.kind.toLowerCase(),
    kind: row.kind,
    listKind: `${row.kind}List`,
    namespaced: row.clusterWide !== true,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    subresources: row.subresources ?? [],
    rules: row.rules ?? PLAIN_RULES,
    custom: false,
    selectableFields: {
      'metadata.name': undefined,
      ...(row.clusterWide === true ? {} : { 'metadata.namespace': undefined }),
      ...row.fields,
    },
  }));
}

function paths(names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
