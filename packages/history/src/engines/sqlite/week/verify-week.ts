// Reads a week file through: every row against its checksum, all rows against their sums, and the postings against the
// lives that they must lead to.
import type { DatabaseSync } from 'node:sqlite';
import { agrees, checksumOf, damaged, handleOf, isSound, unsealed, withMember } from '../format/checksum.ts';
import { ipHandle } from '../format/ip-key.ts';
import type { Life } from '../format/record-layout.ts';
import { nameHandle, workloadHandle } from '../head/head-append.ts';
import { eachPosting, readLink } from './postings.ts';
import type { WeekFile } from './week-file.ts';
import { HANDLES, type HandleKind, handleAt, hasTimes, isLastPlace, LIVES_PER_BLOCK, placeOf } from './week-writer.ts';

const BLOCKS_PER_SLICE = 250;
const KINDS = Object.keys(HANDLES) as HandleKind[];

/** Yields after each slice; returns how many records are whole. */
export function* verifyWeek(
  week: WeekFile,
  db: DatabaseSync,
  report: (where: string, error: unknown) => void,
): Generator<boolean, number> {
  const { path, counts, version } = week;
  let isWhole = true;
  const check = (where: string, body: () => void): void => {
    try {
      body();
    } catch (error) {
      isWhole = false;
      report(where, error);
    }
  };
  // Later versions are read row by row in the ways in which answers do.
  if (version === 1) {
    check(path, () => {
      for (const row of db.prepare('PRAGMA integrity_check').all()) {
        if (row['integrity_check'] !== 'ok') throw new Error(String(row['integrity_check']));
      }
    });
  }
  const entries = new Entries();
  let records = 0;
  let tenureCount = 0;
  for (let block = 0; block * LIVES_PER_BLOCK < counts.lives; block++) {
    check(`${path}, life ${block}`, () => {
      const lives = week.lives(block);
      if (!isSound(week.beginsWith(block, lives[0]?.holder.uid ?? ''))) throw damaged(`${path}, life ${block}`);
      for (const [i, life] of lives.entries()) {
        entries.expect(life, block * LIVES_PER_BLOCK + i);
        tenureCount += life.tenures.length;
        records += life.tenures.length + (life.placement === undefined ? 0 : 1);
      }
    });
    if (block % BLOCKS_PER_SLICE === 0) yield true;
  }
  if (isWhole) {
    check(path, () => {
      if (!isSound(tenureCount === counts.tenures && records - tenureCount === counts.placements)) throw damaged(path);
    });
  }
  yield* verifyPostings(week, db, entries, check);
  // What lives say is only known when all of them could be read.
  if (isWhole) check(`${path}, postings`, () => entries.check(path));
  for (const { block } of tolerant(db, 'SELECT block FROM word', check, `${path}, dictionary`)) {
    check(`${path}, dictionary ${block}`, () => week.checkDictionary(Number(block)));
  }
  check(`${path}, spanning`, () => week.spanningBytes());
  if (version > 1) {
    for (const table of ['word', 'life', 'posting'] as const) {
      let sum = 0;
      for (const { body } of tolerant(db, `SELECT body FROM ${table}`, check, path)) {
        sum = withMember(sum, checksumOf(body as Uint8Array));
      }
      check(`${path}, table ${table}`, () => {
        if (!agrees(sum, counts.sums?.[table])) throw damaged(`${path}, table ${table}`);
      });
      yield true;
    }
  }
  return records;
}

type Check = (where: string, body: () => void) => void;

function* verifyPostings(week: WeekFile, db: DatabaseSync, entries: Entries, check: Check): Generator<boolean, void> {
  const { path, version } = week;
  let seen = 0;
  let before = -1;
  for (const row of tolerant(db, 'SELECT place, body FROM posting ORDER BY place', check, `${path}, postings`)) {
    const place = Number(row['place']);
    const where = `${path}, posting ${place}`;
    check(where, () => {
      if (!isSound(week.hasPosting(place))) throw damaged(where);
      const kind = KINDS[Math.floor(place / placeOf('node', 0, 0))]!;
      const block = unsealed(row['body'] as Uint8Array, () => where);
      const link = readLink(block, version);
      const linked = link.last < 0 ? -1 : placeOf(kind, link.last, link.part);
      const isFirst = before < placeOf(kind, 0, 0);
      const expected = isFirst ? -1 : before;
      const isNext = version === 1 ? link.last === (isFirst ? -1 : handleAt(before)) : linked === expected;
      if (!isSound(isNext && (version === 1 || link.kind === HANDLES[kind]))) throw damaged(where);
      if (isLastPlace(place)) return;
      if (!agrees(entries.take(kind, block, link.at), handleAt(place))) throw damaged(where);
    });
    before = place;
    if (++seen % BLOCKS_PER_SLICE === 0) yield true;
  }
}

/** What postings there must be, and what there are: compared as sums, whatever their order. */
class Entries {
  readonly #expected = new Map<HandleKind, number>();
  readonly #found = new Map<HandleKind, number>();

  expect({ holder, placement, tenures }: Life, ordinal: number): void {
    for (const handle of new Set(tenures.map(({ ip }) => ipHandle(ip))))
      this.#add(this.#expected, 'ip', handle, ordinal);
    if (placement !== undefined) this.#add(this.#expected, 'node', handleOf(holder.node), ordinal);
    this.#add(this.#expected, 'name', nameHandle(holder), ordinal);
    const workload = workloadHandle(holder);
    if (workload !== null) this.#add(this.#expected, 'workload', workload, ordinal);
  }

  /** Returns the last handle of the block. */
  take(kind: HandleKind, block: Buffer, from: number): number {
    return eachPosting(block, hasTimes(kind), from, (handle, life) => this.#add(this.#found, kind, handle, life));
  }

  check(path: string): void {
    for (const kind of KINDS) {
      if (!agrees(this.#found.get(kind) ?? 0, this.#expected.get(kind) ?? 0))
        throw damaged(`${path}, postings of ${kind}`);
    }
  }

  #add(to: Map<HandleKind, number>, kind: HandleKind, handle: number, life: number): void {
    to.set(
      kind,
      withMember(to.get(kind) ?? 0, (Math.imul(handle, 0x9e3779b1) ^ Math.imul(life + 1, 0x85ebca6b)) >>> 0),
    );
  }
}

/** Rows until one cannot be reached. */
function* tolerant(db: DatabaseSync, sql: string, check: Check, where: string): Generator<Record<string, unknown>> {
  const rows = db.prepare(sql).iterate();
  for (;;) {
    let next: IteratorResult<Record<string, unknown>> | undefined;
    check(where, () => {
      next = rows.next();
    });
    if (next === undefined || next.done) return;
    yield next.value;
  }
}
