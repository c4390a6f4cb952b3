// Builds a week file from lives in the order of their UIDs. The file is complete and on the disk before anybody may look
// at it, and is never changed again. Work is cut into slices, so that the thread answers others in between.
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checksumOf, handleOf, sealed, withMember } from '../format/checksum.ts';
import { NewDictionary } from '../format/dictionary.ts';
import { ipHandle } from '../format/ip-key.ts';
import type { Life } from '../format/record-layout.ts';
import { RecordWriter } from '../format/record-writer.ts';
import { nameHandle, workloadHandle } from '../head/head-append.ts';
import { APPLICATION_ID } from '../head/schema.ts';
import { makePrivate } from '../private-file.ts';
import { POSTINGS_PER_BLOCK, PostingList, PostingWriter, unitOf } from './postings.ts';
import { weekStart } from './week.ts';

export const LIVES_PER_BLOCK = 8;
/** How much of a UID's beginning stands beside each block: enough to find it among all. */
const UID_PREFIX_BYTES = 8;
/** What postings can be of. */
export const HANDLES = { ip: 0, node: 1, name: 2, workload: 3 } as const;
export type HandleKind = keyof typeof HANDLES;

/** A name has few lives. */
export const hasTimes = (kind: HandleKind): boolean => kind !== 'name';

/** Blocks of one handle are counted; a block's place is its kind, last handle and count in one number below 2^53. */
const PARTS = 2 ** 19;
const LAST_HANDLE = 2 ** 32 - 1;

export function placeOf(kind: HandleKind, last: number, part: number): number {
  return (HANDLES[kind] * 2 ** 32 + last) * PARTS + part;
}

/** Of the empty row behind the last of a kind. */
export function isLastPlace(place: number): boolean {
  return place % PARTS === PARTS - 1 && handleAt(place) === LAST_HANDLE;
}

export function handleAt(place: number): number {
  return Math.floor(place / PARTS) % 2 ** 32;
}

const LIVES_PER_SLICE = 2000;
const BLOCKS_PER_SLICE = 500;

const TABLES = `
  CREATE TABLE about (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE word (block INTEGER PRIMARY KEY, body BLOB NOT NULL);
  CREATE TABLE life (block INTEGER PRIMARY KEY, first BLOB NOT NULL, body BLOB NOT NULL);
  CREATE TABLE posting (place INTEGER PRIMARY KEY, body BLOB NOT NULL);
`;

/** Which week of which cluster a file is, and which edition of it. */
export interface WeekIdentity {
  readonly cluster: string;
  readonly week: number;
  readonly generation: number;
}

/** What stands in the head's list about a file. */
export interface BuiltWeek {
  readonly tenures: number;
  readonly placements: number;
  readonly format: number;
  readonly digest: string;
  readonly reach: number;
}

/** What a file says about itself; its digest stands in the head's list. */
export interface WeekCounts extends Partial<WeekIdentity> {
  readonly week: number;
  readonly lives: number;
  readonly tenures: number;
  readonly placements: number;
  /** Sums of the checksums of all rows, and the checksum of `spanning`. */
  readonly sums?: Readonly<Record<'word' | 'life' | 'posting' | 'spanning', number>>;
}

export function digestOf(counts: Buffer): string {
  return createHash('sha256').update(counts).digest('hex').slice(0, 32);
}

