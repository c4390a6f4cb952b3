// How much the observer of causes adds to what an observer keeps of every pod.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { epochMillis } from '../../model/time.ts';
import type { Observation, Observed } from '../../observe/observation.ts';
import { Observer } from '../../observe/observer.ts';
import { aPod } from '../../testing/observed-pod.ts';
import { CauseObserver } from './cause-observer.ts';

const PODS = 20_000;
const START = Date.UTC(2026, 10, 16);

function listedPod(n: number): Observed {
  const object = aPod(`web-7d9c-${n}`)
    .withUid(`b7c0b3a4-0000-4000-8000-${String(n).padStart(12, '0')}`)
    .atVersion(1000 + n)
    .onNode(`node-${n % 50}`)
    .ownedBy('ReplicaSet', `web-${n % 200}`)
    .createdAt(START)
    .readyAt(START + 5000)
    .withCondition('Ready', 'True', START + 7000)
    .build();
  return { kind: 'Pod', object };
}

function listing(): Observation {
  const present = Array.from({ length: PODS }, (_, n) => listedPod(n));
  const rest = { resourceVersion: '90000', whole: true, goneUids: [], at: epochMillis(START + 60_000) };
  return { kind: 'listed', resource: 'Pod', reason: 'start', present, ...rest };
}

test('of a pod that lives, less than 150 bytes are kept beside the ledger', (t) => {
  const ledger = new Observer({ collector: 'test', scope: { kind: 'cluster' } });
  const causes = new CauseObserver({ collector: 'test', ledger });
  const before = usedHeap();
  assert.equal(countFacts(causes), PODS);
  const each = (usedHeap() - before) / PODS;
  t.diagnostic(`${Math.round(each)} bytes`);
  assert.ok(each < 150, `${Math.round(each)} bytes for each`);
  assert.equal(causes.observe({ kind: 'alive', at: epochMillis(START + 61_000) }).length, 0);
});

/** In a function of its own: what was listed must be garbage afterwards. */
function countFacts(causes: CauseObserver): number {
  return causes.observe(listing()).length;
}

function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  setFlagsFromString('--no-expose-gc');
  return getHeapStatistics().used_heap_size;
}
