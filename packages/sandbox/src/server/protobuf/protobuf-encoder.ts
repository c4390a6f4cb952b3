// placeholder
import type { ObjectEncoder } from '../encoding/object-encoder.ts';
export function protobufEncoder(): ObjectEncoder {
  throw new Error('not yet');
}
