// PodTracker from v1 to v1alpha1 and back, without loss in either direction: what only one version can say travels in
// an annotation of the other. Pure: no clock, no cluster, the same answer for the same object.
import type { ObjectMeta } from '@podtrail/machinery';
import { firstFault } from '../crds/first-fault.ts';
import { TRACKER_LABEL } from '../crds/manifests.ts';
import { type PodTracker, type PodTrackerSpec, type PodTrackerStatus, podTracker } from '../crds/podtracker.ts';
import {
  type NodeInfo,
  type PodInfo,
  type PodTrackerV1alpha1,
  podTrackerV1alpha1,
} from '../crds/podtracker-v1alpha1.ts';
import type { JsonSchema } from '../crds/schema.ts';
import type { NodeEntry, PodEntry } from '../crds/tracked-entries.ts';
import { OperatorError } from '../errors.ts';
import { mergeDiff } from '../podtracker/merge-diff.ts';
import { applyMerge, type Fields, fingerprint, isFields } from './residue.ts';

/** On v1alpha1: what v1 says besides. */
export const V1_ANNOTATION = 'podtrail.dev/v1';
/** On v1: what was written as v1alpha1 and has no place in v1. Counts only until v1 changes. */
const V1ALPHA1_ANNOTATION = 'podtrail.dev/v1alpha1';
/** On v1alpha1, when the pods are in slices: the label selector that finds them. */
export const SLICES_ANNOTATION = 'podtrail.dev/slices';

/** Go's zero time, which is what the first controllers wrote for a time that they did not have. */
const NO_TIME = '0001-01-01T00:00:00Z';

interface V1Residue {
  /** UIDs in the order of status.podIPs. */
  readonly uids?: readonly string[];
  /** spec.namespace as it was shown: when somebody writes another one, that is meant. */
  readonly namespace: string | null;
  readonly diff?: Fields;
}

interface V1alpha1Residue {
  /** Of the v1 content that it belongs to. */
  readonly of: string;
  readonly diff: Fields;
}

/** spec and status, the part of an object that conversion is about. */
interface Content<S, T> {
  readonly spec: S;
  readonly status?: T;
}

type V1 = Content<PodTrackerSpec, PodTrackerStatus>;
type V1alpha1 = Content<PodTrackerV1alpha1['spec'], NonNullable<PodTrackerV1alpha1['status']>>;

/** Never refuses: what is stored must stay readable, whatever it is. */
export function toV1alpha1(tracker: PodTracker): PodTrackerV1alpha1 {
  const v1 = contentOf<V1>(tracker);
  const { metadata } = tracker;
  const shown = show(v1, metadata);
  const uids = inOrder(readable(v1)?.pods).map(([uid]) => uid);
  const diff = mergeDiff(asFields(upgrade(shown, uids)), asFields(v1));
  const residue: V1Residue = {
    ...(uids.length === 0 ? {} : { uids }),
    namespace: shown.spec.namespace ?? null,
    ...(diff === undefined ? {} : { diff }),
  };
  const sliced = (readable(v1)?.counts?.slices ?? 0) > 0;
  return {
    ...tracker,
    apiVersion: 'podtrail.dev/v1alpha1',
    metadata: withAnnotations(metadata, {
      [V1ALPHA1_ANNOTATION]: undefined,
      [V1_ANNOTATION]: JSON.stringify(residue),
      [SLICES_ANNOTATION]: sliced ? `${TRACKER_LABEL}=${metadata.name}` : undefined,
    }),
    ...withoutStatus(shown),
  };
}

/**
 * Invariant: a spec that v1 would refuse is not made here either. The server checks what is written as v1alpha1 by the
 * schema of that, and what conversion makes of it by none.
 */
