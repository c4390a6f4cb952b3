import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseFault } from './fault.ts';

describe('a fault from outside', () => {
  test('is taken as it is when it is whole', () => {
    const fault = { kind: 'refuse', code: 503, on: { verb: 'watch' }, times: 3 };
    assert.deepEqual(parseFault(fault), fault);
  });

  const refused: readonly (readonly [unknown, RegExp])[] = [
    [[], /A fault is an object/],
    [{ kind: 'explode' }, /one of refuse, expire/],
    [{ kind: 'refuse' }, /"code" of a refuse fault is a number/],
    [{ kind: 'stall', ms: 'long' }, /"ms" of a stall fault is a number, not "long"/],
    [{ kind: 'drop', times: -1 }, /"times"/],
    [{ kind: 'drop', on: 'pods' }, /"on" says which requests/],
    [{ kind: 'drop', on: { verb: 1 } }, /"on" says which requests/],
  ];
  for (const [given, sentence] of refused) {
    test(`${JSON.stringify(given)} is refused with a sentence`, () => assert.throws(() => parseFault(given), sentence));
  }
});