/** Yields after each slice; the last value says what is in the file. */
export function* buildWeekFile(
  path: string,
  version: number,
  identity: WeekIdentity,
  lives: Iterable<Life>,
): Generator<undefined, BuiltWeek> {
  const draft = `${path}.draft`;
  rmSync(draft, { force: true });
  makePrivate(draft);
  const db = new DatabaseSync(draft, { timeout: 0 });
  try {
    // Nobody else sees the draft, and a crash leaves only a draft.
    db.exec(
      'PRAGMA page_size = 65536; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768',
    );
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}; ${TABLES} BEGIN`);
    const built = yield* fill(db, identity, lives);
    db.exec('COMMIT');
    db.close();
    syncFile(draft);
    renameSync(draft, path);
    syncFile(dirname(path));
    return { ...built, format: version };
  } finally {
    if (db.isOpen) db.close();
    rmSync(draft, { force: true });
  }
}

function* fill(
  db: DatabaseSync,
  identity: WeekIdentity,
  lives: Iterable<Life>,
): Generator<undefined, Omit<BuiltWeek, 'format'>> {
  const { week } = identity;
  const dictionary = new NewDictionary();
  const origin = weekStart(week);
  const lists = {
    ip: new PostingList(origin),
    node: new PostingList(origin),
    name: new PostingList(origin),
    workload: new PostingList(origin),
  };
  /** Addresses of tenures that began before the week, and when the first of them did. */
  const spanning = new Map<number, number>();
  /** A life is listed once under each of its addresses, however often it had it. */
  const addresses = new Map<number, [from: number, to: number]>();
  const writer = new LifeBlocks(db, dictionary, origin);
  let tenures = 0;
  let placements = 0;
  let count = 0;
  let reach = Number.MAX_SAFE_INTEGER;
  for (const life of lives) {
    const ordinal = count++;
    writer.add(life);
    const { holder, placement } = life;
    let start = placement?.start.notBefore ?? Number.MAX_SAFE_INTEGER;
    let until = placement?.end?.notAfter ?? Number.MIN_SAFE_INTEGER;
    if (placement !== undefined) {
      lists.node.add(handleOf(holder.node), ordinal, start, until);
      placements++;
    }
    for (const tenure of life.tenures) {
      const handle = ipHandle(tenure.ip);
      const from = tenure.start.notBefore;
      const to = tenure.end!.notAfter;
      const known = addresses.get(handle);
      addresses.set(handle, [Math.min(from, known?.[0] ?? from), Math.max(to, known?.[1] ?? to)]);
      start = Math.min(start, from);
      until = Math.max(until, to);
      tenures++;
    }
    for (const [handle, [from, to]] of addresses) {
      lists.ip.add(handle, ordinal, from, to);
      if (from < origin) spanning.set(handle, Math.min(from, spanning.get(handle) ?? from));
    }
    addresses.clear();
    reach = Math.min(reach, start);
    lists.name.add(nameHandle(holder), ordinal, origin, origin);
    const workload = workloadHandle(holder);
    if (workload !== null) lists.workload.add(workload, ordinal, start, until);
    if (count % LIVES_PER_SLICE === 0) yield;
  }
  writer.finish();
  let posting = 0;
  for (const kind of Object.keys(HANDLES) as HandleKind[])
    posting = yield* writePostings(db, kind, lists[kind], posting);
  const addEntries = db.prepare('INSERT INTO word VALUES (?, ?)');
  let word = 0;
  for (const [block, body] of dictionary.blocks()) {
    addEntries.run(block, body);
    word = withMember(word, checksumOf(body));
  }
  const about = db.prepare('INSERT INTO about VALUES (?, ?)');
  const reaching = sealed(spanningBytes(spanning, origin));
  about.run('spanning', reaching);
  const sums = { word, life: writer.sum, posting, spanning: checksumOf(reaching) };
  const described: WeekCounts = { ...identity, lives: count, tenures, placements, sums };
  const counts = Buffer.from(JSON.stringify(described));
  about.run('counts', sealed(counts));
  return { tenures, placements, digest: digestOf(counts), reach };
}

/** All handles in their order, then the units in which their first tenures began. */
function spanningBytes(spanning: ReadonlyMap<number, number>, origin: number): Buffer {
  const handles = Uint32Array.from(spanning.keys()).sort();
  const bytes = Buffer.alloc(handles.length * 8);
  for (const [i, handle] of handles.entries()) {
    bytes.writeUInt32LE(handle, i * 4);
    bytes.writeInt32LE(unitOf(spanning.get(handle)!, origin), (handles.length + i) * 4);
  }
  return bytes;
}

class LifeBlocks {
  readonly #insert;
  readonly #writer: RecordWriter;
  readonly #body: RecordWriter;
  #block = 0;
  #count = 0;
  #first: Uint8Array = new Uint8Array();
  /** Of the rows so far. */
  sum = 0;

  constructor(db: DatabaseSync, dictionary: NewDictionary, origin: number) {
    this.#insert = db.prepare('INSERT INTO life VALUES (?, ?, ?)');
    this.#writer = new RecordWriter(dictionary, origin);
    this.#body = new RecordWriter(dictionary);
  }

  add(life: Life): void {
    if (this.#count === 0) {
      this.#first = uidPrefix(life.holder.uid);
      // Its own number comes first: a block that stands in another's place is noticed.
      this.#body.uint(this.#block);
    }
    this.#writer.clear();
    this.#writer.life(life);
    this.#body.uint(this.#writer.length);
    this.#body.raw(this.#writer.take());
    if (++this.#count === LIVES_PER_BLOCK) this.finish();
  }

  finish(): void {
    if (this.#count === 0) return;
    const body = sealed(this.#body.take());
    this.#insert.run(this.#block++, this.#first, body);
    this.sum = withMember(this.sum, checksumOf(body));
    this.#body.clear();
    this.#count = 0;
  }
}

/** Returns the sum that was given, with the new rows. The last row is empty: where it stands, nothing is missing. */
function* writePostings(
  db: DatabaseSync,
  kind: HandleKind,
  list: PostingList,
  sumBefore: number,
): Generator<undefined, number> {
  const insert = db.prepare('INSERT INTO posting VALUES (?, ?)');
  const writer = new PostingWriter(HANDLES[kind], hasTimes(kind));
  let part = 0;
  let blocks = 0;
  let before = -1;
  let sum = sumBefore;
  const add = (last: number, partOfLast: number): void => {
    const body = sealed(writer.take(last, partOfLast));
    insert.run(placeOf(kind, last, partOfLast), body);
    sum = withMember(sum, checksumOf(body));
  };
  const finish = (): void => {
    const { last } = writer;
    part = last === before ? part + 1 : 0;
    before = last;
    add(last, part);
    blocks++;
  };
  for (const posting of list.sorted()) {
    writer.add(posting);
    if (writer.count < POSTINGS_PER_BLOCK[kind]) continue;
    finish();
    if (blocks % BLOCKS_PER_SLICE === 0) yield;
  }
  if (writer.count > 0) finish();
  add(LAST_HANDLE, PARTS - 1);
  return sum;
}

export function uidPrefix(uid: string): Buffer {
  return Buffer.from(uid, 'utf8').subarray(0, UID_PREFIX_BYTES);
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
