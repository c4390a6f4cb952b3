import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DecodeError } from '../errors.ts';
import { fullNode, fullPod } from '../testing/full-objects.ts';
import {
  encodeBookmark,
  encodeNode,
  encodePod,
  encodeStatus,
  encodeUnknown,
  encodeWatchEvent,
} from '../testing/protobuf-writer.ts';
import { jsonCodec, podCodec } from './codec.ts';
import { decodeJsonFrame, decodeProtobufFrame } from './watch-message.ts';

const status = { code: 410, reason: 'Expired', message: 'too old resource version: 1 (5)', status: 'Failure' };
const podEvent = (type: string) => encodeWatchEvent(type, encodeUnknown('v1', 'Pod', encodePod(fullPod)));
const notTheEnd = { 'k8s.io/initial-events-end': 'false' };
const line = (event: unknown) => Buffer.from(JSON.stringify(event));
const bookmark = (annotations?: object) => ({
  type: 'BOOKMARK',
  object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '77', annotations } },
});

/** The same event in both formats. */
const events: Record<string, { protobuf: Buffer; json: Buffer; expected: unknown }> = {
  'an added object': {
    protobuf: podEvent('ADDED'),
    json: line({ type: 'ADDED', object: fullPod }),
    expected: { type: 'ADDED', object: podCodec.fromJson(fullPod) },
  },
  'a deleted object': {
    protobuf: podEvent('DELETED'),
    json: line({ type: 'DELETED', object: fullPod }),
    expected: { type: 'DELETED', object: podCodec.fromJson(fullPod) },
  },
  'a bookmark': {
    protobuf: encodeBookmark('77'),
    json: line(bookmark()),
    expected: { type: 'BOOKMARK', resourceVersion: '77', initialEventsEnd: false },
  },
  'the bookmark that ends the initial events': {
    protobuf: encodeBookmark('77', { initialEventsEnd: true }),
    json: line(bookmark({ 'k8s.io/initial-events-end': 'true' })),
    expected: { type: 'BOOKMARK', resourceVersion: '77', initialEventsEnd: true },
  },
  'a bookmark that says it does not end them': {
    protobuf: encodeWatchEvent(
      'BOOKMARK',
      encodeUnknown('v1', 'Pod', encodePod({ metadata: { resourceVersion: '77', annotations: notTheEnd } })),
    ),
    json: line(bookmark(notTheEnd)),
    expected: { type: 'BOOKMARK', resourceVersion: '77', initialEventsEnd: false },
  },
  'an error': {
    protobuf: encodeWatchEvent('ERROR', encodeStatus(status)),
    json: line({ type: 'ERROR', object: { kind: 'Status', apiVersion: 'v1', ...status } }),
    expected: { type: 'ERROR', status: { code: 410, reason: 'Expired', message: status.message } },
  },
};

const refused: Record<string, { protobuf: Buffer; json: Buffer }> = {
  'an object of another kind': {
    protobuf: encodeWatchEvent('ADDED', encodeUnknown('v1', 'Node', encodeNode(fullNode))),
    json: line({ type: 'ADDED', object: fullNode }),
  },
  'an object of another version': {
    protobuf: encodeWatchEvent('ADDED', encodeUnknown('v2', 'Pod', encodePod(fullPod))),
    json: line({ type: 'ADDED', object: { ...fullPod, apiVersion: 'v2' } }),
  },
  'a bookmark of another kind': {
    protobuf: encodeBookmark('7', { kind: 'Node' }),
    json: line({ type: 'BOOKMARK', object: { kind: 'Node', apiVersion: 'v1', metadata: { resourceVersion: '7' } } }),
  },
  'an unknown type of event': { protobuf: podEvent('RENAMED'), json: line({ type: 'RENAMED', object: fullPod }) },
  'an event without type': { protobuf: podEvent(''), json: line({ object: fullPod }) },
  'an event without object': { protobuf: encodeWatchEvent('ADDED', Buffer.alloc(0)), json: line({ type: 'ADDED' }) },
  'an answer that is no event': { protobuf: Buffer.from('upstream gone'), json: Buffer.from('upstream gone') },
};

describe('a watch frame', () => {
  for (const [what, { protobuf, json, expected }] of Object.entries(events)) {
    it(`holds ${what}, in either format`, () => {
      assert.deepEqual(decodeProtobufFrame(podCodec, protobuf, 0, protobuf.length), expected);
      assert.deepEqual(decodeJsonFrame(podCodec, json, 0, json.length), expected);
    });
  }

  for (const [what, { protobuf, json }] of Object.entries(refused)) {
    it(`is refused when it holds ${what}`, () => {
      assert.throws(() => decodeProtobufFrame(podCodec, protobuf, 0, protobuf.length), DecodeError);
      assert.throws(() => decodeJsonFrame(podCodec, json, 0, json.length), DecodeError);
    });
  }

  it('is read from the middle of a chunk', () => {
    const event = podEvent('MODIFIED');
    const chunk = Buffer.concat([Buffer.alloc(100, 0xff), event, Buffer.alloc(100, 0xff)]);
    const message = decodeProtobufFrame(podCodec, chunk, 100, 100 + event.length);
    assert.deepEqual(message, { type: 'MODIFIED', object: podCodec.fromJson(fullPod) });
  });

  it('is refused in protobuf when the kind has no protobuf reader', () => {
    const event = podEvent('ADDED');
    assert.throws(() => decodeProtobufFrame(jsonCodec('v1', 'Pod'), event, 0, event.length), DecodeError);
  });

  it('is refused when the object inside its envelope is something else than protobuf', () => {
    const typed = (field: number, text: string) => {
      const envelope = encodeUnknown('v1', 'Pod', encodePod(fullPod));
      const extra = Buffer.from([(field << 3) | 2, text.length, ...Buffer.from(text)]);
      const event = encodeWatchEvent('ADDED', Buffer.concat([envelope, extra]));
      return () => decodeProtobufFrame(podCodec, event, 0, event.length);
    };
    assert.throws(typed(3, 'gzip'), DecodeError);
    assert.throws(typed(4, 'application/json'), DecodeError);
    assert.equal(typed(4, 'application/vnd.kubernetes.protobuf')().type, 'ADDED');
  });
});
