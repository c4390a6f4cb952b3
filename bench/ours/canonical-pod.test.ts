import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PodView, podCodec } from '@podtrail/machinery';
import { cacheHash, canonicalLine } from './canonical-pod.ts';

const FULL = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-1',
    namespace: 'shop',
    uid: 'u-1',
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: '2026-11-01T10:00:00Z',
    deletionTimestamp: '2026-11-01T11:00:00Z',
    deletionGracePeriodSeconds: 30,
    labels: { b: '2', a: '1' },
    annotations: { 'x<y': 'é&' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'o-1', controller: true }],
    finalizers: ['keep'],
  },
  spec: {
    nodeName: 'n1',
    hostNetwork: true,
    priority: 5,
    priorityClassName: 'high',
    terminationGracePeriodSeconds: 20,
  },
  status: {
    phase: 'Failed',
    reason: 'Evicted',
    message: 'no room',
    qosClass: 'Burstable',
    hostIP: '192.168.0.1',
    podIP: '10.0.0.7',
    podIPs: [{ ip: '10.0.0.7' }, { ip: 'fd00::7' }],
    startTime: '2026-11-01T10:00:01Z',
    conditions: [
      { type: 'Ready', status: 'False', lastTransitionTime: '2026-11-01T10:00:02Z', reason: 'r', message: 'm' },
    ],
    containerStatuses: [
      {
        name: 'app',
        restartCount: 3,
        state: {
          terminated: {
            exitCode: 137,
            signal: 9,
            reason: 'OOMKilled',
            message: 'gone',
            startedAt: '2026-11-01T10:00:03Z',
            finishedAt: '2026-11-01T10:00:04Z',
          },
        },
      },
      { name: 'proxy', restartCount: 0, state: { running: { startedAt: '2026-11-01T10:00:05Z' } } },
      { name: 'late', restartCount: 0, state: { waiting: { reason: 'ContainerCreating' } } },
    ],
  },
};
/** In the form that bench/README.md writes down and the Go half produces. */
const LINE =
  '["web-1","shop","u-1","7",2,1793527200,1793530800,30,[["a","1"],["b","2"]],[["x<y","é&"]],' +
  '[["apps/v1","ReplicaSet","web","o-1",true]],["keep"],"n1",true,5,"high",20,' +
  '"Failed","Evicted","no room","Burstable","192.168.0.1","10.0.0.7",["10.0.0.7","fd00::7"],1793527201,' +
  '[["Ready","False",1793527202,"r","m"]],' +
  '[["app","regular",true,137,9,"OOMKilled","gone",1793527203,1793527204,3]],1793527205,true]';

test('the canonical line of a pod is the documented one', () => {
  assert.equal(canonicalLine(podCodec.fromJson(FULL)), LINE);
});

test('every field that a pod view holds shows in its line', () => {
  const view = podCodec.fromJson(FULL);
  const line = canonicalLine(view);
  // A digest of names, which no peer keeps.
  const paths = leavesOf(view).filter((path) => path.join('.') !== 'status.images');
  assert.ok(paths.length > 40, `only ${paths.length} leaves were found`);
  for (const path of paths) {
    const changed = withChange(view, path);
    assert.notEqual(canonicalLine(changed), line, path.join('.'));
  }
});

test('the hash of a cache does not depend on the order in which pods arrived', () => {
  const first = podCodec.fromJson(FULL);
  const second = podCodec.fromJson({ ...FULL, metadata: { ...FULL.metadata, uid: 'u-2' } });
  assert.equal(cacheHash([first, second]), cacheHash([second, first]));
  assert.notEqual(cacheHash([first]), cacheHash([first, second]));
});

function leavesOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

/** A deep copy that keeps the classes, with one leaf replaced by another value of its type. */
function withChange(view: PodView, path: readonly string[]): PodView {
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, copy(inner)]);
    return Array.isArray(value)
      ? entries.map(([, inner]) => inner)
      : Object.assign(Object.create(Object.getPrototypeOf(value)), Object.fromEntries(entries));
  };
  const changed = copy(view) as PodView;
  let at = changed as unknown as Record<string, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  const last = path.at(-1)!;
  const before = at[last];
  at[last] = typeof before === 'number' ? before + 1000 : typeof before === 'boolean' ? !before : `${before}!`;
  return changed;
}