export function toV1(tracker: PodTrackerV1alpha1): PodTracker {
  const v1alpha1 = contentOf<V1alpha1>(tracker);
  const { metadata } = tracker;
  const residue = readResidue(metadata);
  const v1 = restore(v1alpha1, residue);
  const fault = firstFault(partOf(podTracker.json, 'spec'), v1.spec, 'spec');
  if (fault !== undefined) {
    const source = residue === undefined ? '' : `with what its annotation ${V1_ANNOTATION} says, `;
    throw new OperatorError('spec-not-valid', `${metadata.name ?? 'a PodTracker'} cannot be v1: ${source}${fault}`, {
      hint: `write the tracker as podtrail.dev/v1, or leave the annotation ${V1_ANNOTATION} as it was read`,
    });
  }
  const lost = mergeDiff(asFields(downgrade(v1, metadata)), asFields(v1alpha1));
  const written: V1alpha1Residue | undefined = lost === undefined ? undefined : { of: fingerprint(v1), diff: lost };
  return {
    ...tracker,
    apiVersion: 'podtrail.dev/v1',
    metadata: withAnnotations(metadata, {
      [V1_ANNOTATION]: undefined,
      [SLICES_ANNOTATION]: undefined,
      [V1ALPHA1_ANNOTATION]: written === undefined ? undefined : JSON.stringify(written),
    }),
    ...withoutStatus(v1),
  };
}

/** What was written as v1alpha1, as long as it belongs to this content and is v1alpha1 at all. */
function show(v1: V1, metadata: ObjectMeta): V1alpha1 {
  const plain = downgrade({ ...v1, status: readable(v1) } as V1, metadata);
  const written = readAnnotation<V1alpha1Residue>(metadata, V1ALPHA1_ANNOTATION);
  if (written === undefined || written.of !== fingerprint(v1)) return plain;
  const shown = applyMerge(plain, written.diff);
  return firstFault({ ...podTrackerV1alpha1.json, ...CONTENT }, shown, 'it') === undefined
    ? (shown as V1alpha1)
    : plain;
}

/** With what only v1 knows. Its status is made again by the next pass: one that is none counts for nothing. */
function restore(v1alpha1: V1alpha1, residue: V1Residue | undefined): V1 {
  const plain = upgrade(v1alpha1, residue?.uids ?? []);
  const merged = applyMerge(asFields(plain), meant(residue ?? {}, v1alpha1)) as Partial<V1>;
  const { spec = {} } = merged;
  const { status } = merged.status === undefined || readable(merged) !== undefined ? merged : plain;
  return status === undefined ? { spec } : { spec, status };
}

/** The status, if it is what v1 says a status is. */
function readable({ status }: Partial<V1>): PodTrackerStatus | undefined {
  if (status === undefined) return undefined;
  return firstFault(partOf(podTracker.json, 'status'), status, 'status') === undefined ? status : undefined;
}

/** The object as a whole, without what is said of its metadata. */
const CONTENT = { required: ['spec'], 'x-kubernetes-validations': [] } as const;

function partOf({ properties }: JsonSchema, name: 'spec' | 'status'): JsonSchema {
  return properties?.[name] as JsonSchema;
}

/** A namespace that v1alpha1 says, or says no longer, outweighs the namespaces that v1 had. */
function meant({ namespace = null, diff = {} }: Partial<V1Residue>, { spec }: V1alpha1): Fields {
  const { spec: known, ...status } = diff;
  if (!isFields(known)) return status;
  const isAsShown = namespace === (spec.namespace ?? null) && (namespace ?? '') === '';
  if (isAsShown) return diff;
  const { namespaces: _outdated, ...others } = known;
  return { ...status, spec: others };
}

/** Parts that are of another shape than we write count as absent. */
function readResidue(metadata: ObjectMeta): V1Residue | undefined {
  const residue = readAnnotation<Partial<Record<keyof V1Residue, unknown>>>(metadata, V1_ANNOTATION);
  if (residue === undefined) return undefined;
  const { uids, namespace, diff } = residue;
  return {
    ...(Array.isArray(uids) && uids.every((uid) => typeof uid === 'string') ? { uids } : {}),
    namespace: typeof namespace === 'string' ? namespace : null,
    ...(isFields(diff) ? { diff } : {}),
  };
}

