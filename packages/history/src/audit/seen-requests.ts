// Which requests were seen already: a log that is read twice, or two lines of one request, must give one action. Keeps
// fingerprints of the last half a million or more, in two generations, so that memory stays bounded.
//
// A request is its audit ID together with its time, verb and URI. The ID alone would not do: a client may choose it
// (the header Audit-ID), and could hide a deletion behind an ID that was used before.
import { hash } from 'node:crypto';
import type { AuditEvent } from './audit-event.ts';

const LARGEST_GENERATION = 1 << 19;
const SMALLEST_TABLE = 1 << 10;

export function requestKey({ auditID, receivedText, verb, requestURI }: AuditEvent): string {
  return JSON.stringify([auditID, receivedText, verb, requestURI]);
}

export class SeenRequests {
  readonly #largest: number;
  #young = new Fingerprints();
  #old = new Fingerprints();

  constructor(largest: number = LARGEST_GENERATION) {
    this.#largest = largest;
  }

  has(key: string): boolean {
    const digest = digestOf(key);
    return this.#young.has(digest) || this.#old.has(digest);
  }

  /** False: it was there already. */
  add(key: string): boolean {
    const digest = digestOf(key);
    if (this.#young.has(digest) || this.#old.has(digest)) return false;
    if (this.#young.size >= this.#largest) {
      this.#old = this.#young;
      this.#young = new Fingerprints();
    }
    this.#young.add(digest);
    return true;
  }
}

type Digest = readonly [high: number, low: number];

/** 64 bits, never both zero, which marks an empty place. */
function digestOf(key: string): Digest {
  const bytes = hash('sha256', key, 'buffer');
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4) | 1];
}

/** A set of digests in one array: open addressing, at most half full. */
class Fingerprints {
  #table = new Int32Array(SMALLEST_TABLE * 2);
  size = 0;

  has(digest: Digest): boolean {
    return this.#table[placeOf(this.#table, digest) + 1] !== 0;
  }

  add(digest: Digest): void {
    if (this.size * 4 >= this.#table.length) this.#grow();
    const place = placeOf(this.#table, digest);
    if (this.#table[place + 1] !== 0) return;
    this.#table[place] = digest[0];
    this.#table[place + 1] = digest[1];
    this.size++;
  }

  #grow(): void {
    const before = this.#table;
    this.#table = new Int32Array(before.length * 2);
    for (let i = 0; i < before.length; i += 2) {
      if (before[i + 1] === 0) continue;
      const place = placeOf(this.#table, [before[i]!, before[i + 1]!]);
      this.#table[place] = before[i]!;
      this.#table[place + 1] = before[i + 1]!;
    }
  }
}

/** Where the digest stands, or would. */
function placeOf(table: Int32Array, [high, low]: Digest): number {
  const mask = table.length / 2 - 1;
  let place = (high >>> 0) & mask;
  while (table[place * 2 + 1] !== 0 && (table[place * 2] !== (high | 0) || table[place * 2 + 1] !== (low | 0)))
    place = (place + 1) & mask;
  return place * 2;
}
