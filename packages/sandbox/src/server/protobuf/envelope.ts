// The envelope that Kubernetes puts around every protobuf object: four bytes of magic, then a message that gives the
// type and holds the object.
import { badRequest } from '../../api/api-status-error.ts';
import type { JsonObject } from '../../api/json-object.ts';
import { readMessage, wireFields } from './message-reader.ts';
import { MessageWriter } from './message-writer.ts';

const MAGIC = Buffer.from('k8s\0', 'latin1');

/** `write` writes the fields of the object itself. */
export function sealed(apiVersion: string, kind: string, write: (writer: MessageWriter) => void): Uint8Array {
  const writer = new MessageWriter();
  writer.raw(MAGIC);
  writer.nested(1, () => {
    writer.text(1, apiVersion);
    writer.text(2, kind);
  });
  writer.nested(2, () => write(writer));
  writer.text(3, '');
  writer.text(4, '');
  return writer.take();
}

/** What a client sent, as JSON. */
export function unseal(bytes: Uint8Array, expectedKind: string): JsonObject {
  const broken = (why: string) =>
    badRequest(`the object provided is unrecognized (must be of type ${expectedKind}): ${why}`);
  if (!MAGIC.equals(Buffer.from(bytes.subarray(0, 4))))
    throw broken('the provided data does not have the prefix of protobuf');
  let apiVersion = '';
  let kind = '';
  let raw: Uint8Array = new Uint8Array();
  try {
    for (const { number, value } of wireFields(bytes.subarray(4))) {
      if (!(value instanceof Uint8Array)) continue;
      if (number === 2) raw = value;
      if (number === 1) {
        for (const field of wireFields(value)) {
          if (field.number === 1) apiVersion = Buffer.from(field.value as Uint8Array).toString();
          if (field.number === 2) kind = Buffer.from(field.value as Uint8Array).toString();
        }
      }
    }
    return { kind, apiVersion, ...readMessage(kind, raw) };
  } catch (error) {
    throw broken((error as Error).message);
  }
}
