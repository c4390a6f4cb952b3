// Which object it was that could not be read: its namespace and name, taken from the bytes as far as these can be read.
// Called only when decoding has failed; never throws anything but the failure, with the name in it.
import { DecodeError } from '../errors.ts';
import type { ObjectCodec } from './codec.ts';
import { ProtoReader } from './proto-reader.ts';

interface Named {
  name: string;
  namespace: string;
}

/** What Kubernetes takes as a name: anything else was not read right. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9.:_-]{0,252}$/;
/** Metadata comes first, with the name at its head. */
const LOOKED_AT = 4096;
const HINT = 'see whether kubectl can read it (kubectl get -o yaml); nothing else of the kind is read until it can be.';

export function protobufObject<T>(codec: ObjectCodec<T>, bytes: Buffer, start: number, end: number): T {
  if (codec.fromProtobuf === undefined) throw new DecodeError(`${codec.kind} has no protobuf reader`);
  try {
    return codec.fromProtobuf(bytes, start, end);
  } catch (error) {
    throw named(error, codec.kind, namedInProtobuf(bytes, start, end));
  }
}

export function jsonObject<T>(codec: ObjectCodec<T>, json: unknown): T {
  try {
    return codec.fromJson(json);
  } catch (error) {
    throw named(error, codec.kind, namedInJson(json));
  }
}

/** The same for text that is no JSON. */
export function namedInText(error: unknown, kind: string, bytes: Buffer, start: number, end: number): unknown {
  const head = bytes.toString('utf8', start, Math.min(end, start + LOOKED_AT));
  const metadata = head.slice(Math.max(0, head.indexOf('"metadata"')));
  const of = (field: string) => new RegExp(`"${field}"\\s*:\\s*"([^"\\\\]+)"`).exec(metadata)?.[1] ?? '';
  return named(error, kind, head.includes('"metadata"') ? { name: of('name'), namespace: of('namespace') } : undefined);
}

function named(error: unknown, kind: string, found: Named | undefined): unknown {
  if (!(error instanceof DecodeError) || found === undefined || !NAME.test(found.name)) return error;
  const where = NAME.test(found.namespace) ? `${found.namespace}/` : '';
  return new DecodeError(`${kind} ${where}${found.name} cannot be read: ${error.message}`, {
    ...{ cause: error, hint: error.hint ?? HINT },
  });
}

function namedInJson(json: unknown): Named | undefined {
  const metadata = (json as { metadata?: { name?: unknown; namespace?: unknown } } | null)?.metadata;
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
  return { name: textOf(metadata?.name), namespace: textOf(metadata?.namespace) };
}

/** Up to where the bytes are broken. */
function namedInProtobuf(bytes: Buffer, start: number, end: number): Named {
  const found = { name: '', namespace: '' };
  const r = new ProtoReader();
  try {
    r.begin(bytes, start, end);
    while (r.pos < r.limit) {
      const tag = r.tag();
      if (tag >>> 3 !== 1) {
        r.skip(tag);
        continue;
      }
      const outer = r.enter(tag);
      while (r.pos < r.limit) readNameField(r, found);
      r.leave(outer);
    }
  } catch {
    // What was read before it is enough.
  }
  return found;
}

function readNameField(r: ProtoReader, found: Named): void {
  const tag = r.tag();
  if (tag >>> 3 === 1) found.name = r.text(tag);
  else if (tag >>> 3 === 3) found.namespace = r.text(tag);
  else r.skip(tag);
}
