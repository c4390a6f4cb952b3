import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { StringMap } from './string-map.ts';

const seed = 20261;

describe(`StringMap (seed ${seed})`, () => {
  it('is the map that a Map would be, in the order of its keys', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 40 }), fc.string(), (entries, other) => {
        const map = StringMap.of(entries);
        const model = new Map(entries);
        assert.equal(map.size, model.size);
        for (const key of [...model.keys(), other]) {
          assert.equal(map.get(key), model.get(key));
          assert.equal(map.has(key), model.has(key));
        }
        const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
        assert.deepEqual([...map], sorted);
        assert.deepEqual([...map.entries()], sorted);
        assert.deepEqual(
          [...map.keys()],
          sorted.map(([key]) => key),
        );
        assert.deepEqual(
          [...map.values()],
          sorted.map(([, value]) => value),
        );
        const visited: [string, string][] = [];
        map.forEach((value, key) => {
          visited.push([key, value]);
        });
        assert.deepEqual(visited, sorted);
      }),
      { seed, numRuns: 500 },
    );
  });

  it('equals another map with the same entries, whatever order they came in', () => {
    const one = StringMap.of([
      ['b', '2'],
      ['a', '1'],
    ]);
    const other = StringMap.of([
      ['a', '1'],
      ['b', '2'],
    ]);
    assert.deepEqual(one, other);
    assert.ok(one.equals(other));
    assert.ok(!one.equals(StringMap.of([['a', '1']])));
    assert.ok(!one.equals(StringMap.of([...other, ['a', 'x']])));
  });

  it('holds keys like __proto__ and constructor as ordinary keys, and only when they were given', () => {
    const empty = StringMap.of([]);
    assert.equal(empty, StringMap.EMPTY);
    for (const key of ['__proto__', 'constructor', 'toString', 'flat']) {
      assert.equal(empty.get(key), undefined);
      const map = StringMap.of([[key, 'x']]);
      assert.equal(map.get(key), 'x');
      assert.equal(JSON.stringify(map), `{"${key}":"x"}`);
    }
  });
});
