import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseReadings } from './lease-readings.ts';
import type { WatchLine } from './run-folder.ts';

const START = Date.UTC(2026, 10, 16);

/** A Lease as the watch has it, renewed at this second. */
function lease(name: string, second: number, type: 'ADDED' | 'MODIFIED' | 'DELETED' = 'MODIFIED'): WatchLine {
  const renewTime = new Date(START + second * 1000).toISOString();
  const object = { metadata: { name, uid: name, resourceVersion: '1' }, spec: { renewTime } };
  return { at: START + second * 1000, kind: 'Lease', type, object } as WatchLine;
}

/** Second by second, with one node in question: at which second which renewal was read. */
function readBySecond(leases: LeaseReadings, from: number, to: number, renewals: readonly number[]): number[][] {
  const read: number[][] = [];
  for (let second = from; second <= to; second++) {
    if (renewals.includes(second)) leases.saw(lease('a', second));
    for (const { renewTime } of leases.read(['a'], START + second * 1000)) {
      read.push([second, (renewTime - START) / 1000]);
    }
  }
  return read;
}

test('the newest renewal of a node in question is read at once and then every 3 s, once each, not every line', () => {
  const leases = new LeaseReadings();
  for (const second of [0, 1, 2]) leases.saw(lease('a', second));
  assert.deepEqual(readBySecond(leases, 5, 20, [6, 7, 16]), [
    [5, 2],
    [8, 7],
    [17, 16],
  ]);
});

test('nobody asks about a node that is not in question; in question again, it is read again', () => {
  const leases = new LeaseReadings();
  leases.saw(lease('a', 0));
  assert.deepEqual(leases.read(['b'], START), []);
  assert.equal(leases.read(['a'], START).length, 1);
  assert.deepEqual(leases.read([], START + 1_000), []);
  assert.deepEqual(leases.read(['a'], START + 2_000), [], 'not within 3 s');
  assert.deepEqual(leases.read(['a'], START + 3_000), [{ node: 'a', renewTime: START }]);
});

test('a node without a Lease is not asked for again for a minute, unless another recorder has begun', () => {
  const leases = new LeaseReadings();
  leases.saw(lease('a', 0));
  leases.saw(lease('a', 1, 'DELETED'));
  assert.deepEqual(readBySecond(leases, 2, 70, [10]), [[62, 10]]);
  leases.restart();
  assert.deepEqual(leases.read(['a'], START + 70_000), [{ node: 'a', renewTime: START + 10_000 }]);
});

test('a listing replaces what was known', () => {
  const leases = new LeaseReadings();
  leases.saw(lease('gone', 0));
  const { object } = lease('a', 5) as Extract<WatchLine, { object: unknown }>;
  leases.saw({ at: START, kind: 'Lease', type: 'LIST', resourceVersion: '1', items: [object] });
  assert.deepEqual(leases.read(['a', 'gone'], START + 9_000), [{ node: 'a', renewTime: START + 5_000 }]);
});
