// Which occurrences of an hour are about whom, on disk: handles of subjects in their order, each with the time of a row, its
// rank among those of that time, and its checksum. Built from an hour that was read as a whole, and bound to what that hour summed up to: once the hour
// changes, its index is not used any more, and neither is one that is damaged or missing; the hour is then read as a whole.
// Invariant: an answer from the index is the answer from the hour.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { agrees, checksumOf, damaged, sealed, unsealed } from '../format/checksum.ts';
import { type HeadRow, SAYS_ALL } from '../format/head-row.ts';
import { arrays } from '../statements.ts';
import { TALLY_MS } from './tallies.ts';

/** `hour_index` has one row for each hour, at the place of its tally; its entries lie in consecutive rows of `hour_part`. */
export const HOUR_INDEX_TABLES = `
  CREATE TABLE hour_index (place INTEGER PRIMARY KEY, body BLOB NOT NULL);
  CREATE TABLE hour_part (number INTEGER PRIMARY KEY, body BLOB NOT NULL);
`;

/** A row that is to be read, by its time; many may be of one, as after a listing. */
export interface HourEntry {
  readonly at: number;
  /** Among those of its time, by key, from 0. */
  readonly rank: number;
  readonly checksum: number;
}

/** Stands for everybody: only the record knows whom it is about. */
const ANYBODY = 0;
const HEADER_BYTES = 28;
const LISTED_BYTES = 8;
const ENTRY_BYTES = 16;
/** So many entries fill a page of the file. */
const ENTRIES_PER_PART = 250;
/** What is remembered of hours: some 20 MB at most. */
const MOST_KEPT = 20_000;

interface Directory {
  readonly sum: number;
  /** The number of the first part. */
  readonly first: number;
  /** Of each part, its first handle and its checksum. */
  readonly handles: Uint32Array;
  readonly checksums: Uint32Array;
}

interface Listed extends HourEntry {
  readonly handle: number;
}

export class HourIndex {
  readonly #directory: StatementSync;
  readonly #part: StatementSync;
  readonly #db: DatabaseSync;
  /** By place. Whoever uses one has compared its sum with the hour's. */
  readonly #known = new Map<number, Directory>();
  #kept = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#directory = arrays(db, 'SELECT body FROM hour_index WHERE place = ?');
    this.#part = arrays(db, 'SELECT body FROM hour_part WHERE number = ?');
  }

  /** When somebody else has written, and after a rollback. */
  forget(): void {
    this.#known.clear();
    this.#kept = 0;
  }

  /** Rows of the hour that may be about this subject, by their times; undefined where only the hour itself can tell. */
  find(place: number, hour: number, sum: number, handle: number): HourEntry[] | undefined {
    const directory = this.#of(place, sum);
    if (directory === undefined) return undefined;
    try {
      const found = this.#entries(directory, hour, handle);
      if (handle !== ANYBODY && directory.handles[0] === ANYBODY) {
        found.push(...this.#entries(directory, hour, ANYBODY));
        found.sort((a, b) => a.at - b.at);
      }
      return found;
    } catch {
      this.#known.delete(place);
      return undefined;
    }
  }

  /** Whether the hour has an index of what it is now. */
  isCurrent(place: number, sum: number): boolean {
    return this.#of(place, sum) !== undefined;
  }

  /** Within a write transaction: of all rows of the hour. */
  build(place: number, hour: number, sum: number, rows: readonly HeadRow[]): void {
    this.#drop('place = ?', place);
    const listed = listOf(rows);
    const number = this.#db.prepare('SELECT max(number) AS last FROM hour_part').get()?.['last'];
    const first = ((number as number | null) ?? 0) + 1;
    const insert = this.#db.prepare('INSERT INTO hour_part VALUES (?, ?)');
    const parts = partsOf(listed, hour);
    for (const [i, { body }] of parts.entries()) insert.run(first + i, body);
    const directory = directoryBytes({ place, sum, first }, parts);
    this.#db.prepare('INSERT INTO hour_index VALUES (?, ?)').run(place, directory);
  }

  /** Within a write transaction: of hours at places from `from` to before `to`. */
  drop(from: number, to: number): void {
    this.#drop('place >= ? AND place < ?', from, to);
  }

  /** Throws `damaged` unless an index of what the hour is now says what the rows say. */
  check(place: number, hour: number, sum: number, rows: readonly HeadRow[], where: string): void {
    const whole = this.#body(place);
    if (whole === undefined) return;
    const directory = read(whole, place, where);
    if (directory.sum !== sum) return;
    for (const [i, { body, handle }] of partsOf(listOf(rows), hour).entries()) {
      const found = this.#whole(directory, i);
      if (directory.handles[i] !== handle || found === undefined || Buffer.compare(found, body) !== 0)
        throw damaged(where);
    }
  }

  /** One that cannot be read any more leads to no part: then everything goes, and is built again. */
  #drop(which: string, ...places: number[]): void {
    const rows = this.#db.prepare(`SELECT place, body FROM hour_index WHERE ${which}`).all(...places);
    try {
      const remove = this.#db.prepare('DELETE FROM hour_part WHERE number >= ? AND number < ?');
      for (const { place, body } of rows) {
        const { first, handles } = read(body as Uint8Array, place as number, '');
        remove.run(first, first + handles.length);
      }
      this.#db.prepare(`DELETE FROM hour_index WHERE ${which}`).run(...places);
    } catch {
      this.#db.exec('DELETE FROM hour_index; DELETE FROM hour_part');
    }
    this.forget();
  }

  #of(place: number, sum: number): Directory | undefined {
    const known = this.#known.get(place);
    if (known?.sum === sum) return known;
    try {
      const whole = this.#body(place);
      const directory = whole === undefined ? undefined : read(whole, place, '');
      if (directory?.sum !== sum) return undefined;
      this.#kept += directory.handles.length + 8;
      if (this.#kept > MOST_KEPT * 8) this.forget();
      this.#known.set(place, directory);
      return directory;
    } catch {
      return undefined;
    }
  }

  #body(place: number): Uint8Array | undefined {
    return (this.#directory.get(place) as unknown as [Uint8Array] | undefined)?.[0];
  }

  #whole({ first }: Directory, part: number): Uint8Array | undefined {
    return (this.#part.get(first + part) as unknown as [Uint8Array] | undefined)?.[0];
  }

  /** By their times. Throws where a part is not the one that is meant. */
  #entries(directory: Directory, hour: number, handle: number): HourEntry[] {
    const { handles, checksums } = directory;
    const found: HourEntry[] = [];
    for (let part = lastBelow(handles, handle); part < handles.length && handles[part]! <= handle; part++) {
      const whole = this.#whole(directory, part);
      if (whole === undefined || checksumOf(whole) !== checksums[part]) throw damaged('');
      const body = unsealed(whole, () => '');
      for (let i = firstOf(body, handle); i < body.length && body.readUInt32LE(i) === handle; i += ENTRY_BYTES) {
        const rank = body.readUInt32LE(i + 12);
        found.push({ at: hour + body.readUInt32LE(i + 4), checksum: body.readUInt32LE(i + 8), rank });
      }
    }
    return found;
  }
}

