// From the bytes of a watch to calls on its sink: splits frames, decodes each, separates events, bookmarks and refusals
// apart. After `stop` it ignores the rest of the chunk it is in.

import type { ObjectCodec } from '../codec/codec.ts';
import type { BodyFormat } from '../codec/content-type.ts';
import { JsonLineSplitter, type OnFrame, ProtobufFrameSplitter } from '../codec/watch-frame-splitter.ts';
import { decodeJsonFrame, decodeProtobufFrame } from '../codec/watch-message.ts';
import { ApiError } from '../errors.ts';

export interface EventSink<T> {
  onEvent(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void;
  onBookmark(resourceVersion: string, endsInitialEvents: boolean): void;
  /** An ERROR event: the server ends the watch and says why. */
  onStatus(status: ApiError): void;
}

export interface EventReader {
  push(chunk: Buffer): void;
  /** Throws a DecodeError when the stream ended inside a frame. */
  end(): void;
  stop(): void;
}

export function eventReader<T>(format: BodyFormat, codec: ObjectCodec<T>, sink: EventSink<T>): EventReader {
  const decode = format === 'protobuf' ? decodeProtobufFrame : decodeJsonFrame;
  let stopped = false;
  const onFrame: OnFrame = (bytes, start, end) => {
    if (stopped) return;
    const message = decode(codec, bytes, start, end);
    switch (message.type) {
      case 'BOOKMARK':
        sink.onBookmark(message.resourceVersion, message.initialEventsEnd);
        return;
      case 'ERROR':
        sink.onStatus(new ApiError(message.status.code ?? 500, message.status, undefined));
        return;
      default:
        sink.onEvent(message.type, message.object);
    }
  };
  const splitter = format === 'protobuf' ? new ProtobufFrameSplitter(onFrame) : new JsonLineSplitter(onFrame);
  return {
    push: (chunk) => splitter.push(chunk),
    end: () => splitter.end(),
    stop: () => {
      stopped = true;
    },
  };
}
