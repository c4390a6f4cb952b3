// Parts that several resources have: their schemas for OpenAPI and `kubectl explain`, and what tables show of them.
import type { HolderDocument } from '@podtrail/history/wire';
import type { HistoryObject } from './history-object.ts';
import type { Column, JsonSchema } from './resource.ts';

export function text(description: string): JsonSchema {
  return { type: 'string', description };
}

export function instant(description: string): JsonSchema {
  return { type: 'string', format: 'date-time', description: `${description} RFC 3339 in UTC, with milliseconds.` };
}

export function yesOrNo(description: string): JsonSchema {
  return { type: 'boolean', description };
}

export function integer(description: string): JsonSchema {
  return { type: 'integer', format: 'int64', description };
}

export function listOf(items: JsonSchema, description: string): JsonSchema {
  return { type: 'array', items, description };
}

export function object(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', description, properties };
}

export function boundary(description: string): JsonSchema {
  return object(description, {
    at: instant('The best single instant.'),
    notBefore: instant('It was not earlier.'),
    notAfter: instant('It was not later; 9999-12-31 while nothing bounds it.'),
    source: text('How it is known: watch, list, audit, import or inferred.'),
  });
}

const workload = object('The workload that it belonged to.', {
  kind: text('Deployment, StatefulSet, Job …'),
  name: text('Its name.'),
  inferred: yesOrNo('Guessed from the name of a ReplicaSet, not read from an owner.'),
});

const HOLDER: Readonly<Record<string, JsonSchema>> = {
  kind: text('Pod, Node or Service.'),
  namespace: text('Empty for a node.'),
  name: text('Its name.'),
  uid: text('Its UID: a name that comes back is somebody else.'),
  node: text('The node that it was on; empty for a Service.'),
  workload,
  hostNetwork: yesOrNo('It is on the network of its node, and has no address of its own.'),
};

export function holder(description: string, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  return object(description, { ...HOLDER, ...more });
}

export const evidence = object('The observation that it is known by.', {
  source: text('watch, list, audit, import or inferred.'),
  epoch: integer('Counts the lives of etcd.'),
  resourceVersion: text('Of the pod.'),
  observedAt: instant('When it was observed.'),
});

/** Without `pod`, which repeats the name. */
export function holderFields({ pod: _, workload: owner, ...rest }: HolderDocument): Readonly<Record<string, unknown>> {
  return owner === null ? rest : { ...rest, workload: owner };
}

/** A value of an object by its path; undefined where something on it is not there. */
export function at(of: HistoryObject, ...path: readonly string[]): unknown {
  let value: unknown = of;
  for (const key of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  return value;
}

export function cellText(value: unknown): string {
  return value === undefined || value === null || value === '' ? '<none>' : String(value);
}

/** To the second, as kubectl shows times. */
export function cellTime(value: unknown): string {
  return typeof value === 'string' ? `${value.slice(0, 19)}Z` : '<none>';
}

export function cellWorkload(of: unknown): string {
  const { kind, name } = (of ?? {}) as { readonly kind?: string; readonly name?: string };
  return kind === undefined ? '<none>' : `${kind}/${name}`;
}

/** Of records that last from one time to another. */
export const START_AND_END: readonly Column[] = [
  { ...{ name: 'Start', type: 'string', description: 'Since when.', priority: 0 }, cell: timeOf('start') },
  { ...{ name: 'End', type: 'string', description: 'Until when.', priority: 0 }, cell: timeOf('end') },
];

function timeOf(boundary: 'start' | 'end'): Column['cell'] {
  return (of) => cellTime(at(of, boundary, 'at'));
}
