// What the workload controllers read and write of the objects they answer for.
import type { KubeObject, OwnerReference } from '../../api/cluster-api.ts';
import type { PodSpec, StoredMeta } from '../pod-object.ts';

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PodSpec;
}

export interface WorkloadObject extends KubeObject {
  readonly metadata: StoredMeta;
  readonly spec: WorkloadSpec;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface WorkloadSpec {
  readonly replicas?: number;
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly template: PodTemplate;
  readonly paused?: boolean;
  readonly strategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };
  };
  readonly podManagementPolicy?: string;
  readonly serviceName?: string;
  readonly revisionHistoryLimit?: number;
  readonly completions?: number;
  readonly parallelism?: number;
  readonly backoffLimit?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly [field: string]: unknown;
}

export function ownedBy(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name!,
    uid: owner.metadata.uid!,
    controller: true,
    blockOwnerDeletion: true,
  };
}

const HASH_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const hashes = new WeakMap<object, string>();

/** A short name for what a template says: equal for equal templates. */
export function templateHash(template: PodTemplate): string {
  let hash = hashes.get(template);
  if (hash === undefined) {
    hash = hashText(JSON.stringify(template));
    hashes.set(template, hash);
  }
  return hash;
}

function hashText(text: string): string {
  let value = 2_166_136_261;
  for (let n = 0; n < text.length; n++) value = Math.imul(value ^ text.charCodeAt(n), 16_777_619);
  value >>>= 0;
  let name = '';
  for (let n = 0; n < 8; n++) {
    name += HASH_LETTERS[value % HASH_LETTERS.length];
    value = Math.floor(value / HASH_LETTERS.length) + (n + 1) * 7919;
  }
  return name;
}

/** A count, or a share of `whole`. */
export function portion(
  amount: number | string | undefined,
  whole: number,
  round: 'up' | 'down',
  otherwise: string,
): number {
  const value = amount ?? otherwise;
  if (typeof value === 'number') return value;
  const share = (Number.parseFloat(value) / 100) * whole;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
