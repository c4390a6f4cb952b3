// Just enough of the protobuf wire format to read what a server sent: fields by number, nothing decoded further.
export interface ProtobufFields {
  bytes(field: number): Buffer | undefined;
  text(field: number): string | undefined;
  all(field: number): readonly Buffer[];
}

/** What stands before every message that Kubernetes sends outside of a watch frame: "k8s" and a zero. */
export const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

export function readFields(message: Buffer): ProtobufFields {
  const found = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const [field, wire] = [Math.floor(tag / 8), tag % 8];
    if (wire === 0) varint();
    else if (wire === 1 || wire === 5) at += wire === 1 ? 8 : 4;
    else if (wire === 2) {
      const length = varint();
      if (at + length > message.length) throw new Error(`field ${field} is longer than its message`);
      const values = found.get(field) ?? [];
      values.push(message.subarray(at, at + length));
      found.set(field, values);
      at += length;
    } else throw new Error(`wire type ${wire} of field ${field}`);
  }
  return {
    bytes: (field) => found.get(field)?.[0],
    text: (field) => found.get(field)?.[0]?.toString('utf8'),
    all: (field) => found.get(field) ?? [],
  };
}

/** The envelope `runtime.Unknown`: 1 is the TypeMeta (1 apiVersion, 2 kind), 2 the object itself. */
export function openEnvelope(bytes: Buffer): { apiVersion: string; kind: string; object: ProtobufFields } {
  if (!bytes.subarray(0, 4).equals(MAGIC)) throw new Error(`no envelope: ${bytes.subarray(0, 16).toString('hex')}`);
  const unknown = readFields(bytes.subarray(4));
  const type = readFields(unknown.bytes(1) ?? Buffer.alloc(0));
  return {
    apiVersion: type.text(1) ?? '',
    kind: type.text(2) ?? '',
    object: readFields(unknown.bytes(2) ?? Buffer.alloc(0)),
  };
}
