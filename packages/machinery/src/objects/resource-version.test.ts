import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareResourceVersions, isComparable } from './resource-version.ts';

const SEED = Number(process.env['PODTRAIL_SEED'] ?? 20_261);

test('only decimals without leading zeros can be compared', () => {
  for (const version of ['0', '7', '10', '9007199254740993', '340282366920938463463374607431768211456']) {
    assert.equal(isComparable(version), true, version);
  }
  for (const version of ['', '01', '-1', '1.5', '1e3', ' 7', '7 ', 'abc', '٣']) {
    assert.equal(isComparable(version), false, JSON.stringify(version));
  }
});

test(`versions of any length are ordered as the numbers they spell (seed ${SEED})`, () => {
  const version = fc.bigInt({ min: 0n, max: 2n ** 128n });
  fc.assert(
    fc.property(version, version, (a, b) => {
      const sign = Math.sign(compareResourceVersions(String(a), String(b)));
      assert.equal(sign, a < b ? -1 : a > b ? 1 : 0);
    }),
    { seed: SEED, numRuns: 1000 },
  );
});
