// The size of an object as etcd would count it.
import { ApiStatusError } from './api-status-error.ts';
import type { JsonObject } from './json-object.ts';

/** etcd's limit for one request. */
const LARGEST_OBJECT = 1.5 * 1024 * 1024;

export function checkSize(draft: JsonObject): void {
  if (mayBeLarge(draft) && Buffer.byteLength(JSON.stringify(draft)) > LARGEST_OBJECT) {
    throw new ApiStatusError(500, '', 'etcdserver: request is too large');
  }
}

/** Measuring every write would cost more than writing it: only what holds long texts or many parts is measured. */
function mayBeLarge(value: JsonObject): boolean {
  let weight = 0;
  for (const field in value) weight += weightOf(value[field]);
  return weight > LARGEST_OBJECT / 4;
}

const weights = new WeakMap<object, number>();

/** Frozen parts are shared between versions: each is weighed once. */
function weightOf(part: unknown): number {
  if (typeof part !== 'object' || part === null || !Object.isFrozen(part)) return weigh(part);
  let weight = weights.get(part);
  if (weight === undefined) {
    weight = weigh(part);
    weights.set(part, weight);
  }
  return weight;
}

function weigh(part: unknown): number {
  if (typeof part === 'string') return part.length + 4;
  if (typeof part !== 'object' || part === null) return 8;
  let weight = 8;
  if (Array.isArray(part)) for (const child of part) weight += weigh(child);
  else for (const field in part) weight += field.length + weigh((part as JsonObject)[field]);
  return weight;
}