function downgrade({ spec, status }: V1, metadata: ObjectMeta): V1alpha1 {
  const [namespace, ...others] = Array.isArray(spec.namespaces) ? spec.namespaces : [];
  const one = typeof namespace === 'string' && others.length === 0 ? { namespace } : {};
  if (status === undefined) return { spec: one };
  const podIPs = inOrder(status.pods).map(([, pod]) => podInfo(pod));
  const times = (status.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime).sort();
  const lastUpdateTime = times.at(-1) ?? metadata.creationTimestamp ?? NO_TIME;
  // Looked up, not searched for: what somebody else wrote may have any number of both.
  const onNode = Map.groupBy(podIPs, ({ nodeName }) => nodeName);
  const nodeInfo = inOrder(status.nodes).map(([name, node]) => {
    return nodeInfoOf(name, node, onNode.get(name) ?? [], lastUpdateTime);
  });
  return { spec: one, status: { podIPs, nodeInfo, lastUpdateTime } };
}

/** By key: a map has no order of its own, and the list that it becomes must always be the same. */
function inOrder<T>(entries: Readonly<Record<string, T>> = {}): [key: string, entry: T][] {
  return Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1));
}

function podInfo({ podName, namespace, ip, nodeName, creationTimestamp, phase }: PodEntry): PodInfo {
  return {
    podName,
    namespace,
    ip,
    nodeName: nodeName ?? '',
    creationTimestamp: creationTimestamp ?? NO_TIME,
    phase: phase ?? '',
  };
}

function nodeInfoOf(nodeName: string, node: NodeEntry, pods: readonly PodInfo[], lastUpdateTime: string): NodeInfo {
  return {
    nodeName,
    nodeIP: node.nodeIP ?? '',
    podIPs: [...pods],
    resources: {
      cpuCapacity: node.capacity?.['cpu'] ?? '',
      memoryCapacity: node.capacity?.['memory'] ?? '',
      cpuAllocatable: node.allocatable?.['cpu'] ?? '',
      memoryAllocatable: node.allocatable?.['memory'] ?? '',
    },
    lastUpdateTime,
  };
}

/** Without UIDs (somebody wrote a status as v1alpha1) pods are keyed by their names; the next pass puts that right. */
function upgrade({ spec, status }: V1alpha1, uids: readonly string[]): V1 {
  const namespaces = spec.namespace === undefined || spec.namespace === '' ? {} : { namespaces: [spec.namespace] };
  if (status === undefined) return { spec: namespaces };
  const { podIPs = [], nodeInfo = [] } = status;
  const known = uids.length === podIPs.length;
  const pods = podIPs.map((pod, i): [string, PodEntry] => {
    const { podName, namespace, ip, nodeName, creationTimestamp, phase } = pod;
    const key = (known ? uids[i] : undefined) ?? `${namespace}/${podName}`;
    return [key, { podName, namespace, ip, ips: [ip], nodeName, creationTimestamp, phase }];
  });
  const nodes = nodeInfo.map(({ nodeName, nodeIP, resources }): [string, NodeEntry] => [
    nodeName,
    {
      nodeIP,
      capacity: { cpu: resources?.cpuCapacity ?? '', memory: resources?.memoryCapacity ?? '' },
      allocatable: { cpu: resources?.cpuAllocatable ?? '', memory: resources?.memoryAllocatable ?? '' },
    },
  ]);
  return {
    spec: namespaces,
    status: {
      ...(pods.length === 0 ? {} : { pods: Object.fromEntries(pods) }),
      ...(nodes.length === 0 ? {} : { nodes: Object.fromEntries(nodes) }),
    },
  };
}

function contentOf<C>({ spec, status }: { spec?: unknown; status?: unknown }): C {
  return { spec: spec ?? {}, ...(status === undefined ? {} : { status }) } as C;
}

/** An absent status must not leave the one of the other version behind. */
function withoutStatus<S, T>({ spec, status }: Content<S, T>): { spec: S; status?: T } {
  return { spec, status } as { spec: S; status?: T };
}

function asFields(content: object): Fields {
  return content as Fields;
}

/** Somebody may have written anything there: what cannot be read counts as absent. */
function readAnnotation<T>({ annotations }: ObjectMeta, key: string): T | undefined {
  const text = annotations?.[key];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined takes one away; without any the field goes too. */
function withAnnotations(metadata: ObjectMeta, changes: Record<string, string | undefined>): ObjectMeta {
  const { annotations, ...others } = metadata;
  const left = Object.entries({ ...annotations, ...changes }).filter(([, value]) => value !== undefined);
  return left.length === 0 ? others : { ...others, annotations: Object.fromEntries(left) as Record<string, string> };
}
