// The protobuf form of built-in resources: objects, lists, and watch frames with their length in front.
import type { KubeObject } from '../../api/cluster-api.ts';
import { apiVersionOf, type ResourceType } from '../../api/resource-type.ts';
import { PROTOBUF } from '../content-negotiation.ts';
import { bookmarkMetadata, type ObjectEncoder } from '../encoding/object-encoder.ts';
import { sealed } from './envelope.ts';
import { messageSchema } from './message-schema.ts';
import { MessageWriter } from './message-writer.ts';
import { encodeStatus } from './status-message.ts';

/** Custom resources and their definitions are JSON only. */
export function hasProtobuf(type: ResourceType): boolean {
  return !type.custom && messageSchema(type.kind) !== undefined;
}

export function protobufEncoder(type: ResourceType, version: string): ObjectEncoder {
  const apiVersion = apiVersionOf(type.group, version);
  const object = (given: unknown) => sealed(apiVersion, type.kind, (writer) => writer.message(type.kind, given));
  return {
    contentType: PROTOBUF,
    watchContentType: `${PROTOBUF};stream=watch`,
    object: (given) => object(given),
    list: (meta, items) => [
      sealed(apiVersion, type.listKind, (writer) => {
        writer.nested(1, () => writer.message('ListMeta', meta));
        for (const item of items) writer.nested(2, () => writer.message(type.kind, item));
      }),
    ],
    event: (event, given: KubeObject) => frame(event, object(given)),
    bookmark: (resourceVersion, end) => frame('BOOKMARK', object({ metadata: bookmarkMetadata(resourceVersion, end) })),
    error: (status) => frame('ERROR', encodeStatus(status)),
  };
}

function frame(type: string, object: Uint8Array): Uint8Array {
  const writer = new MessageWriter();
  writer.text(1, type);
  writer.nested(2, () => writer.bytes(1, object));
  const event = writer.take();
  const bytes = Buffer.allocUnsafe(4 + event.length);
  bytes.writeUInt32BE(event.length, 0);
  bytes.set(event, 4);
  return bytes;
}
