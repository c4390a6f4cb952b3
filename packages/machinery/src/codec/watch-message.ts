// One frame of a watch, in either format, as the reflector wants it. A frame that is not what was asked for is a
// DecodeError: nothing is skipped.
import { DecodeError, type StatusBody } from '../errors.ts';
import type { ObjectCodec } from './codec.ts';
import { readUnknown, readWatchEvent, type WatchEventType, watchEventType } from './envelope.ts';
import { parseJson } from './json-codec.ts';
import { objectOf } from './json-reader.ts';
import { metadataCodec } from './metadata-codec.ts';
import type { MetadataOnlyView } from './metadata-view.ts';
import { jsonObject, namedInText, protobufObject } from './object-name.ts';
import { statusFromJson, statusFromProtobuf } from './status.ts';

export type WatchMessage<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | ({ readonly type: 'BOOKMARK' } & Bookmark)
  | { readonly type: 'ERROR'; readonly status: StatusBody };

export interface Bookmark {
  readonly resourceVersion: string;
  /** The initial events of a WatchList end here. */
  readonly initialEventsEnd: boolean;
}

/** A protobuf frame without its length prefix. */
export function decodeProtobufFrame<T>(
  codec: ObjectCodec<T>,
  bytes: Buffer,
  start: number,
  end: number,
): WatchMessage<T> {
  const event = readWatchEvent(bytes, start, end);
  const { apiVersion, kind, rawStart, rawEnd } = readUnknown(bytes, event.objectStart, event.objectEnd);
  if (event.type === 'ERROR') {
    if (kind !== 'Status') throw new DecodeError(`a watch ERROR event holds ${apiVersion} ${kind} instead of a Status`);
    return { type: 'ERROR', status: statusFromProtobuf(bytes, rawStart, rawEnd) };
  }
  if (kind !== codec.kind || apiVersion !== codec.apiVersion) throw otherKind(codec, apiVersion, kind);
  if (event.type === 'BOOKMARK') return { type: 'BOOKMARK', ...readBookmark(bytes, rawStart, rawEnd) };
  return { type: event.type, object: protobufObject(codec, bytes, rawStart, rawEnd) };
}

/** One line of a JSON watch. */
export function decodeJsonFrame<T>(codec: ObjectCodec<T>, bytes: Buffer, start: number, end: number): WatchMessage<T> {
  const { type, object } = readJsonWatchLine(codec, bytes, start, end);
  if (type === 'ERROR') return { type, status: statusFromJson(object) };
  const { apiVersion, kind } = objectOf(object, 'watch event object');
  if (kind !== codec.kind || apiVersion !== codec.apiVersion) throw otherKind(codec, apiVersion, kind);
  if (type === 'BOOKMARK') return { type, ...bookmarkFromJson(object) };
  return { type, object: jsonObject(codec, object) };
}

function readJsonWatchLine(
  codec: ObjectCodec<unknown>,
  bytes: Buffer,
  start: number,
  end: number,
): { readonly type: WatchEventType; readonly object: unknown } {
  const event = objectOf(parsedLine(codec, bytes, start, end), 'watch event');
  return { type: watchEventType(event['type']), object: event['object'] };
}

function parsedLine(codec: ObjectCodec<unknown>, bytes: Buffer, start: number, end: number): unknown {
  try {
    return parseJson(bytes, start, end);
  } catch (error) {
    throw namedInText(error, codec.kind, bytes, start, end);
  }
}

/** The object of a BOOKMARK event (of whatever kind), without its envelope. */
function readBookmark(bytes: Buffer, start: number, end: number): Bookmark {
  return bookmarkOf(metadataCodec.fromProtobuf!(bytes, start, end));
}

function bookmarkFromJson(json: unknown): Bookmark {
  return bookmarkOf(metadataCodec.fromJson(json));
}

function bookmarkOf({ metadata }: MetadataOnlyView): Bookmark {
  return {
    resourceVersion: metadata.resourceVersion,
    initialEventsEnd: metadata.annotations.get('k8s.io/initial-events-end') === 'true',
  };
}

function otherKind(codec: ObjectCodec<unknown>, apiVersion: unknown, kind: unknown): DecodeError {
  return new DecodeError(
    `a watch of ${codec.apiVersion} ${codec.kind} sent an object of ${String(apiVersion)} ${String(kind)}`,
  );
}