/** The handles by which a row may be asked for. */
export function handlesOfRow(row: HeadRow): Set<number> {
  const { uid, name, workload } = row;
  if (row.number !== SAYS_ALL && uid === 0) return new Set([ANYBODY]);
  const handles = new Set([uid, name]);
  if (row.number === SAYS_ALL) handles.add(row.handle).add(row.other);
  // 0 is none; a workload says whether it is one.
  handles.delete(0);
  if (workload !== null) handles.add(workload);
  return handles;
}

/** `rows`: by their times, and those of one time by their keys. */
function listOf(rows: readonly HeadRow[]): Listed[] {
  const listed: Listed[] = [];
  let rank = 0;
  for (const [i, row] of rows.entries()) {
    const { start: at, checksum } = row;
    rank = rows[i - 1]?.start === at ? rank + 1 : 0;
    for (const handle of handlesOfRow(row)) listed.push({ handle, at, rank, checksum });
  }
  return listed.sort((a, b) => a.handle - b.handle || a.at - b.at || a.rank - b.rank);
}

interface Part {
  readonly handle: number;
  readonly body: Buffer;
}

function partsOf(listed: readonly Listed[], hour: number): Part[] {
  const parts: Part[] = [];
  for (let from = 0; from < listed.length; from += ENTRIES_PER_PART) {
    const some = listed.slice(from, from + ENTRIES_PER_PART);
    const body = Buffer.allocUnsafe(some.length * ENTRY_BYTES);
    for (const [i, { handle, at, rank, checksum }] of some.entries()) {
      body.writeUInt32LE(handle, i * ENTRY_BYTES);
      body.writeUInt32LE(Math.min(Math.max(at - hour, 0), TALLY_MS), i * ENTRY_BYTES + 4);
      body.writeUInt32LE(checksum, i * ENTRY_BYTES + 8);
      body.writeUInt32LE(rank, i * ENTRY_BYTES + 12);
    }
    parts.push({ handle: some[0]!.handle, body: sealed(body) });
  }
  return parts;
}

function directoryBytes(of: { place: number; sum: number; first: number }, parts: readonly Part[]): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + parts.length * LISTED_BYTES);
  bytes.writeDoubleLE(of.place, 0);
  bytes.writeDoubleLE(of.sum, 8);
  bytes.writeDoubleLE(of.first, 16);
  bytes.writeUInt32LE(parts.length, 24);
  for (const [i, { handle, body }] of parts.entries()) {
    bytes.writeUInt32LE(handle, HEADER_BYTES + i * LISTED_BYTES);
    bytes.writeUInt32LE(checksumOf(body), HEADER_BYTES + i * LISTED_BYTES + 4);
  }
  return sealed(bytes);
}

function read(whole: Uint8Array, place: number, where: string): Directory {
  const body = unsealed(whole, () => where);
  const isWhole = body.length >= HEADER_BYTES && agrees(body.readDoubleLE(0), place);
  const count = isWhole ? body.readUInt32LE(24) : 0;
  if (!isWhole || body.length !== HEADER_BYTES + count * LISTED_BYTES) throw damaged(where);
  const handles = new Uint32Array(count);
  const checksums = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    handles[i] = body.readUInt32LE(HEADER_BYTES + i * LISTED_BYTES);
    checksums[i] = body.readUInt32LE(HEADER_BYTES + i * LISTED_BYTES + 4);
  }
  return { sum: body.readDoubleLE(8), first: body.readDoubleLE(16), handles, checksums };
}

/** The last part that begins below the handle, whose end may have it; 0 where there is none. */
function lastBelow(handles: Uint32Array, handle: number): number {
  let low = 0;
  let high = handles.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (handles[middle]! < handle) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where the entries of a handle begin, in bytes. */
function firstOf(body: Buffer, handle: number): number {
  let low = 0;
  let high = body.length / ENTRY_BYTES;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (body.readUInt32LE(middle * ENTRY_BYTES) < handle) low = middle + 1;
    else high = middle;
  }
  return low * ENTRY_BYTES;
}
