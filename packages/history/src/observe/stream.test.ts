import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../testing/test-ledger.ts';
import { LONGEST_DELIVERY_MS, Stream } from './stream.ts';

const DELIVERY = LONGEST_DELIVERY_MS / 1000;

describe('a stream', () => {
  test('knows of no time before its first frame', () => {
    assert.equal(new Stream(1, undefined, undefined).delivered('5', at(100), true), undefined);
  });

  test('the arrival of a frame proves nothing about the next: both may have waited for long', () => {
    const stream = new Stream(1, undefined, undefined);
    stream.delivered('5', at(1000), true);
    assert.equal(stream.delivered('6', at(1000), true), undefined);
  });

  test('an event happened after every time that an earlier one mentions', () => {
    const stream = new Stream(1, undefined, undefined);
    stream.delivered('5', at(100), true);
    stream.mentioned(at(99));
    assert.equal(stream.delivered('6', at(200), true), at(99));
  });

  test('an event that is newer than a probe’s version happened after the probe, one that is not may have happened before', () => {
    const stream = new Stream(1, '5', undefined);
    stream.probed('7', at(100));
    assert.equal(stream.delivered('7', at(101), true), undefined);
    assert.equal(stream.watermark, at(100), 'but whatever comes after it did not');
    assert.equal(stream.delivered('8', at(102), true), at(100));
  });

  test('a bookmark that has reached a probe’s version confirms everything until the probe', () => {
    const stream = new Stream(1, '5', undefined);
    stream.probed('7', at(100));
    stream.delivered('6', at(101), false);
    assert.equal(stream.watermark, undefined);
    stream.delivered('7', at(102), false);
    assert.equal(stream.watermark, at(100));
  });

  test('a probe that shows nothing new confirms at once that nothing has happened', () => {
    const stream = new Stream(1, '7', undefined);
    stream.probed('7', at(100));
    assert.equal(stream.watermark, at(100));
  });

  test('probes of before a listing say nothing after it', () => {
    const stream = new Stream(1, '5', undefined);
    stream.probed('900', at(100));
    stream.restart('10', at(101));
    stream.delivered('901', at(102), true);
    assert.equal(stream.watermark, at(101 - DELIVERY));
  });

  test('an older version is old, whatever its length', () => {
    const stream = new Stream(1, '10000000000000000001', undefined);
    assert.ok(stream.isOld('10000000000000000001') && stream.isOld('9999999999999999999'));
    assert.ok(!stream.isOld('10000000000000000002'));
  });
});

test('a bookmark that is delivered twice says no more than once', () => {
  const stream = new Stream(1, undefined, undefined);
  stream.delivered('5', at(100), false);
  stream.delivered('6', at(200), false);
  const { watermark } = stream;
  stream.delivered('6', at(200), false);
  stream.delivered('5', at(100), false);
  assert.equal(stream.watermark, watermark);
});
