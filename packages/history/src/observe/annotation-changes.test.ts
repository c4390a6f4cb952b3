import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { aPod } from '../testing/observed-pod.ts';
import { at, CLUSTER, TestLedger } from '../testing/test-ledger.ts';
import { annotationChanges, annotationValues } from './annotation-changes.ts';

const values = (entries: Readonly<Record<string, string>>) => annotationValues(new Map(Object.entries(entries)));

test('added, changed and removed annotations are recorded, unchanged ones are not', () => {
  const changes = annotationChanges(values({ a: '1', b: '2', c: '3' }), values({ b: '2', c: '4', d: '5' }));
  assert.deepEqual(
    changes.map(({ key, before, after }) => [key, before?.text, after?.text]),
    [
      ['c', '3', '4'],
      ['d', undefined, '5'],
      ['a', '1', undefined],
    ],
  );
});

test('kubectl’s copy of the manifest is left out', () => {
  assert.deepEqual(values({ 'kubectl.kubernetes.io/last-applied-configuration': '{"secret":1}' }), []);
});

test('a value over 4 KiB is kept as its beginning and its hash, cut between characters', () => {
  const text = `\ufeff${'ä'.repeat(3000)}`;
  const [[, value]] = values({ long: text }) as [[string, { text: string; sha256: string }]];
  assert.equal(value.sha256, createHash('sha256').update(text).digest('hex'));
  assert.ok(Buffer.byteLength(value.text) <= 4096);
  assert.ok(text.startsWith(value.text), 'nothing is lost at either end');
  assert.ok(!value.text.includes('\ufffd'));
});

test('two long values that differ only past their beginnings are a change', () => {
  const long = 'x'.repeat(5000);
  assert.equal(annotationChanges(values({ a: `${long}1` }), values({ a: `${long}2` })).length, 1);
});

test('fault 30: keys like constructor and __proto__ are keys like any other', async () => {
  const ledger = new TestLedger();
  const keys = new Map([
    ['constructor', '1'],
    ['__proto__', '2'],
    ['toString', '3'],
  ]);
  await ledger.list(0, 'start');
  await ledger.see(10, aPod('web-1'));
  await ledger.see(20, aPod('web-1').annotated(keys));
  const span = { from: at(0), to: at(99) };
  const subject = { by: 'uid', uid: 'uid-web-1' } as const;
  const { items } = await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) =>
    snapshot.occurrences({ kind: 'change', subject, span, page: { limit: 10 } }),
  );
  assert.deepEqual(items.map(({ key, before, after }) => [key, before?.text, after?.text]).sort(), [
    ['__proto__', undefined, '2'],
    ['constructor', undefined, '1'],
    ['toString', undefined, '3'],
  ]);
});

test('an annotation that many pods have is kept once', () => {
  const [one, other] = [values({ a: 'the same', b: '1' }), values({ a: 'the same', b: '2' })];
  assert.equal(one[0], other[0]);
  assert.deepEqual(
    values({ c: 'the same' }),
    [['c', { text: 'the same', sha256: undefined }]],
    'not under another key',
  );
  for (let n = 0; n < 10_000; n++) assert.equal(values({ a: `its own ${n}` })[0]?.[1].text, `its own ${n}`);
});
