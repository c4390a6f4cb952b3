import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitBytes, parseSize, parseSizeLimit } from './size-limit.ts';

test('sizes are written as in Kubernetes and as people write them', () => {
  const sizes: Record<string, number | undefined> = {
    '8Gi': 8 * 1024 ** 3,
    '8GiB': 8 * 1024 ** 3,
    '1.5G': 1_500_000_000,
    '64Mi': 67_108_864,
    '10K': 10_000,
    '1048576': 1_048_576,
    '0': 0,
    '8i': undefined,
    '-1': undefined,
    '8 Gi': undefined,
    '9999999Ti': undefined,
    '': undefined,
  };
  for (const [text, bytes] of Object.entries(sizes)) assert.equal(parseSize(text), bytes, text);
});

test('a limit is a size or a share that leaves room for the work itself', () => {
  assert.deepEqual(parseSizeLimit('80%'), { kind: 'share', share: 0.8 });
  assert.deepEqual(parseSizeLimit('8Gi'), { kind: 'bytes', bytes: 8 * 1024 ** 3 });
  for (const text of ['0%', '100%', '91%', '0', 'much', '']) assert.equal(parseSizeLimit(text), undefined, text);
});

test('a limit that the volume cannot hold is nine tenths of it, and of an unknown volume no share is taken', () => {
  assert.equal(limitBytes({ kind: 'share', share: 0.8 }, 1000), 800);
  assert.equal(limitBytes({ kind: 'bytes', bytes: 500 }, 1000), 500);
  assert.equal(limitBytes({ kind: 'bytes', bytes: 5000 }, 1000), 900);
  assert.equal(limitBytes({ kind: 'share', share: 0.8 }, 0), undefined);
  assert.equal(limitBytes({ kind: 'bytes', bytes: 500 }, 0), 500);
});
