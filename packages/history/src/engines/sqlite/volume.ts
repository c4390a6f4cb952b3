// The volume that a store lies on: how large it is and how much of it is free, as the system says.
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Volume {
  readonly bytes: number;
  /** For this user: what is reserved for root does not count. */
  readonly freeBytes: number;
}

const MOST_LOG_BYTES = 16_777_216;

export function volumeOf(path: string): Volume {
  const { bsize, blocks, bavail } = statfsSync(dirname(path));
  return { bytes: blocks * bsize, freeBytes: bavail * bsize };
}

/** How long the head's log may become before it is brought into the file: less on a small volume. */
export function logBytes({ bytes }: Volume): number {
  return Math.max(262_144, Math.min(MOST_LOG_BYTES, Math.floor(bytes / 16)));
}
