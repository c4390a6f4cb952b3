// `trail` and `node` say why a stay ended and where the successor went; where causes were not recorded they say that.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '@podtrail/history';
import { nodeSchema, trailSchema } from '@podtrail/history/wire/schemas';
import { aLedgerWith, at, CAUSES_OF_PLACES, PLACES } from '../testing/moves-story.ts';
import { run } from '../testing/run-in-process.ts';
import { verdictText } from '../views/ending.ts';

let engine: Engine;
let bare: Engine;
before(async () => {
  engine = await aLedgerWith([...PLACES, ...CAUSES_OF_PLACES]);
  bare = await aLedgerWith(PLACES);
});

const ask = (words: string, store = engine) => run(words.split(' '), { engine: store, now: at(401) });
const rowsOf = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(/ {3,}/));

test('trail says why each holding ended, and on which node the successor is', async () => {
  const { code, out } = await ask('trail kafka-0 -n shop --timezone UTC');
  assert.equal(code, 0);
  const [header = [], drained = [], returned = []] = rowsOf(out);
  assert.deepEqual(header.slice(-3), ['HELD', 'CAUSE', 'NEXT']);
  assert.deepEqual(drained.slice(-3), ['92s', 'Evicted?', 'node-06']);
  assert.deepEqual(returned.slice(-2), ['<none>', '<none>']);
});

test('trail of an address: a pod that ended is not one that went on with another address', async () => {
  assert.deepEqual((rowsOf((await ask('trail 10.0.0.7')).out)[2] ?? []).slice(-2), ['DeletedOnRequest?', '<none>']);
  assert.deepEqual((rowsOf((await ask('trail 10.0.0.5')).out)[1] ?? []).slice(-2), ['SandboxReplaced', '<none>']);
});

test('an inferred cause has a mark in text, in every listing of pods; a certain one and one that is not known have none', async () => {
  for (const words of ['trail kafka-0 -n shop', 'node node-35 --at 2026-11-15T10:01:00Z', 'node node-35 --since 1h'])
    assert.match((await ask(words)).out, / Evicted\? /, words);
  const sure = { cause: 'Crashed', certainty: 'certain', sentence: '', evidence: [] } as const;
  const guess = { ...sure, certainty: 'inferred' } as const;
  assert.deepEqual([sure, guess, undefined].map(verdictText), ['Crashed', 'Crashed?', '']);
  assert.equal(verdictText({ ...guess, cause: 'Unknown' }), 'Unknown');
});

test('trail -o wide has the lifecycle, the class, restarts, how containers ended, and why', async () => {
  const { out } = await ask('trail kafka-0 -n shop -o wide --timezone UTC');
  const [header = [], drained = []] = rowsOf(out);
  const cell = (name: string) => drained[header.indexOf(name)];
  assert.equal(
    cell('LIFECYCLE'),
    'created 2026-11-15T10:00:10Z, scheduled +1s, network-up +1s, ready +3s, disrupted +85s, deletion-requested +0s, gone +5s',
  );
  assert.deepEqual(['QOS', 'PRIORITY', 'RESTARTS', 'CONTAINERS ENDED', 'SUCCESSOR'].map(cell), [
    'Burstable',
    '0',
    '1',
    'broker Completed (0)',
    'kafka-0',
  ]);
  assert.equal(cell('WHY'), 'was evicted: node-35 was drained. (inferred)');
});

test('trail and node as JSON have the cause, the successor and the life; all else is as before', async () => {
  const { stays } = trailSchema.parse(JSON.parse((await ask('trail kafka-0 -n shop -o json')).out));
  const [drained, returned] = stays;
  assert.deepEqual(
    [drained?.cause, drained?.certainty, drained?.sentence, drained?.successor?.node, drained?.successor?.certain],
    ['Evicted', 'inferred', 'was evicted: node-35 was drained.', 'node-06', true],
  );
  assert.equal(drained?.life?.lifecycle.at(-1)?.name, 'gone');
  assert.deepEqual([returned?.cause, returned?.successor, returned?.causeMissing], [null, null, undefined]);
  const { pods, changes } = nodeSchema.parse(
    JSON.parse((await ask('node node-35 --at 2026-11-15T10:01:00Z -o json')).out),
  );
  assert.deepEqual([pods[0]?.cause, changes], ['Evicted', undefined]);
});

