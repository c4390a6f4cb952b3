// A checksum behind every stored body: SQLite itself does not notice a flipped byte inside a value.
import { crc32 } from 'node:zlib';
import { HistoryError } from '../../errors.ts';

const SIZE = 4;

export function sealed(body: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(body.length + SIZE);
  body.copy(whole);
  whole.writeUInt32LE(crc32(body), body.length);
  return whole;
}

/** The body without its checksum. Throws `corrupt-row` when they do not belong together; only then asks where it is. */
export function unsealed(whole: Uint8Array, where: () => string): Buffer {
  const end = whole.length - SIZE;
  if (end >= 0) {
    const body = Buffer.from(whole.buffer, whole.byteOffset, end);
    const sum = (whole[end]! | (whole[end + 1]! << 8) | (whole[end + 2]! << 16) | (whole[end + 3]! << 24)) >>> 0;
    if (crc32(body) === sum) return body;
  }
  throw corruptRow(where());
}

export function corruptRow(where: string, cause?: unknown): HistoryError {
  return new HistoryError('corrupt-row', `a record of the store is damaged (${where}) and is not answered from`, {
    hint: '`podtrail store verify` lists what is damaged; restore the store from a backup to have it back.',
    cause,
  });
}

/** Handles are found by this and then compared in full. */
export function handleOf(...parts: string[]): number {
  return crc32(parts.join('\0'));
}
