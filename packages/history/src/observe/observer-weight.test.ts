// How much an observer bears: there is one for a cluster, it is given every pod at once, and keeps every pod.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { epochMillis } from '../model/time.ts';
import { aPod } from '../testing/observed-pod.ts';
import type { Observed } from './observation.ts';
import { Observer } from './observer.ts';

const PODS = 5000;
const START = 1_790_000_000;

function listedPod(n: number): Observed {
  const object = aPod(`web-7d9c-${n}`)
    .withUid(`b7c0b3a4-0000-4000-8000-${String(n).padStart(12, '0')}`)
    .atVersion(1000 + n)
    .onNode(`node-${n % 50}`)
    .ownedBy('ReplicaSet', `web-${n % 200}`)
    .withIp(`10.${n >> 8}.${n & 255}.7`, `fd00::${n.toString(16)}`)
    .createdAt(START + n)
    .readyAt(START + n + 5)
    .annotated({ a: 'true', b: 'the same on all', c: 'and this', d: '9090', e: `its own ${n}` })
    .build();
  return { kind: 'Pod', object };
}

test('of a pod with two addresses and five annotations the observer keeps less than 2.1 kB, its texts included', () => {
  const observer = new Observer({ collector: 'test', scope: { kind: 'cluster' } });
  const before = usedHeap();
  observe(observer, PODS);
  const each = (usedHeap() - before) / PODS;
  assert.equal(observer.observe({ kind: 'alive', at: epochMillis((START + 20_000) * 1000) }).length, 1);
  assert.ok(each < 2100, `${Math.round(each)} bytes for each`);
});

test('a listing of a large cluster is taken in as a whole', () => {
  const observer = new Observer({ collector: 'test', scope: { kind: 'cluster' } });
  const pods = 40_000;
  assert.ok(observe(observer, pods) > 4 * pods, 'two tenures, a placement and what is remembered, of each pod');
});

/** In a function of its own: what was listed must be garbage afterwards. */
function observe(observer: Observer, pods: number): number {
  const at = epochMillis((START + 10_000) * 1000);
  const present = Array.from({ length: pods }, (_, n) => listedPod(n));
  const listing = { resource: 'Pod', reason: 'start', resourceVersion: '9000', namespace: undefined } as const;
  const facts = observer.observe({
    kind: 'listed',
    ...listing,
    whole: true,
    present,
    goneUids: [],
    since: undefined,
    at,
  });
  return facts.length;
}

function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  setFlagsFromString('--no-expose-gc');
  return getHeapStatistics().used_heap_size;
}
