// Corrupted bytes: each either decodes or ends in a DecodeError, and never shows what lies beside it in the buffer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DecodeError } from '../errors.ts';
import { fullEvent, fullMetadata, fullNode, fullPod, fullService } from '../testing/full-objects.ts';
import {
  encodeBookmark,
  encodeEvent,
  encodeNode,
  encodePartialObjectMetadata,
  encodePod,
  encodePodList,
  encodeService,
  encodeStatus,
  encodeUnknown,
  encodeWatchEvent,
  podFrame,
} from '../testing/protobuf-writer.ts';
import { eventCodec, metadataCodec, nodeCodec, podCodec, serviceCodec } from './codec.ts';
import { readUnknown } from './envelope.ts';
import { readList } from './list.ts';
import { readStatus } from './status.ts';
import { JsonLineSplitter, ProtobufFrameSplitter } from './watch-frame-splitter.ts';
import { decodeJsonFrame, decodeProtobufFrame } from './watch-message.ts';

const seed = 20263;
const numRuns = 1500;

type Decode = (bytes: Buffer, start: number, end: number) => unknown;

const podEvent = encodeWatchEvent('ADDED', encodeUnknown('v1', 'Pod', encodePod(fullPod)));
const status = { code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 3, causes: [{ reason: 'a' }] } };

const subjects: Record<string, [valid: Buffer, decode: Decode]> = {
  'a pod': [encodePod(fullPod), podCodec.fromProtobuf!],
  'a node': [encodeNode(fullNode), nodeCodec.fromProtobuf!],
  'a service': [encodeService(fullService), serviceCodec.fromProtobuf!],
  'an event': [encodeEvent(fullEvent), eventCodec.fromProtobuf!],
  metadata: [encodePartialObjectMetadata(fullMetadata), metadataCodec.fromProtobuf!],
  'an envelope': [encodeUnknown('v1', 'Pod', Buffer.from('raw')), (b, s, e) => rangesFrom(s, readUnknown(b, s, e))],
  'a watch frame': [podEvent, (b, s, e) => decodeProtobufFrame(podCodec, b, s, e)],
  'a bookmark': [encodeBookmark('7', { initialEventsEnd: true }), (b, s, e) => decodeProtobufFrame(podCodec, b, s, e)],
  'a list': [
    encodePodList([fullPod, fullPod], { resourceVersion: '7', continue: 'more', remainingItemCount: 2 }),
    (b, s, e) => readList(b.subarray(s, e), podCodec),
  ],
  'a status': [encodeStatus(status), (b, s, e) => readStatus(b.subarray(s, e))],
  'a JSON watch line': [
    Buffer.from(JSON.stringify({ type: 'ADDED', object: fullPod })),
    (b, s, e) => decodeJsonFrame(podCodec, b, s, e),
  ],
};

type Mutation =
  | { kind: 'set'; at: number; byte: number }
  | { kind: 'flip'; at: number; bit: number }
  | { kind: 'cut'; at: number; count: number }
  | { kind: 'insert'; at: number; bytes: Uint8Array }
  | { kind: 'repeat'; at: number; count: number }
  | { kind: 'truncate'; at: number };

const at = fc.nat(1_000_000);
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), at, byte: fc.constantFrom(0, 1, 0x7f, 0x80, 0xff) }),
  fc.record({ kind: fc.constant('flip' as const), at, bit: fc.nat(7) }),
  fc.record({ kind: fc.constant('cut' as const), at, count: fc.nat(20) }),
  fc.record({ kind: fc.constant('insert' as const), at, bytes: fc.uint8Array({ maxLength: 12 }) }),
  fc.record({ kind: fc.constant('repeat' as const), at, count: fc.nat(60) }),
  fc.record({ kind: fc.constant('truncate' as const), at }),
);

