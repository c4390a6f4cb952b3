// A file beside the store that holds nothing but room. Removing records from a full disk needs some disk first: to bring
// the log into the file, and to write down what is removed. A recorder lays it while there is room; what makes room
// releases it, and lays it again afterwards. Recording never uses it.

import { randomFillSync } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { logBytes, volumeOf } from './volume.ts';

/** On a smaller volume it would be in the way. */
const SMALLEST_VOLUME = 33_554_432;
/** What opening a store needs: the index of the log. */
const OPENING_BYTES = 262_144;
const BLOCK_BYTES = 1_048_576;

export class Ballast {
  readonly path: string;

  constructor(headPath: string) {
    this.path = `${headPath}.ballast`;
  }

  get bytes(): number {
    return existsSync(this.path) ? statSync(this.path).size : 0;
  }

  /** Lays it, or what is missing of it, where there is four times as much room. Failing costs nothing but the ballast. */
  keep(): void {
    const volume = volumeOf(this.path);
    const wanted = volume.bytes < SMALLEST_VOLUME ? 0 : Math.floor(logBytes(volume) * 1.5);
    const missing = wanted - this.bytes;
    if (missing <= 0 || volume.freeBytes < 4 * wanted) return;
    try {
      this.#fill(wanted);
    } catch {
      this.release();
    }
  }

  /** There is not even the room that opening a store takes. */
  isNeededToOpen(): boolean {
    return volumeOf(this.path).freeBytes < OPENING_BYTES;
  }

  /** Frees all of it. Returns whether that freed anything. */
  release(): boolean {
    const wasThere = this.bytes > 0;
    rmSync(this.path, { force: true });
    return wasThere;
  }

  /** Frees as much as opening the store needs, and leaves the rest. */
  releaseSome(): boolean {
    const left = this.bytes - OPENING_BYTES;
    if (left < 0) return false;
    const file = openSync(this.path, 'r+');
    try {
      ftruncateSync(file, left);
    } finally {
      closeSync(file);
    }
    return true;
  }

  /** With bytes that no file system can make smaller. */
  #fill(wanted: number): void {
    const block = randomFillSync(Buffer.allocUnsafe(BLOCK_BYTES));
    const file = openSync(this.path, 'w', 0o600);
    try {
      for (let left = wanted; left > 0; left -= BLOCK_BYTES) writeSync(file, block, 0, Math.min(left, BLOCK_BYTES));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}
