// A row of the head as bytes: what it is found by, then the record, then a checksum over both. Nothing outside of it is
// believed: the columns beside it only lead to it.
import { crc32 } from 'node:zlib';
import { agrees, checksumOf, damaged, unsealed } from './checksum.ts';

export interface RowKey {
  /** Of an occurrence, which is found by its key, SAYS_ALL or 0. */
  readonly number: number;
  readonly cluster: number;
  /** Of a tenure or placement its bounds, outwards; of what has one time, that time twice. */
  readonly start: number;
  readonly until: number;
  /** By which the primary index finds it: of the address, or of the UID. Of an occurrence, the UID of a second holder. */
  readonly handle: number;
  readonly uid: number;
  readonly name: number;
  readonly workload: number | null;
  /**
   * Of a tenure, what sets it apart from others of its address; of a placement, its node; of a live holder, OPAQUE; of an
   * occurrence, the name of a second holder.
   */
  readonly other: number;
}

/** What is remembered of the holder is one text of the observer's; rows up to version 4 have 0 and its fields. */
export const OPAQUE = 1;

/**
 * All that an occurrence is about is in its handles; 0 stands for none. Where a row does not say so, as none of version 5
 * does, a UID of 0 means that only the record knows.
 */
export const SAYS_ALL = 1;

const HEADER_BYTES = 45;

export function packRow(key: RowKey, record: Buffer): Buffer {
  const end = HEADER_BYTES + record.length;
  const body = Buffer.allocUnsafe(end + 4);
  body.writeUIntLE(key.number, 0, 6);
  body.writeUInt16LE(key.cluster, 6);
  body.writeDoubleLE(key.start, 8);
  body.writeDoubleLE(key.until, 16);
  body.writeUInt32LE(key.handle, 24);
  body.writeUInt32LE(key.uid, 28);
  body.writeUInt32LE(key.name, 32);
  body.writeUInt32LE(key.workload ?? 0, 36);
  body.writeUInt32LE(key.other, 40);
  body[44] = key.workload === null ? 0 : 1;
  record.copy(body, HEADER_BYTES);
  body.writeUInt32LE(crc32(body.subarray(0, end)), end);
  return body;
}

/** A checked row: of the right cluster and number, and the very one that was meant. */
export class HeadRow {
  readonly #body: Buffer;
  readonly checksum: number;

  /** Throws `damaged`. */
  constructor(whole: Uint8Array, where: () => string) {
    this.#body = unsealed(whole, where);
    this.checksum = checksumOf(whole);
    if (this.#body.length < HEADER_BYTES) throw damaged(where());
  }

  get number(): number {
    return this.#body.readUIntLE(0, 6);
  }

  get cluster(): number {
    return this.#body.readUInt16LE(6);
  }

  get start(): number {
    return this.#body.readDoubleLE(8);
  }

  get until(): number {
    return this.#body.readDoubleLE(16);
  }

  get handle(): number {
    return this.#body.readUInt32LE(24);
  }

  get uid(): number {
    return this.#body.readUInt32LE(28);
  }

  get name(): number {
    return this.#body.readUInt32LE(32);
  }

  get workload(): number | null {
    return this.#body[44] === 0 ? null : this.#body.readUInt32LE(36);
  }

  get other(): number {
    return this.#body.readUInt32LE(40);
  }

  get record(): Buffer {
    return this.#body.subarray(HEADER_BYTES);
  }
}

/** The row that an index led to. */
export function readRow(
  whole: Uint8Array | undefined,
  number: number,
  checksum: number | undefined,
  where: () => string,
): HeadRow {
  if (whole === undefined) throw damaged(where());
  const row = new HeadRow(whole, where);
  if (!agrees(row.number, number)) throw damaged(where());
  if (checksum !== undefined && !agrees(row.checksum, checksum)) throw damaged(where());
  return row;
}