function apply(bytes: Buffer, mutations: readonly Mutation[]): Buffer {
  for (const m of mutations) {
    const where = bytes.length === 0 ? 0 : m.at % bytes.length;
    const [before, after] = [bytes.subarray(0, where), bytes.subarray(where)];
    switch (m.kind) {
      case 'set':
        bytes = Buffer.concat([before, Buffer.from([m.byte]), after.subarray(1)]);
        break;
      case 'flip':
        bytes = Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << m.bit)]), after.subarray(1)]);
        break;
      case 'cut':
        bytes = Buffer.concat([before, after.subarray(m.count)]);
        break;
      case 'insert':
        bytes = Buffer.concat([before, m.bytes, after]);
        break;
      case 'repeat':
        bytes = Buffer.concat([before, after.subarray(0, m.count), after]);
        break;
      case 'truncate':
        bytes = Buffer.from(before);
        break;
    }
  }
  return bytes;
}

/** Ranges relative to where the bytes lie. */
function rangesFrom(origin: number, envelope: { rawStart: number; rawEnd: number }): unknown {
  return { ...envelope, rawStart: envelope.rawStart - origin, rawEnd: envelope.rawEnd - origin };
}

/** What came of it. The bytes stand in the middle of others, which must make no difference. */
function outcome(decode: Decode, bytes: Buffer, neighbour: number): unknown {
  const buffer = Buffer.concat([Buffer.alloc(64, neighbour), bytes, Buffer.alloc(64, neighbour)]);
  try {
    return decode(buffer, 64, 64 + bytes.length);
  } catch (error) {
    assert.ok(error instanceof DecodeError, `threw ${String(error)}`);
    return 'refused';
  }
}

describe(`corrupted bytes (seed ${seed})`, () => {
  for (const [what, [valid, decode]] of Object.entries(subjects)) {
    it(`of ${what} decode or are refused, whatever lies beside them`, () => {
      assert.notEqual(outcome(decode, valid, 0), 'refused');
      let refused = 0;
      fc.assert(
        fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
          const bytes = apply(valid, mutations);
          const first = outcome(decode, bytes, 0x0a);
          assert.deepEqual(outcome(decode, bytes, 0x01), first);
          if (first === 'refused') refused++;
        }),
        { seed, numRuns },
      );
      // Both outcomes must have been seen, or the mutations are too harsh or too mild to say anything.
      assert.ok(refused > numRuns / 20 && refused < numRuns, `${refused} of ${numRuns} refused`);
    });
  }

  it('of any length and content decode or are refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (raw) => {
        for (const [, decode] of Object.values(subjects)) {
          const first = outcome(decode, Buffer.from(raw), 0x0a);
          assert.deepEqual(outcome(decode, Buffer.from(raw), 0x01), first);
        }
      }),
      { seed, numRuns: 500 },
    );
  });

  it('fault 12: of a whole stream, cut anywhere, come out as messages or end the stream', () => {
    const json = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: fullPod })}\n`);
    const streams = [
      { stream: podFrame('ADDED', fullPod), splitter: ProtobufFrameSplitter, decode: decodeProtobufFrame },
      { stream: json, splitter: JsonLineSplitter, decode: decodeJsonFrame },
    ];
    fc.assert(
      fc.property(fc.array(mutation, { maxLength: 3 }), fc.integer({ min: 1, max: 5000 }), (mutations, size) => {
        for (const { stream, splitter: Splitter, decode } of streams) {
          const bytes = apply(Buffer.concat([stream, stream, stream]), mutations);
          let messages = 0;
          const splitter = new Splitter((b, s, e) => {
            decode(podCodec, b, s, e);
            messages++;
          });
          try {
            for (let i = 0; i < bytes.length; i += size) splitter.push(bytes.subarray(i, i + size));
            splitter.end();
            if (mutations.length === 0) assert.equal(messages, 3);
          } catch (error) {
            assert.ok(error instanceof DecodeError, `threw ${String(error)}`);
            assert.ok(mutations.length > 0);
          }
        }
      }),
      { seed, numRuns: 500 },
    );
  });
});
