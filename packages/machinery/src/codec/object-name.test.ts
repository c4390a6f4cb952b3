import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DecodeError } from '../errors.ts';
import { fullPod } from '../testing/full-objects.ts';
import { encodeList, encodePod, encodeUnknown, encodeWatchEvent } from '../testing/protobuf-writer.ts';
import { podCodec } from './codec.ts';
import { listFromJson, readList } from './list.ts';
import { decodeJsonFrame, decodeProtobufFrame } from './watch-message.ts';

const broken = { ...fullPod, metadata: { name: 'web-1', namespace: 'shop' }, status: { podIPs: 7 } };
/** Its last field says that it is longer than it is. */
const cut = (pod: Readonly<Record<string, unknown>>) => encodePod(pod).subarray(0, -1);
const shop = { metadata: { name: 'web-1', namespace: 'shop' }, status: { phase: 'Running', podIP: '10.0.0.7' } };

function message(decode: () => unknown): string {
  try {
    decode();
  } catch (error) {
    assert.ok(error instanceof DecodeError);
    assert.ok(error.hint, 'says what to do');
    return error.message;
  }
  return assert.fail('it should be refused');
}

describe('an object that cannot be read', () => {
  it('is named in a watch, in protobuf and in JSON', () => {
    const frame = encodeWatchEvent('ADDED', encodeUnknown('v1', 'Pod', cut(shop)));
    assert.match(
      message(() => decodeProtobufFrame(podCodec, frame, 0, frame.length)),
      /^Pod shop\/web-1 cannot be read: malformed protobuf: .* at byte \d+$/,
    );
    const line = Buffer.from(JSON.stringify({ type: 'ADDED', object: broken }));
    assert.match(
      message(() => decodeJsonFrame(podCodec, line, 0, line.length)),
      /^Pod shop\/web-1 cannot be read: malformed object: podIPs should be a list but is number$/,
    );
  });

  it('is named in a list', () => {
    const list = encodeList('v1', 'Pod', [encodePod(fullPod), cut(shop)]);
    assert.match(
      message(() => readList(list, podCodec)),
      /^Pod shop\/web-1 cannot be read: /,
    );
    assert.match(
      message(() => listFromJson({ items: [fullPod, broken] }, podCodec)),
      /^Pod shop\/web-1 cannot be read: /,
    );
  });

  it('is named where the text is no JSON', () => {
    const text = JSON.stringify({ type: 'MODIFIED', object: { kind: 'Pod', apiVersion: 'v1', ...shop } });
    const line = Buffer.from(text.replace('"status":', '"status":\u0001'));
    assert.match(
      message(() => decodeJsonFrame(podCodec, line, 0, line.length)),
      /^Pod shop\/web-1 cannot be read: malformed JSON in \d+ bytes$/,
    );
  });

  it('has no name where none can be read, and no name that Kubernetes would not take', () => {
    const nameless = { ...broken, metadata: { name: '\u001b[31m', namespace: 'shop' } };
    for (const object of [nameless, { ...broken, metadata: {} }, 7]) {
      assert.throws(() => listFromJson({ items: [object] }, podCodec), { message: /^malformed object/ });
    }
    const frame = encodeWatchEvent('ADDED', encodeUnknown('v1', 'Pod', Buffer.from([0x0a, 0x7f])));
    assert.throws(() => decodeProtobufFrame(podCodec, frame, 0, frame.length), { message: /^malformed protobuf/ });
  });

  it('of no namespace is named by its name alone', () => {
    const object = { ...broken, metadata: { name: 'node-1' } };
    assert.match(
      message(() => listFromJson({ items: [object] }, podCodec)),
      /^Pod node-1 cannot be read/,
    );
  });
});
