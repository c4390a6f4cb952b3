import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@podtrail/machinery';
import { chooseMerger, isSparse } from './compact-slices.ts';

const named = (...sizes: number[]) => new Map(sizes.map((size, i) => [`s${i}`, size]));

test('twice as many slices as would do are not sparse; one more is', () => {
  assert.equal(isSparse(4, 101, 100), false);
  assert.equal(isSparse(5, 101, 100), true);
  assert.equal(isSparse(3, 100, 100), true);
  assert.equal(isSparse(2, 1, 100), false);
  assert.equal(isSparse(1, 0, 100), false);
});

test('the emptiest go into the fullest of those that fit together, and no more of them than are too many', () => {
  assert.deepEqual(chooseMerger(named(10, 3, 4, 10), 10), undefined);
  assert.deepEqual(chooseMerger(named(10, 3, 1, 4, 1), 10), { into: 's4', from: ['s2'] });
  assert.deepEqual(chooseMerger(named(1, 2, 3, 1, 1), 10), { into: 's1', from: ['s0', 's3', 's4'] });
  assert.deepEqual(chooseMerger(named(4, 4, 4, 0, 0), 12), { into: 's1', from: ['s0'] });
});

test('one step takes out at most twenty', () => {
  const merger = chooseMerger(named(...Array.from({ length: 100 }, () => 1)), 100);
  assert.equal(merger?.from.length, 20);
});

const SEED = 7;
test(`sparse slices always come to twice what would do, each moved once or less for each entry that ended (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  for (let round = 0; round < 300; round++) {
    const sizes = named(
      ...Array.from({ length: 1 + Math.floor(random() * 60) }, () => Math.floor(random() ** 3 * 101)),
    );
    const total = (all: Iterable<number>) => [...all].reduce((sum, size) => sum + size, 0);
    const before = total(sizes.values());
    let moved = 0;
    let holes = 0;
    for (let merger = chooseMerger(sizes, 100); merger !== undefined; merger = chooseMerger(sizes, 100)) {
      assert.ok(merger.from.length > 0 && !merger.from.includes(merger.into));
      for (const name of merger.from) {
        const size = sizes.get(name) ?? 0;
        assert.ok(size > 0 && size <= 50, `${size}`);
        moved += size;
        holes += 100 - size;
        sizes.delete(name);
        sizes.set(merger.into, (sizes.get(merger.into) ?? 0) + size);
      }
      assert.ok((sizes.get(merger.into) ?? 0) <= 100);
    }
    const held = [...sizes.values()].filter((size) => size > 0);
    assert.equal(total(held), before);
    assert.equal(isSparse(held.length, before, 100), false);
    assert.ok(moved <= holes, `${moved} moved, ${holes} had ended`);
  }
});
