import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalLine } from '../engines/canonical.ts';
import { allRecords, withSnapshot } from '../engines/with-snapshot.ts';
import type { Change } from '../model/records.ts';
import { aPod } from '../testing/observed-pod.ts';
import { at, CLUSTER, TestLedger } from '../testing/test-ledger.ts';

const ALL = { limit: 1000 };
const ALWAYS = { from: at(-1e6), to: at(1e6) };

async function changesOf(ledger: TestLedger, uid: string): Promise<readonly Change[]> {
  return (
    await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) =>
      snapshot.occurrences({ kind: 'change', subject: { by: 'uid', uid }, span: ALWAYS, page: ALL }),
    )
  ).items;
}

async function exported(ledger: TestLedger): Promise<string> {
  let text = '';
  for await (const fact of allRecords(ledger.engine, CLUSTER.id)) text += `${canonicalLine(fact)}\n`;
  return text;
}

/** A pod with so many annotations of 4 KiB, all of them of this patch. */
function patched(name: string, patch: number, annotations = 60) {
  const keys = Array.from({ length: annotations }, (_, i) => [`example.com/a${i}`, `${patch} `.padEnd(4096, 'x')]);
  return aPod(name).annotated(Object.fromEntries(keys));
}

/** A pod with one small annotation. */
function noted(name: string, patch: number) {
  return aPod(name).annotated({ note: String(patch) });
}

test('who may patch one pod cannot fill the store: beyond a MiB an hour its changes are only counted', async () => {
  const ledger = new TestLedger();
  await ledger.list(0, 'start');
  const patches = 40;
  for (let i = 0; i < patches; i++) await ledger.see(10 + i / 20, patched('web-1', i));
  let bytes = 0;
  for (const fact of ledger.facts) if (fact.kind === 'change') bytes += canonicalLine(fact).length;
  const found = await changesOf(ledger, 'uid-web-1');
  assert.ok(bytes < 2 * 1024 * 1024, `${bytes} bytes of changes were recorded for ${patches} patches`);
  const summaries = found.filter(({ suppressed }) => suppressed !== undefined);
  assert.equal(summaries.length, 1, 'one record counts them');
  const [summary] = summaries;
  const recorded = found.length - 1;
  assert.equal(summary?.suppressed?.changes, patches * 60 - recorded);
  assert.equal(summary?.suppressed?.budget, 'pod');
  assert.equal(summary?.suppressed?.last, at(10 + (patches - 1) / 20));
  assert.equal(ledger.observer.suppressedChanges, patches * 60 - recorded);
});

test('the next hour has a budget of its own, and a record of its own', async () => {
  const ledger = new TestLedger({ kind: 'cluster' }, undefined, { pod: 2000, namespace: 1e9 });
  await ledger.list(0, 'start');
  for (let i = 0; i < 10; i++) await ledger.see(10 + i, noted('web-1', i));
  for (let i = 10; i < 20; i++) await ledger.see(3600 + i, noted('web-1', i));
  const found = await changesOf(ledger, 'uid-web-1');
  assert.deepEqual(
    found.map(({ observedAt, key, suppressed }) => [(observedAt - at(0)) / 1000, suppressed?.changes ?? key]),
    [
      [10, 'note'],
      [11, 'note'],
      [12, 'note'],
      [13, 7],
      [3610, 'note'],
      [3611, 'note'],
      [3612, 'note'],
      [3613, 7],
    ],
  );
});

test('many pods of one namespace share its budget, and those of another namespace are not touched', async () => {
  const ledger = new TestLedger({ kind: 'cluster' }, undefined, { pod: 1e9, namespace: 3000 });
  await ledger.list(0, 'start');
  for (let i = 0; i < 8; i++) await ledger.see(10 + i, noted(`web-${i}`, i));
  await ledger.see(30, noted('other', 1).inNamespace('pay').withUid('uid-other'));
  const budgets: (string | undefined)[] = [];
  for (let i = 0; i < 8; i++) budgets.push((await changesOf(ledger, `uid-web-${i}`))[0]?.suppressed?.budget);
  assert.deepEqual(budgets, [...Array(5).fill(undefined), ...Array(3).fill('namespace')]);
  assert.equal((await changesOf(ledger, 'uid-other'))[0]?.key, 'note');
});

test('a recorder that dies and goes on has used what the one before used', async () => {
  const budgets = { pod: 2000, namespace: 1e9 };
  const steady = new TestLedger({ kind: 'cluster' }, undefined, budgets);
  const restarted = new TestLedger({ kind: 'cluster' }, undefined, budgets);
  for (const ledger of [steady, restarted]) {
    await ledger.list(0, 'start');
    for (let i = 0; i < 10; i++) {
      await ledger.see(10 + i, noted('web-1', i));
      if (ledger === restarted) await ledger.restart();
    }
  }
  assert.equal(await exported(restarted), await exported(steady));
});

test('tenures and placements of a pod whose changes are suppressed are recorded as ever', async () => {
  const ledger = new TestLedger({ kind: 'cluster' }, undefined, { pod: 0, namespace: 0 });
  await ledger.list(0, 'start');
  await ledger.see(10, noted('web-1', 1).onNode('node-a').withIp('10.0.0.7'));
  await ledger.alive(20);
  assert.equal((await ledger.tenures('10.0.0.7')).length, 1);
  assert.equal((await changesOf(ledger, 'uid-web-1'))[0]?.suppressed?.changes, 1);
});
