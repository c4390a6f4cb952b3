// Names of which only is asked whether they are the same as before, as a number: FNV-1a, 32 bits, of their bytes.
import type { ProtoReader } from './proto-reader.ts';

const PRIME = 0x0100_0193;

export const NOTHING_DIGESTED = 0x811c_9dc5;

/** A string field of a message, added to what was digested before. */
export function digestName(r: ProtoReader, tag: number, digest: number): number {
  const length = r.length(tag);
  const from = r.pos;
  r.pos = from + length;
  return mix(digest, r.bytes, from, from + length);
}

export function digestText(name: string, digest: number): number {
  const bytes = Buffer.from(name);
  return mix(digest, bytes, 0, bytes.length);
}

/** A zero ends each name; one that is empty, which not every encoder writes, counts for nothing. */
function mix(digest: number, bytes: Uint8Array, from: number, to: number): number {
  if (from === to) return digest;
  let mixed = digest;
  for (let i = from; i < to; i++) mixed = Math.imul(mixed ^ bytes[i]!, PRIME);
  return Math.imul(mixed, PRIME) >>> 0;
}
