// Kinds without a declared view (custom resources, and whatever a user asks for): the parsed JSON itself.
import { DecodeError } from '../errors.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import type { ObjectCodec } from './codec.ts';
import { objectOf } from './json-reader.ts';

/** The caller vouches for `T`; only that there is an object with metadata is checked. */
export function jsonCodec<T extends { metadata: object } = KubeObject>(
  apiVersion: string,
  kind: string,
): ObjectCodec<T> {
  return {
    kind,
    apiVersion,
    fromProtobuf: undefined,
    fromJson(json) {
      objectOf(objectOf(json, kind)['metadata'], `${kind}.metadata`);
      return json as T;
    },
  };
}

/** The whole of these bytes as JSON. */
export function parseJson(bytes: Buffer, start = 0, end: number = bytes.length): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', start, end));
  } catch (cause) {
    throw new DecodeError(`malformed JSON in ${end - start} bytes`, { cause });
  }
}
