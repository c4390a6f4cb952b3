// The contract between the codec and its callers (reflector, client, informer), and the codecs of the kinds we declare.
// A codec decodes only the fields its view names; everything else is skipped unread.

/** A declared view of one kind: how to read it from protobuf bytes and from parsed JSON. */
export interface ObjectCodec<T> {
  /** "Pod" */
  readonly kind: string;
  /** "v1" */
  readonly apiVersion: string;
  /**
   * Reads the object's own bytes (the `raw` of its envelope). The view keeps no part of the buffer.
   * Undefined when the kind has no protobuf reader (custom resources): JSON only.
   */
  readonly fromProtobuf: ((bytes: Buffer, start: number, end: number) => T) | undefined;
  readonly fromJson: (json: unknown) => T;
}

export { eventCodec } from './event-codec.ts';
export { jsonCodec } from './json-codec.ts';
export { metadataCodec } from './metadata-codec.ts';
export { nodeCodec } from './node-codec.ts';
export { podCodec } from './pod-codec.ts';
export { serviceCodec } from './service-codec.ts';
