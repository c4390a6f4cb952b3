// Between a shard of the plan and the ConfigMap that carries it on the server.
import type { KubeObject } from '@podtrail/machinery';
import { parseShardName, shardName } from './hour.ts';
import type { Shard, ShardWrite } from './shard-plan.ts';

/** Kept from pod-ashiato: what people select by. */
const LABELS = { app: 'pod-ashiato', type: 'pod-node-mapping' };
/** On what we made ourselves. Retention never deletes a ConfigMap without it. */
const OURS = { 'app.kubernetes.io/managed-by': 'podtrail' };

export const SHARD_SELECTOR = selectorOf(LABELS);
export const OWN_SHARD_SELECTOR = selectorOf({ ...LABELS, ...OURS });

/** A shard, with what a write to it needs. */
export interface StoredShard extends Shard {
  readonly resourceVersion: string;
  /** Epoch milliseconds of the server's clock; undefined if it did not say. */
  readonly createdAt: number | undefined;
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
  };
}

/** Names, times and operations of the managers themselves. */
const MANAGER_BYTES = 1024;

export function newShardObject(start: number, write: ShardWrite): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: shardName(start, write.index), labels: { ...LABELS, ...OURS } },
    data: Object.fromEntries(write.set),
  };
}

/** Only what changes, and only if nobody wrote since we read. */
export function shardPatch(write: ShardWrite, resourceVersion: string): unknown {
  const removed = [...write.remove].map((key): [string, null] => [key, null]);
  return { metadata: { resourceVersion }, data: Object.fromEntries<string | null>([...write.set, ...removed]) };
}

export function isOurs({ metadata }: KubeObject): boolean {
  return Object.entries({ ...LABELS, ...OURS }).every(([key, value]) => metadata.labels?.[key] === value);
}

function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
