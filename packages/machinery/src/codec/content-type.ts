// Which format to ask for and which one came. Whatever is not Kubernetes' protobuf is tried as JSON.
import type { ObjectCodec } from './codec.ts';

export type BodyFormat = 'protobuf' | 'json';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const JSON_TYPE = 'application/json';

/** From a Content-Type header, parameters and all. */
export function bodyFormat(contentType: string | undefined): BodyFormat {
  const [type = ''] = (contentType ?? '').split(';', 1);
  return type.trim().toLowerCase() === PROTOBUF ? 'protobuf' : 'json';
}

/** The Accept header for a list, or for a watch or a single object. */
export function acceptHeader(
  codec: Pick<ObjectCodec<unknown>, 'kind' | 'fromProtobuf'>,
  what: 'list' | 'watch' | 'object',
): string {
  // Metadata alone is not a kind that the server stores but a form that it offers of every kind.
  const form = what === 'list' ? `${codec.kind}List` : codec.kind;
  const as = codec.kind === 'PartialObjectMetadata' ? `;as=${form};g=meta.k8s.io;v=v1` : '';
  return codec.fromProtobuf === undefined ? JSON_TYPE + as : `${PROTOBUF}${as},${JSON_TYPE}${as}`;
}

/** The same codec for an Accept header that does not offer protobuf. */
export function jsonOnly(
  codec: Pick<ObjectCodec<unknown>, 'kind'>,
): Pick<ObjectCodec<unknown>, 'kind' | 'fromProtobuf'> {
  return { kind: codec.kind, fromProtobuf: undefined };
}
