// The CustomResourceDefinitions as they are applied to a cluster: written to deploy/crds/ by scripts/generate-crds.ts,
// compared with what is there by the test beside this file.
import type { GroupVersionResource } from '@podtrail/machinery';
import { podTracker } from './podtracker.ts';
import { podTrackerSlice } from './podtracker-slice.ts';
import { podTrackerV1alpha1 } from './podtracker-v1alpha1.ts';
import type { JsonSchema, Schema } from './schema.ts';

export const GROUP = 'podtrail.dev';
export const PODTRACKERS: GroupVersionResource = { group: GROUP, version: 'v1', resource: 'podtrackers' };
export const PODTRACKER_SLICES: GroupVersionResource = { group: GROUP, version: 'v1', resource: 'podtrackerslices' };

/** On everything that belongs to a tracker: its value is the tracker's name. */
export const TRACKER_LABEL = 'podtrail.dev/tracker';
/** On a slice: what it lists, "pods" or "nodes". */
export const HOLDS_LABEL = 'podtrail.dev/holds';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** Above 0: only with -o wide. */
  readonly priority?: number;
}

const condition = (type: string, field: string) => `.status.conditions[?(@.type=="${type}")].${field}`;

const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since it was created.',
};

const TRACKER_COLUMNS: readonly PrinterColumn[] = [
  {
    name: 'Ready',
    type: 'string',
    jsonPath: condition('Ready', 'status'),
    description: 'Whether every selected pod that has an address and has not ended is listed.',
  },
  { name: 'Pods', type: 'integer', jsonPath: '.status.counts.pods', description: 'Pods that are listed.' },
  { name: 'Nodes', type: 'integer', jsonPath: '.status.counts.nodes', description: 'Nodes on which they run.' },
  { name: 'Slices', type: 'integer', jsonPath: '.status.counts.slices', description: 'Slices that list them.' },
  AGE,
  {
    name: 'Reason',
    type: 'string',
    jsonPath: condition('Ready', 'reason'),
    description: 'Why it is ready or not.',
    priority: 1,
  },
  {
    name: 'Message',
    type: 'string',
    jsonPath: condition('Ready', 'message'),
    description: 'The same as a sentence.',
    priority: 1,
  },
  {
    name: 'Problem',
    type: 'string',
    jsonPath: condition('Degraded', 'message'),
    description: 'What is wrong, if something is: with what is listed, or with the hourly ConfigMaps.',
    priority: 1,
  },
];

const TRACKER_COLUMNS_V1ALPHA1: readonly PrinterColumn[] = [
  {
    name: 'Namespace',
    type: 'string',
    jsonPath: '.spec.namespace',
    description: 'The namespace whose pods are tracked, if it is one.',
  },
  {
    name: 'Changed',
    type: 'date',
    jsonPath: '.status.lastUpdateTime',
    description: 'Time since it last became ready, degraded or sliced, or ceased to be.',
  },
  AGE,
  {
    name: 'Slices',
    type: 'string',
    jsonPath: '.metadata.annotations.podtrail\\.dev/slices',
    description: 'The label selector of the slices that list the pods, if they are in slices.',
    priority: 1,
  },
];

const SLICE_COLUMNS: readonly PrinterColumn[] = [
  {
    name: 'Tracker',
    type: 'string',
    jsonPath: '.metadata.labels.podtrail\\.dev/tracker',
    description: 'The PodTracker it belongs to.',
  },
  {
    name: 'Holds',
    type: 'string',
    jsonPath: '.metadata.labels.podtrail\\.dev/holds',
    description: 'Whether it lists pods or nodes.',
  },
  AGE,
];

interface Version {
  readonly name: string;
  readonly schema: Schema<unknown>;
  readonly served: boolean;
  readonly storage: boolean;
  readonly status: boolean;
  readonly columns: readonly PrinterColumn[];
}

function version({ name, schema, served, storage, status, columns }: Version) {
  return {
    name,
    served,
    storage,
    additionalPrinterColumns: columns,
    ...(status ? { subresources: { status: {} } } : {}),
    schema: { openAPIV3Schema: withTypeMeta(schema.json) },
  };
}

/** The fields that every object has, described so that `kubectl explain` says something about them too. */
function withTypeMeta(json: JsonSchema): JsonSchema {
  return {
    ...json,
    properties: {
      apiVersion: { type: 'string', description: 'The group and version of this shape, such as "podtrail.dev/v1".' },
      kind: { type: 'string', description: 'What this object is.' },
      // The server describes this one itself, and refuses any words of ours.
      metadata: { type: 'object' },
      ...json.properties,
    },
  };
}

interface Names {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
}

function definition({ kind, plural, shortName }: Names, versions: readonly ReturnType<typeof version>[]) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${GROUP}`,
      labels: { 'app.kubernetes.io/name': 'podtrail', 'app.kubernetes.io/component': 'crds' },
    },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: ['podtrail'],
      },
      // No `conversion`, which means None: v1 must never depend on a webhook. The operator sets one once its endpoint
      // answers; if None were written here, applying this file again would be refused then.
      versions,
    },
  };
}

export type CustomResourceDefinition = ReturnType<typeof definition>;

export const PODTRACKER_DEFINITION: CustomResourceDefinition = definition(
  { kind: 'PodTracker', plural: 'podtrackers', shortName: 'pt' },
  [
    version({ name: 'v1', schema: podTracker, served: true, storage: true, status: true, columns: TRACKER_COLUMNS }),
    version({
      name: 'v1alpha1',
      schema: podTrackerV1alpha1,
      served: false,
      storage: false,
      status: true,
      columns: TRACKER_COLUMNS_V1ALPHA1,
    }),
  ],
);

export const PODTRACKER_SLICE_DEFINITION: CustomResourceDefinition = definition(
  { kind: 'PodTrackerSlice', plural: 'podtrackerslices', shortName: 'pts' },
  [
    version({
      name: 'v1',
      schema: podTrackerSlice,
      served: true,
      storage: true,
      status: false,
      columns: SLICE_COLUMNS,
    }),
  ],
);
