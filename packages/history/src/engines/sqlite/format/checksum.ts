// A checksum behind every stored body: SQLite itself does not notice a flipped byte inside a value, nor a row that a
// damaged page hides. Sums of the checksums of a set tell whether the set is complete, in whatever order it is read.
import { crc32 } from 'node:zlib';
import { HistoryError } from '../../../errors.ts';

const SIZE = 4;
const ONE = 2 ** 32;
const MODULUS = 2 ** 52;

let isChecking = true;

/** Only for the harness that shows that it finds wrong answers in a store without checks. */
export function switchChecks(on: boolean): void {
  isChecking = on;
}

/** Whether what was computed is what was stored. Every check of the store goes through here. */
export function agrees(found: number | string, stored: number | string | undefined): boolean {
  return found === stored || !isChecking;
}

/** The same for what is more than one comparison. */
export function isSound(isAsWritten: boolean): boolean {
  return isAsWritten || !isChecking;
}

export function sealed(body: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(body.length + SIZE);
  body.copy(whole);
  whole.writeUInt32LE(crc32(body), body.length);
  return whole;
}

/** The body without its checksum. Throws `damaged` when they do not belong together; only then asks where it is. */
export function unsealed(whole: Uint8Array, where: () => string): Buffer {
  // What a damaged page has in this place may be anything.
  const end = whole instanceof Uint8Array ? whole.length - SIZE : -1;
  if (end >= 0) {
    const body = Buffer.from(whole.buffer, whole.byteOffset, end);
    if (agrees(crc32(body), checksumOf(whole))) return body;
  }
  throw damaged(where());
}

/** As it is stored, unchecked. */
export function checksumOf(whole: Uint8Array): number {
  const end = whole instanceof Uint8Array ? whole.length - SIZE : -1;
  if (end < 0) return 0;
  return (whole[end]! | (whole[end + 1]! << 8) | (whole[end + 2]! << 16) | (whole[end + 3]! << 24)) >>> 0;
}

/** The sum of a set, with one more member. Counts members too: one whose checksum is 0 makes a difference. */
export function withMember(sum: number, checksum: number): number {
  return (sum + checksum + ONE) % MODULUS;
}

export function withoutMember(sum: number, checksum: number): number {
  return (sum - checksum - ONE + MODULUS) % MODULUS;
}

export function damaged(where: string, cause?: unknown): HistoryError {
  return new HistoryError('damaged', `a part of the store is damaged and is not answered from: ${where}`, {
    hint: '`podtrail store verify` lists what is damaged; restore the store from a backup to have it back.',
    cause,
  });
}

/** What cannot be read for whatever reason is a damaged record. */
export function orDamaged<T>(where: () => string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw error instanceof HistoryError ? error : damaged(where(), error);
  }
}

/** Handles are found by this and then compared in full. */
export function handleOf(...parts: string[]): number {
  return crc32(parts.join('\0'));
}
