import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { SharedSnapshots } from './shared-snapshots.ts';

test('questions of one turn share a snapshot that is opened after them; the next turn has its own', async () => {
  const engine = await ledgerOf(ledgerFacts(new SeededNumbers(7)));
  const opened: string[] = [];
  let closed = 0;
  let coverages = 0;
  const shared = new SharedSnapshots({
    snapshot: async (cluster) => {
      opened.push(cluster);
      const snapshot = await engine.snapshot(cluster);
      return readerLike(snapshot, {
        coverage: () => {
          coverages++;
          return snapshot.coverage();
        },
        close: async () => {
          closed++;
          await snapshot.close();
        },
      });
    },
  });
  const asking = [shared.snapshot('c'), shared.snapshot('c'), shared.snapshot('c')];
  assert.equal(opened.length, 0, 'nothing is read before the turn ends');
  const snapshots = await Promise.all(asking);
  assert.equal(opened.length, 1);
  const [first, second] = await Promise.all(snapshots.map((snapshot) => snapshot.coverage()));
  assert.equal(first, second);
  assert.equal(coverages, 1);
  const later = await shared.snapshot('c');
  assert.equal(opened.length, 2, 'whoever comes later sees what was committed meanwhile');
  for (const snapshot of snapshots.slice(1)) await snapshot.close();
  await snapshots[1]?.close();
  assert.equal(closed, 0, 'one still reads');
  await snapshots[0]?.close();
  assert.equal(closed, 1);
  await later.close();
});

function readerLike<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get: (of, key) => {
      const value = Reflect.get(Object.hasOwn(replaced, key) ? replaced : of, key) as unknown;
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
}
