// The planner against what it promises, on random hours with small shards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '@podtrail/machinery';
import {
  entryBytes,
  NEW_SHARD_BYTES,
  planShards,
  SHARD_LIMIT_BYTES,
  type Shard,
  type ShardWrite,
  shardBytes,
  unionOf,
} from './shard-plan.ts';

const SEED = Number(process.env['PODTRAIL_SEED'] ?? 20261115);
const RUNS = 300;

/** What the server makes of the writes. */
function carriedOut(shards: readonly Shard[], writes: readonly ShardWrite[]): Shard[] {
  const after = new Map(shards.map((shard) => [shard.index, shard]));
  for (const { index, isNew, set, remove } of writes) {
    assert.equal(after.has(index), !isNew, `shard ${index}`);
    const before = after.get(index) ?? { index, data: new Map(), besides: NEW_SHARD_BYTES, frozen: false };
    assert.ok(!before.frozen, `shard ${index} is frozen`);
    const data = new Map([...before.data, ...set]);
    for (const key of remove) data.delete(key);
    after.set(index, { ...before, data });
  }
  return [...after.values()];
}

function someEntries(random: Random, most: number): Map<string, string> {
  const names = ['__proto__', 'constructor', 'ns_a', 'ns_web-1', 'toString'];
  const entries = new Map<string, string>();
  for (let i = Math.floor(random() * most); i > 0; i--) {
    const key = random() < 0.1 ? names[Math.floor(random() * names.length)]! : `ns_pod-${Math.floor(random() * 60)}`;
    entries.set(key, random() < 0.05 ? '' : `n${'o'.repeat(Math.floor(random() * 40))}${Math.floor(random() * 4)}`);
  }
  return entries;
}

test('Invariant: after the writes the union is the one before overlaid with what was wanted, and no shard is too large', () => {
  console.log(`shard plans: seed ${SEED}`);
  const random = seededRandom(SEED);
  for (let run = 0; run < RUNS; run++) {
    const limit = NEW_SHARD_BYTES + 200 + Math.floor(random() * 900);
    let shards: Shard[] = [];
    const truth = new Map<string, string>();
    for (let flush = 0; flush < 8; flush++) {
      const wanted = someEntries(random, 40);
      for (const [key, value] of wanted) truth.set(key, value);
      const writes = planShards(shards, wanted, limit);
      for (const { set, index } of writes) {
        for (const [key, value] of set) assert.notEqual(shards.find((s) => s.index === index)?.data.get(key), value);
      }
      assert.equal(new Set(writes.map(({ index }) => index)).size, writes.length, 'one write for each shard');
      const before = shards;
      shards = carriedOut(shards, writes);
      assert.deepEqual(unionOf(shards), truth);
      for (const shard of shards) assert.ok(shardBytes(shard) <= limit, `shard ${shard.index} of run ${run}`);
      const touched = new Set(writes.map(({ index }) => index));
      for (const shard of before) if (!touched.has(shard.index)) assert.ok(shards.includes(shard), 'left alone');
      assert.deepEqual(planShards(shards, wanted, limit), [], 'a second plan has nothing to write');
      assert.deepEqual(planShards(shards, truth, limit), []);
      const keys = shards.flatMap(({ data }) => [...data.keys()]);
      assert.equal(new Set(keys).size, keys.length, 'each key is in one shard');
    }
  }
});

test('whatever number of writes were carried out before it broke off, nothing is lost and the next plan heals it', () => {
  const random = seededRandom(SEED + 1);
  for (let run = 0; run < RUNS; run++) {
    const limit = NEW_SHARD_BYTES + 300;
    let shards: Shard[] = [];
    const truth = new Map<string, string>();
    for (let flush = 0; flush < 6; flush++) {
      const wanted = someEntries(random, 30);
      const writes = planShards(shards, wanted, limit);
      const before = unionOf(shards);
      shards = carriedOut(shards, writes.slice(0, Math.floor(random() * (writes.length + 1))));
      for (const [key, value] of unionOf(shards)) {
        assert.ok(value === wanted.get(key) || value === before.get(key), key);
      }
      for (const key of before.keys()) assert.ok(unionOf(shards).has(key), key);
      for (const [key, value] of wanted) truth.set(key, value);
      shards = carriedOut(shards, planShards(shards, truth, limit));
      assert.deepEqual(unionOf(shards), truth);
      const keys = shards.flatMap(({ data }) => [...data.keys()]);
      assert.equal(new Set(keys).size, keys.length, 'what a broken move left behind is cleared up');
    }
  }
});

test('entries stay where they are; a value that grows beyond the limit moves to a later shard, there first', () => {
  const full = 'x'.repeat(100);
  const shards: Shard[] = [
    {
      index: 0,
      data: new Map([
        ['a', full],
        ['b', 'n1'],
      ]),
      besides: 0,
      frozen: false,
    },
    { index: 1, data: new Map([['c', 'n1']]), besides: 0, frozen: false },
  ];
  const limit = shardBytes(shards[0]!) + 1;
  assert.deepEqual(planShards(shards, new Map([['b', 'n2']]), limit), [
    { index: 0, isNew: false, set: new Map([['b', 'n2']]), remove: new Set() },
  ]);
  assert.deepEqual(planShards(shards, new Map([['b', 'node-2']]), limit), [
    { index: 1, isNew: false, set: new Map([['b', 'node-2']]), remove: new Set() },
    { index: 0, isNew: false, set: new Map(), remove: new Set(['b']) },
  ]);
});

test('a shard that cannot be written is left alone and its keys are overridden by a later one', () => {
  const shards: Shard[] = [{ index: 0, data: new Map([['a', 'n1']]), besides: 0, frozen: true }];
  const writes = planShards(
    shards,
    new Map([
      ['a', 'n2'],
      ['b', 'n1'],
    ]),
  );
  assert.deepEqual(writes, [
    {
      index: 1,
      isNew: true,
      set: new Map([
        ['a', 'n2'],
        ['b', 'n1'],
      ]),
      remove: new Set(),
    },
  ]);
  const after = carriedOut(shards, writes);
  assert.equal(unionOf(after).get('a'), 'n2');
  assert.deepEqual(planShards(after, new Map([['a', 'n2']])), []);
});

test('the server’s own sum, values without keys, is within its limit whenever ours is', () => {
  const entries = new Map<string, string>();
  for (let i = 0; i < 30_000; i++) entries.set(`team-${i % 50}_service-${i}-7d9c5b8f4d-abcde`, `worker-${i % 700}.eu`);
  const started = performance.now();
  const writes = planShards([], entries);
  assert.ok(performance.now() - started < 2000);
  assert.ok(writes.length > 1);
  for (const { set } of writes) {
    const values = [...set.values()].reduce((sum, value) => sum + Buffer.byteLength(value), 0);
    const entriesBytes = [...set].reduce((sum, [key, value]) => sum + entryBytes(key, value), 0);
    assert.ok(values <= SHARD_LIMIT_BYTES && entriesBytes + NEW_SHARD_BYTES <= SHARD_LIMIT_BYTES);
  }
  // All but the last are full.
  const [first] = writes;
  assert.ok(shardBytes({ data: first!.set, besides: NEW_SHARD_BYTES }) > SHARD_LIMIT_BYTES - 200);
});
