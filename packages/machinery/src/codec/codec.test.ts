// What holds for the codec of every declared kind.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DecodeError } from '../errors.ts';
import { fullEvent, fullMetadata, fullNode, fullPod, fullService } from '../testing/full-objects.ts';
import {
  encodeEvent,
  encodeNode,
  encodePartialObjectMetadata,
  encodePod,
  encodeService,
} from '../testing/protobuf-writer.ts';
import { eventCodec, jsonCodec, metadataCodec, nodeCodec, type ObjectCodec, podCodec, serviceCodec } from './codec.ts';
import type { MetadataView } from './metadata-view.ts';

interface Kind {
  readonly codec: ObjectCodec<{ readonly metadata: MetadataView }>;
  readonly full: Record<string, unknown>;
  readonly encode: (json: Record<string, unknown>) => Buffer;
}

const kinds: Kind[] = [
  { codec: podCodec, full: fullPod, encode: encodePod },
  { codec: nodeCodec, full: fullNode, encode: encodeNode },
  { codec: serviceCodec, full: fullService, encode: encodeService },
  { codec: eventCodec, full: fullEvent, encode: encodeEvent },
  { codec: metadataCodec, full: fullMetadata, encode: encodePartialObjectMetadata },
];

for (const { codec, full, encode } of kinds) {
  const fromProtobuf = codec.fromProtobuf!;
  const decode = (bytes: Buffer) => fromProtobuf(bytes, 0, bytes.length);

  describe(`the codec of ${codec.kind}`, () => {
    it('reads the same from protobuf as from JSON, the first time and from its caches', () => {
      const expected = codec.fromJson(full);
      for (let i = 0; i < 4; i++) assert.deepEqual(decode(encode(full)), expected);
    });

    it('reads an object without any field', () => {
      const empty = codec.fromJson({ metadata: {} });
      assert.deepEqual(decode(Buffer.alloc(0)), empty);
      assert.equal(empty.metadata.name, '');
      assert.equal(empty.metadata.creationTimestamp, undefined);
    });

    it('takes null for absent, in every field and in every part', () => {
      const nulls = (json: unknown): Record<string, null> =>
        Object.fromEntries(Object.keys(json as object).map((key) => [key, null]));
      assert.deepEqual(codec.fromJson(nulls(full)), decode(Buffer.alloc(0)));
      const parts = Object.entries(full).map(([key, value]) => [
        key,
        typeof value === 'object' && !Array.isArray(value) ? nulls(value) : null,
      ]);
      const { series, related, ...rest } = Object.fromEntries(parts);
      assert.deepEqual(codec.fromJson(rest), decode(Buffer.alloc(0)));
    });

    it('joins what a field has in several places', () => {
      const labelled = encode({ metadata: { labels: { app: 'other', zone: 'a' } } });
      const { metadata } = decode(Buffer.concat([encode(full), labelled, encode(full)]));
      const once = codec.fromJson(full).metadata;
      // Lists grow; of a map's key, as of a scalar, the last value counts.
      assert.deepEqual([...metadata.labels], [...once.labels, ['zone', 'a']]);
      assert.deepEqual(metadata.ownerReferences, [...once.ownerReferences, ...once.ownerReferences]);
      assert.equal(metadata.name, once.name);
    });

    it('keeps no part of the bytes that it read', () => {
      const bytes = encode(full);
      const view = decode(bytes);
      const expected = codec.fromJson(full);
      bytes.fill(0);
      assert.deepEqual(view, expected);
    });

    it('refuses what is no object', () => {
      for (const json of [null, undefined, 7, 'text', [], { metadata: [] }, { metadata: { name: 7 } }]) {
        assert.throws(() => codec.fromJson(json), DecodeError);
      }
    });
  });
}

describe('a decoded view', () => {
  it('does not keep the network buffer alive', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const views: unknown[] = [];
    const buffer = (() => {
      const bytes = encodePod(fullPod);
      const network = Buffer.from(new ArrayBuffer(1 << 20));
      bytes.copy(network, 1000);
      for (let i = 0; i < 5; i++) views.push(podCodec.fromProtobuf!(network, 1000, 1000 + bytes.length));
      assert.throws(() => podCodec.fromProtobuf!(network, 1000, 1001), DecodeError);
      return new WeakRef(network.buffer);
    })();
    await new Promise<void>((resolve) => setImmediate(resolve));
    gc();
    assert.equal(buffer.deref(), undefined);
    assert.equal(views.length, 5);
  });
});

describe('jsonCodec', () => {
  const codec = jsonCodec('example.com/v1', 'Widget');

  it('hands the parsed object through', () => {
    const widget = { metadata: { name: 'w' }, spec: { size: 3 } };
    assert.equal(codec.fromJson(widget), widget);
    assert.equal(codec.fromProtobuf, undefined);
  });

  it('refuses what has no metadata', () => {
    for (const json of [null, [], 'text', {}, { metadata: null }, { metadata: [] }]) {
      assert.throws(() => codec.fromJson(json), DecodeError);
    }
  });
});
