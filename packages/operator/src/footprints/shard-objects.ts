// Between a shard of the plan and the ConfigMap that carries it on the server.
import type { KubeObject, OwnerReference } from '@podtrail/machinery';
import { GROUP, TRACKER_LABEL } from '../crds/manifests.ts';
import { parseShardName, shardName } from './hour.ts';
import type { Shard, ShardWrite } from './shard-plan.ts';

/** Kept from pod-ashiato: what people select by. */
const LABELS = { app: 'pod-ashiato', type: 'pod-node-mapping' };
/** On what we made ourselves. Retention never deletes a ConfigMap without it. */
const OURS = { 'app.kubernetes.io/managed-by': 'podtrail' };

export const SHARD_SELECTOR = selectorOf(LABELS);
export const OWN_SHARD_SELECTOR = selectorOf({ ...LABELS, ...OURS });

/** The PodTrackers for which ConfigMaps are written; undefined where somebody writes them for himself. */
export type Owners = readonly { readonly name: string; readonly uid: string }[];

/** A shard, with what a write to it needs. */
export interface StoredShard extends Shard {
  readonly resourceVersion: string;
  /** Epoch milliseconds of the server's clock; undefined if it did not say. */
  readonly createdAt: number | undefined;
  /** Whose it is, as labels and owner references say. */
  readonly belongsTo: string;
  /** Owners that are no PodTrackers: not ours to change. */
  readonly otherOwners: readonly OwnerReference[];
}

export function readShard(object: KubeObject): StoredShard | undefined {
  const { metadata, data, ...rest } = object as KubeObject & { data?: Record<string, string> };
  const place = parseShardName(metadata.name ?? '');
  if (place === undefined) return undefined;
  const { managedFields: _, ...kept } = metadata;
  const createdAt = Date.parse(metadata.creationTimestamp ?? '');
  return {
    index: place.index,
    data: new Map(Object.entries(data ?? {})),
    // As JSON it is never smaller than as it is stored; managed fields of the data are counted with each entry.
    besides: Buffer.byteLength(JSON.stringify({ ...rest, metadata: kept })) + MANAGER_BYTES,
    frozen: object['immutable'] === true || metadata.deletionTimestamp !== undefined,
    resourceVersion: metadata.resourceVersion ?? '',
    createdAt: Number.isNaN(createdAt) ? undefined : createdAt,
    belongsTo: belonging(metadata.labels?.[TRACKER_LABEL], metadata.ownerReferences?.filter(isTracker) ?? []),
    otherOwners: metadata.ownerReferences?.filter((reference) => !isTracker(reference)) ?? [],
  };
}

/** Names, times and operations of the managers themselves. */
const MANAGER_BYTES = 1024;

export function newShardObject(start: number, write: ShardWrite, owners: Owners = []): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: shardName(start, write.index),
      labels: { ...LABELS, ...OURS, ...trackerLabel(owners) },
      ...(owners.length === 0 ? {} : { ownerReferences: owners.map(referenceTo) }),
    },
    data: Object.fromEntries(write.set),
  };
}

/** Only what changes, and only if nobody wrote since we read. */
export function shardPatch(write: ShardWrite, stored: StoredShard, owners?: Owners): unknown {
  const removed = [...write.remove].map((key): [string, null] => [key, null]);
  const { resourceVersion } = stored;
  return {
    metadata: { resourceVersion, ...newBelonging(stored, owners) },
    data: Object.fromEntries<string | null>([...write.set, ...removed]),
  };
}

/** Whether a patch would set labels and owners again, though nothing else of it need be written. */
export function changesHands(stored: StoredShard, owners?: Owners): boolean {
  return !stored.frozen && Object.keys(newBelonging(stored, owners)).length > 0;
}

/**
 * A tracker came or went. What belongs to nobody (`podtrail footprints` made it, or pod-ashiato) stays nobody's, and
 * what somebody writes to for himself becomes so: it must not go with a tracker that wrote to it too.
 */
function newBelonging({ belongsTo, otherOwners }: StoredShard, owners: Owners | undefined): Record<string, unknown> {
  const label = trackerLabel(owners ?? [])[TRACKER_LABEL];
  if (owners?.length === 0 || belongsTo === '' || belongsTo === belonging(label, owners ?? [])) return {};
  const ownerReferences = [...otherOwners, ...(owners ?? []).map(referenceTo)];
  return { labels: { [TRACKER_LABEL]: label ?? null }, ownerReferences };
}

/** Only of one: what carries the label of a tracker is removed with it, and others may still need it. */
function trackerLabel(owners: Owners): Record<string, string> {
  const [first] = owners;
  return first === undefined || owners.length > 1 ? {} : { [TRACKER_LABEL]: first.name };
}

/** The garbage collector removes what all of its owners have left. */
function referenceTo({ name, uid }: Owners[number]): OwnerReference {
  return { apiVersion: `${GROUP}/v1`, kind: 'PodTracker', name, uid };
}

function isTracker({ kind, apiVersion }: OwnerReference): boolean {
  return kind === 'PodTracker' && apiVersion.startsWith(`${GROUP}/`);
}

function belonging(label: string | undefined, owners: Owners): string {
  const uids = owners.map(({ uid }) => uid).sort();
  return label === undefined && uids.length === 0 ? '' : [label ?? '', ...uids].join(' ');
}

export function isOurs({ metadata }: KubeObject): boolean {
  return Object.entries({ ...LABELS, ...OURS }).every(([key, value]) => metadata.labels?.[key] === value);
}

function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
