import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, DecodeError, isTooLargeResourceVersion } from '../errors.ts';
import { encodePodList, encodeStatus } from '../testing/protobuf-writer.ts';
import { readStatus, statusFromJson } from './status.ts';

const tooLarge = {
  status: 'Failure',
  message: 'Timeout: Too large resource version: 9, current: 8',
  reason: 'Timeout',
  code: 504,
  details: {
    name: 'x',
    group: 'apps',
    kind: 'pods',
    uid: 'u',
    retryAfterSeconds: 1,
    causes: [
      { reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: 'rv' },
      { reason: 'Other' },
    ],
  },
};

describe('a Status', () => {
  it('reads the same from protobuf as from JSON', () => {
    const { status: _, ...expected } = tooLarge;
    assert.deepEqual(statusFromJson({ kind: 'Status', apiVersion: 'v1', ...tooLarge }), expected);
    assert.deepEqual(readStatus(encodeStatus(tooLarge)), expected);
    assert.ok(isTooLargeResourceVersion(new ApiError(504, readStatus(encodeStatus(tooLarge)), undefined)));
  });

  it('has nothing where nothing was set', () => {
    assert.deepEqual(readStatus(encodeStatus({ status: 'Success' })), {});
    assert.deepEqual(readStatus(encodeStatus({ message: '', reason: '', code: 0, details: { name: '' } })), {
      details: {},
    });
    assert.deepEqual(statusFromJson({ metadata: {}, details: null }), {});
  });

  it('is refused when it is something else', () => {
    assert.throws(() => readStatus(encodePodList([])), DecodeError);
    assert.throws(() => readStatus(Buffer.from('Bad Gateway')), /does not begin with k8s/);
    assert.throws(() => statusFromJson('Bad Gateway'), DecodeError);
    assert.throws(() => statusFromJson({ code: '500' }), DecodeError);
  });
});
