import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesText, forecastText } from './forecast.ts';

const MIB = 1024 ** 2;

test('the forecast says when the limit is reached, or why it is not', () => {
  const cases: readonly [Parameters<typeof forecastText>[0], RegExp][] = [
    [{ bytes: 100 * MIB, bytesPerDay: 50 * MIB, limitBytes: 200 * MIB }, /limit of 200 MiB is reached in 2 d\./],
    [{ bytes: 100 * MIB, bytesPerDay: 50 * MIB }, /limit of its size is not known here/],
    [{ bytes: 100 * MIB, bytesPerDay: 50 * MIB, limitBytes: null }, /limit of its size is not known here/],
    [{ bytes: 200 * MIB, bytesPerDay: 50 * MIB, limitBytes: 200 * MIB }, /is reached: the oldest/],
    [{ bytes: 1, bytesPerDay: null, limitBytes: MIB }, /known after some hours/],
    [{ bytes: 1, bytesPerDay: 0, limitBytes: MIB }, /not reached in ten years/],
    [{ bytes: 1, bytesPerDay: 1, limitBytes: MIB }, /not reached in ten years/],
  ];
  for (const [size, text] of cases) assert.match(forecastText(size), text);
});

test('sizes have three digits or so', () => {
  const cases: readonly [number, string][] = [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [700 * MIB, '700 MiB'],
    [2048 * MIB, '2 GiB'],
  ];
  for (const [bytes, text] of cases) assert.equal(bytesText(bytes), text);
});
