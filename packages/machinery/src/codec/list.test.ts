import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DecodeError } from '../errors.ts';
import { fullPod } from '../testing/full-objects.ts';
import {
  encodeList,
  encodePartialObjectMetadata,
  encodePod,
  encodePodList,
  encodeStatus,
} from '../testing/protobuf-writer.ts';
import { jsonCodec, metadataCodec, podCodec } from './codec.ts';
import { listFromJson, readList } from './list.ts';

const pods = [fullPod, { metadata: { name: 'other' } }];

describe('a list', () => {
  it('reads the same from protobuf as from JSON', () => {
    const metadata = { resourceVersion: '42', continue: 'token', remainingItemCount: 9 };
    const expected = listFromJson({ kind: 'PodList', apiVersion: 'v1', metadata, items: pods }, podCodec);
    assert.deepEqual(expected.metadata, metadata);
    assert.equal(expected.items[1]?.metadata.name, 'other');
    assert.deepEqual(readList(encodePodList(pods, metadata), podCodec), expected);
  });

  it('may be empty, its last page without a continue token', () => {
    const expected = { metadata: { resourceVersion: '42' }, items: [] };
    assert.deepEqual(readList(encodePodList([], { resourceVersion: '42', continue: '' }), podCodec), expected);
    for (const items of [[], null, undefined]) {
      assert.deepEqual(listFromJson({ metadata: { resourceVersion: '42' }, items }, podCodec), expected);
    }
  });

  it('of metadata has its own kind', () => {
    const item = encodePartialObjectMetadata({ metadata: { name: 'rs' } });
    const list = readList(encodeList('meta.k8s.io/v1', 'PartialObjectMetadata', [item]), metadataCodec);
    assert.equal(list.items[0]?.metadata.name, 'rs');
  });

  it('is refused when it is something else', () => {
    const wrong = [
      encodeStatus({ code: 500 }),
      encodeList('v1', 'Node', []),
      encodeList('v2', 'Pod', []),
      encodeList('v1', 'Pod', [encodePod(fullPod).subarray(0, -1)]),
      Buffer.alloc(0),
      Buffer.from('{"kind":"PodList"}'),
    ];
    for (const bytes of wrong) assert.throws(() => readList(bytes, podCodec), DecodeError);
    assert.throws(() => readList(encodePodList([]), jsonCodec('v1', 'Pod')), DecodeError);
    for (const json of [null, [], { items: {} }, { items: [7] }, { kind: 'Status' }]) {
      assert.throws(() => listFromJson(json, podCodec), DecodeError);
    }
  });
});
