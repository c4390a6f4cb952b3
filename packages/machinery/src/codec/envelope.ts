// What Kubernetes wraps protobuf objects in: `k8s\0` + runtime.Unknown around every object, WatchEvent around each of a
// watch. Called for every frame; returns ranges into the caller's bytes and copies none of them.
import { DecodeError } from '../errors.ts';
import { ProtoReader } from './proto-reader.ts';

/** What an envelope says of the object inside, and where that object's own bytes lie. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly rawStart: number;
  readonly rawEnd: number;
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** One WatchEvent; the range holds an enveloped object (see `readUnknown`). */
export interface WatchEventRange {
  readonly type: WatchEventType;
  readonly objectStart: number;
  readonly objectEnd: number;
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const reader = new ProtoReader();

export function readUnknown(bytes: Buffer, start: number, end: number): Envelope {
  const r = reader;
  r.begin(bytes, start, end);
  try {
    // "k8s\0"
    if (end - start < 4 || bytes.readUInt32BE(start) !== 0x6b38_7300) {
      throw new DecodeError('not a Kubernetes protobuf object: it does not begin with k8s\\0', {
        hint: 'A proxy between this client and the API server may have replaced the answer.',
      });
    }
    r.pos += 4;
    let apiVersion = '';
    let kind = '';
    let rawStart = start;
    let rawEnd = start;
    while (r.pos < r.limit) {
      const tag = r.tag();
      switch (tag >>> 3) {
        case 1: {
          const outer = r.enter(tag);
          while (r.pos < r.limit) {
            const inner = r.tag();
            if (inner >>> 3 === 1) apiVersion = r.interned(inner);
            else if (inner >>> 3 === 2) kind = r.interned(inner);
            else r.skip(inner);
          }
          r.leave(outer);
          break;
        }
        case 2: {
          const length = r.length(tag);
          rawStart = r.pos;
          rawEnd = r.pos += length;
          break;
        }
        case 3:
          if (r.interned(tag) !== '') throw new DecodeError('the object inside the protobuf envelope is encoded');
          break;
        case 4: {
          const contentType = r.interned(tag);
          if (contentType === '' || contentType === PROTOBUF) break;
          throw new DecodeError(`the object inside the protobuf envelope is ${contentType}`);
        }
        default:
          r.skip(tag);
      }
    }
    return { apiVersion, kind, rawStart, rawEnd };
  } finally {
    r.finish();
  }
}

export function readWatchEvent(bytes: Buffer, start: number, end: number): WatchEventRange {
  const r = reader;
  r.begin(bytes, start, end);
  try {
    let type = '';
    let objectStart = start;
    let objectEnd = start;
    while (r.pos < r.limit) {
      const tag = r.tag();
      switch (tag >>> 3) {
        case 1:
          type = r.interned(tag);
          break;
        case 2: {
          const outer = r.enter(tag);
          while (r.pos < r.limit) {
            const inner = r.tag();
            if (inner >>> 3 !== 1) {
              r.skip(inner);
              continue;
            }
            const length = r.length(inner);
            objectStart = r.pos;
            objectEnd = r.pos += length;
          }
          r.leave(outer);
          break;
        }
        default:
          r.skip(tag);
      }
    }
    return { type: watchEventType(type), objectStart, objectEnd };
  } finally {
    r.finish();
  }
}

export function watchEventType(type: unknown): WatchEventType {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
    case 'ERROR':
      return type;
    default:
      throw new DecodeError(`unknown watch event type ${JSON.stringify(type)}`);
  }
}