test('node --since lists who arrived and left, and why, in the order of time', async () => {
  const { code, out } = await ask('node node-06 --since 2026-11-15T10:00:18Z --timezone UTC');
  assert.equal(code, 0);
  const [sentence, header, ...rows] = rowsOf(out);
  assert.deepEqual(sentence, ['node-06: 1 pod at 2026-11-15T10:00:18Z (-o wide lists them); 2 arrived, 1 left.']);
  assert.deepEqual(header, ['TIME', 'CHANGE', 'NAMESPACE', 'NAME', 'CAUSE', 'MOVED']);
  assert.deepEqual(rows, [
    ['2026-11-15T10:00:21Z', 'arrived', 'shop', 'lonely', '<none>', '<none>'],
    ['2026-11-15T10:01:47Z', 'arrived', 'shop', 'kafka-0', 'Evicted?', 'from node-35'],
    ['2026-11-15T10:03:51Z', 'left', 'shop', 'lonely', 'DeletedOnRequest?', '<none>'],
  ]);
});

test('node --since with -o wide also lists who was there', async () => {
  const { out } = await ask('node node-06 --since 2026-11-15T10:00:18Z --timezone UTC -o wide');
  const [sentence, , ...rows] = rowsOf(out);
  assert.deepEqual(sentence, ['node-06: 1 pod at 2026-11-15T10:00:18Z; 2 arrived, 1 left.']);
  assert.deepEqual(
    rows.map((row) => row.slice(1, 4)),
    [
      ['there', 'shop', 'kafka-1'],
      ['arrived', 'shop', 'lonely'],
      ['arrived', 'shop', 'kafka-0'],
      ['left', 'shop', 'lonely'],
    ],
  );
});

test('node --since as JSON has the changes beside the pods', async () => {
  const { out } = await ask('node node-06 --since 1h -o json');
  const { pods, changes = [] } = nodeSchema.parse(JSON.parse(out));
  assert.equal(pods.length, 3);
  const arrival = changes.find(({ change, name }) => change === 'arrived' && name === 'kafka-0');
  assert.deepEqual(
    [arrival?.predecessor?.node, arrival?.cause, arrival?.sentence],
    ['node-35', 'Evicted', 'took the place of shop/kafka-0 on node-35, which was evicted: node-35 was drained.'],
  );
  assert.deepEqual(
    changes.map((one) => one.at),
    changes.map((one) => one.at).sort(),
  );
});

for (const words of ['trail kafka-0 -n shop', 'trail 10.0.0.7', 'node node-35 --at 2026-11-15T10:01:00Z']) {
  test(`${words}: what was not recorded is said to be so, and is never a deletion on request`, async () => {
    const { out } = await ask(words, bare);
    assert.match(out, /<not recorded>/);
    assert.doesNotMatch(out, /DeletedOnRequest/);
    const { stays, pods } = JSON.parse((await ask(`${words} -o json`, bare)).out);
    const [first] = stays ?? pods;
    assert.deepEqual([first.cause, first.causeMissing, first.life], [null, 'not-recorded', null]);
  });
}

test('what has expired is said to have expired', async () => {
  const old = await aLedgerWith([...PLACES, ...CAUSES_OF_PLACES]);
  for (const kind of ['life', 'departure', 'evidence'] as const) await old.pruneKind('c1', kind, at(300));
  assert.match((await ask('trail 10.0.0.7', old)).out, /<expired>/);
  assert.match((await ask('node node-06 --since 1h', old)).out, /left +shop +lonely +<expired>/);
});
