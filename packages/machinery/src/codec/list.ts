// Whole lists, as a unary answer holds them: protobuf with its envelope, or parsed JSON. Called by the client and by the
// reflector's paginated fallback.
import { DecodeError } from '../errors.ts';
import type { ListMeta } from '../objects/kube-object.ts';
import type { ObjectCodec } from './codec.ts';
import { readUnknown } from './envelope.ts';
import { integer, objectOf, part, text } from './json-reader.ts';
import { jsonObject, protobufObject } from './object-name.ts';
import { ProtoReader } from './proto-reader.ts';

export interface DecodedList<T> {
  /** Its resourceVersion is '' and its `continue` absent when the server sent none. */
  readonly metadata: ListMeta & { readonly resourceVersion: string };
  readonly items: T[];
}

export function readList<T>(bytes: Buffer, codec: ObjectCodec<T>): DecodedList<T> {
  const envelope = readUnknown(bytes, 0, bytes.length);
  if (envelope.kind !== `${codec.kind}List` || envelope.apiVersion !== codec.apiVersion) {
    throw new DecodeError(
      `expected ${codec.apiVersion} ${codec.kind}List but the server sent ${envelope.apiVersion} ${envelope.kind}`,
    );
  }
  if (codec.fromProtobuf === undefined) throw new DecodeError(`${codec.kind} has no protobuf reader`);
  // Its own cursor: the codec uses another one for each item.
  const r = new ProtoReader();
  r.begin(bytes, envelope.rawStart, envelope.rawEnd);
  let metadata = listMeta('', '', undefined);
  const items: T[] = [];
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        metadata = readListMeta(r, tag);
        break;
      case 2: {
        const length = r.length(tag);
        items.push(protobufObject(codec, bytes, r.pos, r.pos + length));
        r.pos += length;
        break;
      }
      default:
        r.skip(tag);
    }
  }
  return { metadata, items };
}

export function listFromJson<T>(json: unknown, codec: ObjectCodec<T>): DecodedList<T> {
  const object = objectOf(json, `list of ${codec.kind}`);
  // A custom resource may name its list kind as it likes, so only what cannot be a list is refused.
  if (object['kind'] === 'Status')
    throw new DecodeError(`expected a list of ${codec.kind} but the server sent a Status`);
  const items = object['items'] ?? [];
  if (!Array.isArray(items)) throw new DecodeError(`malformed list of ${codec.kind}: items is not a list`);
  const meta = part(object, 'metadata');
  return {
    metadata: listMeta(text(meta, 'resourceVersion'), text(meta, 'continue'), integer(meta, 'remainingItemCount')),
    items: items.map((item) => jsonObject(codec, item)),
  };
}

function readListMeta(r: ProtoReader, outerTag: number): DecodedList<unknown>['metadata'] {
  const outer = r.enter(outerTag);
  let resourceVersion = '';
  let next = '';
  let remaining: number | undefined;
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 2:
        resourceVersion = r.text(tag);
        break;
      case 3:
        next = r.text(tag);
        break;
      case 4:
        remaining = r.int64(tag);
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
  return listMeta(resourceVersion, next, remaining);
}

function listMeta(
  resourceVersion: string,
  next: string,
  remaining: number | undefined,
): DecodedList<unknown>['metadata'] {
  return {
    resourceVersion,
    ...(next === '' ? {} : { continue: next }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
}
