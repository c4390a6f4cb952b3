// Kubernetes objects, given as JSON, in the bytes that an API server sends for them: objects, lists, envelopes, watch
// frames. For scripted servers and codec tests; shares no code with the reader, so that it can disagree with it.
import { type MessageName, messages } from './protobuf-messages.ts';

type Json = Readonly<Record<string, unknown>>;

export const encodePod = (pod: Json): Buffer => encodeMessage('Pod', pod);
export const encodeNode = (node: Json): Buffer => encodeMessage('Node', node);
export const encodeService = (service: Json): Buffer => encodeMessage('Service', service);
export const encodeEvent = (event: Json): Buffer => encodeMessage('Event', event);
export const encodePartialObjectMetadata = (object: Json): Buffer => encodeMessage('PartialObjectMetadata', object);

/** A Status with its envelope, as the body of an error response or inside of an ERROR event. */
export const encodeStatus = (status: Json): Buffer => encodeUnknown('v1', 'Status', encodeMessage('Status', status));

/** A PodList with its envelope, as the body of a list response. */
export function encodePodList(pods: readonly Json[], metadata: Json = {}): Buffer {
  return encodeList('v1', 'Pod', pods.map(encodePod), metadata);
}

/** A list of any kind with its envelope; the items are encoded already. */
export function encodeList(apiVersion: string, kind: string, items: readonly Buffer[], metadata: Json = {}): Buffer {
  const meta = delimited(1, encodeMessage('ListMeta', metadata));
  return encodeUnknown(apiVersion, `${kind}List`, Buffer.concat([meta, ...items.map((item) => delimited(2, item))]));
}

/** `k8s\0` and runtime.Unknown around an encoded object. */
export function encodeUnknown(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const typeMeta = Buffer.concat([delimited(1, Buffer.from(apiVersion)), delimited(2, Buffer.from(kind))]);
  return Buffer.concat([
    Buffer.from('k8s\0'),
    delimited(1, typeMeta),
    delimited(2, raw),
    delimited(3, Buffer.alloc(0)),
    delimited(4, Buffer.alloc(0)),
  ]);
}

/** A WatchEvent around an enveloped object; put it into a `frame` to send it. */
export function encodeWatchEvent(type: string, enveloped: Buffer): Buffer {
  return Buffer.concat([delimited(1, Buffer.from(type)), delimited(2, delimited(1, enveloped))]);
}

/** A BOOKMARK WatchEvent; with `initialEventsEnd` the one that ends a WatchList. */
export function encodeBookmark(
  resourceVersion: string,
  options: { apiVersion?: string; kind?: string; initialEventsEnd?: boolean } = {},
): Buffer {
  const annotations = options.initialEventsEnd ? { 'k8s.io/initial-events-end': 'true' } : {};
  const object = encodePartialObjectMetadata({ metadata: { resourceVersion, annotations } });
  return encodeWatchEvent('BOOKMARK', encodeUnknown(options.apiVersion ?? 'v1', options.kind ?? 'Pod', object));
}

/** A whole pod event, ready to send. */
export function podFrame(type: string, pod: Json): Buffer {
  return frame(encodeWatchEvent(type, encodeUnknown('v1', 'Pod', encodePod(pod))));
}

/** The 4-byte length that precedes each event of a protobuf watch. */
export function frame(event: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

/** Any message that `protobuf-messages.ts` describes. A field that it does not describe is refused, not dropped. */
export function encodeMessage(name: MessageName, json: Json): Buffer {
  const fields = messages[name];
  const parts: { readonly number: number; readonly bytes: Buffer }[] = [];
  for (const [key, value] of Object.entries(json)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    // The envelope says what an object is; inside of it, protobuf objects do not repeat that.
    if (value === undefined || value === null || (field === undefined && /^(?:apiVersion|kind)$/.test(key))) continue;
    if (field === undefined) throw new Error(`protobuf-writer knows no field ${key} of ${name}`);
    const [number, type] = field;
    const list = type.endsWith('[]');
    for (const item of list ? (value as unknown[]) : [value]) {
      for (const bytes of encodeField(number, list ? type.slice(0, -2) : type, item)) parts.push({ number, bytes });
    }
  }
  // Go writes the fields in the order of their numbers.
  return Buffer.concat(parts.sort((a, b) => a.number - b.number).map((part) => part.bytes));
}

function encodeField(number: number, type: string, value: unknown): Buffer[] {
  switch (type) {
    case 'string':
      return [delimited(number, Buffer.from(String(value)))];
    case 'int':
      return [Buffer.concat([varint(number << 3), varint(Number(value))])];
    case 'bool':
      return [Buffer.concat([varint(number << 3), varint(value ? 1 : 0)])];
    case 'time':
      return [delimited(number, timestamp(String(value)))];
    case 'map':
    case 'quantities':
      return Object.entries(value as Record<string, string>)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, text]) => {
          const bytes = Buffer.from(text);
          const encoded = type === 'map' ? bytes : delimited(1, bytes);
          return delimited(number, Buffer.concat([delimited(1, Buffer.from(key)), delimited(2, encoded)]));
        });
    default:
      return [delimited(number, encodeMessage(type as MessageName, value as Json))];
  }
}

function timestamp(rfc3339: string): Buffer {
  const seconds = Math.floor(Date.parse(rfc3339) / 1000);
  const fraction = /\.(\d+)/.exec(rfc3339)?.[1] ?? '';
  const nanos = Number(fraction.slice(0, 9).padEnd(9, '0'));
  return Buffer.concat([varint(0x08), varint(seconds), varint(0x10), varint(nanos)]);
}

function delimited(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

/** Negative numbers take ten bytes, as int32 and int64 do in Go. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 127n);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 128);
  } while (rest !== 0n);
  return Buffer.from(bytes);
}
