// The store inside its thread: synchronous, head and week files as one. A thread (store-thread.ts) or a benchmark calls
// it; nothing here knows of messages. Long work is a generator that yields after each slice.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { HistoryError } from '../../errors.ts';
import { presentCoverage, tenureKey } from '../../model/fact.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type { Anomaly, Change, Conflict, Coverage, Placement, Tenure } from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import { compareVersions } from '../../observe/version-order.ts';
import type {
  Batch,
  Cluster,
  Damage,
  Expired,
  Migration,
  Page,
  Paged,
  Resumption,
  Span,
  StoreStatus,
  Subject,
  Verification,
} from '../engine.ts';
import { concerns, isExpired, touches } from '../matching.ts';
import {
  anomalyPlace,
  changePlace,
  conflictPlace,
  cursorPlace,
  cutPage,
  type Place,
  placementPlace,
  sortedBy,
  tenurePlace,
} from '../order.ts';
import { nameTaken, staleWriter } from '../refusals.ts';
import { backupStore } from './backup.ts';
import { answerPacked, type PackedAnswers, type PackedMoments } from './bulk.ts';
import { answerSpans, type PackedSpans, type PackedTenures } from './bulk-spans.ts';
import { handleOf } from './checksum.ts';
import { type Death, Failpoints } from './failpoints.ts';
import { asHistoryError, isFull, lostHead, readFault } from './faults.ts';
import { type ClusterEntry, Head } from './head.ts';
import { HeadAppender, tenureHandle } from './head-append.ts';
import { HeadReader, type Lookup, lookupOf } from './head-read.ts';
import { ipHandle } from './ip-key.ts';
import { migrateWeeks } from './migrate.ts';
import type { Life } from './record-codec.ts';
import { HeadOrder, type RecordsChunk, recordsFrom } from './records.ts';
import { FORMAT, type Format, OPEN, storedVersion } from './schema.ts';
import { giveBack, removeSealed, type SealParts, sealWeek } from './seal.ts';
import { Timelines } from './timelines.ts';
import { verifyHead } from './verify.ts';
import { WEEK_MS, weekOf, weekStart } from './week.ts';
import type { WeekFile } from './week-file.ts';
import type { HandleKind } from './week-writer.ts';
import { Weeks } from './weeks.ts';
import { WriterLock } from './writer-lock.ts';

export interface StoreOptions {
  readonly path: string;
  readonly access: 'read' | 'write';
  /** A week's closed records are moved out of the head when there are this many of them. */
  readonly sealAt?: number;
  readonly death?: Death | undefined;
}

/** For tests inside the thread: where it dies, and what it takes for the newest format. */
export interface Seams {
  readonly failpoints?: Failpoints;
  readonly format?: Format;
}

export interface FencedBatch {
  readonly cluster: Cluster;
  readonly fence: number;
  readonly batch: Batch;
}

const ALWAYS: Span = { from: Number.MIN_SAFE_INTEGER as EpochMillis, to: Number.MAX_SAFE_INTEGER as EpochMillis };
const SEAL_AT = 100_000;
/** After a week's end its last records are given this long to come. */
const LATE_MS = 3_600_000;
const ROWS_PER_SLICE = 5000;

export class Store {
  readonly path: string;
  readonly #head: Head;
  readonly #reader: HeadReader;
  readonly #weeks: Weeks;
  readonly #lock: WriterLock | undefined;
  readonly #appender: HeadAppender | undefined;
  readonly #failpoints: Failpoints;
  readonly #format: Format;
  readonly #sealAt: number;
  readonly #timelines = new Timelines({
    sealed: (cluster, ip, from, to) => this.#sealedTenures(cluster, ip, from, to),
    head: (cluster, ip) => [...this.#reader.tenures(cluster.number, { column: 'ip', ip }, ALWAYS)],
  });
  #fence: StatementSync | undefined;
  #order: HeadOrder | undefined;
  #layout = -1;

  constructor({ path, access, sealAt = SEAL_AT, death }: StoreOptions, seams: Seams = {}) {
    this.path = path;
    this.#failpoints = seams.failpoints ?? new Failpoints(death);
    this.#format = seams.format ?? FORMAT;
    this.#sealAt = sealAt;
    this.#weeks = new Weeks(path, this.#format.weekVersion);
    let lock: WriterLock | undefined;
    try {
      if (access === 'write') {
        // Annotations can hold secrets: a directory that is made for the store is for its owner.
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        lock = new WriterLock(path);
        if (fileSize(path) === 0 && this.#weeks.files().length > 0) throw lostHead(path, this.#weeks.directory);
      }
      this.#head = new Head(path, access === 'write', this.#format, this.#failpoints);
      this.#reader = new HeadReader(this.#head);
      this.#appender = access === 'write' ? new HeadAppender(this.#head, this.#reader) : undefined;
      if (access === 'write') this.#cleanUp();
    } catch (error) {
      lock?.release();
      throw access === 'write' ? asHistoryError(error, path) : readFault(error, path);
    }
    this.#lock = lock;
  }

  /** All that `body` reads is of one instant. */
  read<T>(body: () => T): T {
    try {
      return this.#head.read(() => {
        this.#forgetOldWeeks();
        return body();
      });
    } catch (error) {
      throw asHistoryError(error, this.path);
    }
  }

  clusters(): Cluster[] {
    return Array.from(this.#head.clusters().values(), ({ id, name }) => ({ id, name }));
  }

  takeOver({ id, name }: Cluster): number {
    this.#writable();
    return this.#write(() => {
      const { db } = this.#head;
      const other = db.prepare('SELECT id FROM cluster WHERE name = ? AND id <> ?').get(name, id);
      if (other !== undefined) throw nameTaken(name, String(other['id']));
      db.prepare(
        `INSERT INTO cluster (id, name, fence) VALUES (?, ?, 1)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, fence = fence + 1`,
      ).run(id, name);
      this.#head.changeLayout();
      const fence = db.prepare('SELECT fence FROM cluster WHERE id = ?').get(id)!['fence'] as number;
      this.#failpoints.pass('take-over:stored');
      return fence;
    });
  }

  /**
   * Stores several batches in one transaction. Each that is refused has its error at its place; when the transaction
   * itself fails, it throws and nothing is stored.
   */
  append(batches: readonly FencedBatch[]): (HistoryError | undefined)[] {
    const appender = this.#writable();
    this.#fence ??= this.#head.db.prepare('SELECT number, fence FROM cluster WHERE id = ?');
    const results = this.#write(() => {
      this.#failpoints.pass('append:begun');
      const outcomes = batches.map(({ cluster, fence, batch }) => {
        const row = this.#fence!.get(cluster.id);
        if (row === undefined || row['fence'] !== fence) return staleWriter(cluster.name);
        const number = row['number'] as number;
        const entry = this.#head.cluster(cluster.id);
        const isReplay = this.#replays(entry);
        for (const fact of batch.facts) {
          if (fact.kind === 'tenure' && fact.tenure.end === undefined && isReplay(fact.tenure)) {
            if (this.#hasSealed(entry, fact.tenure)) continue;
          }
          if (fact.kind === 'placement' && fact.placement.end === undefined && isReplay(fact.placement)) {
            if (this.#hasSealedPlacement(entry, fact.placement)) continue;
          }
          appender.store(number, fact);
        }
        if (batch.checkpoint !== undefined) appender.checkpoint(number, batch.checkpoint);
        return undefined;
      });
      this.#failpoints.pass('append:stored');
      return outcomes;
    });
    this.#failpoints.pass('append:committed');
    return results;
  }

  resumption(id: string): Resumption {
    const { number } = this.#head.cluster(id);
    const checkpoint = this.#reader.checkpoint(number);
    const coverage = presentCoverage(this.#reader.coverage(number));
    const live = this.#reader.live(number);
    return { state: { epoch: checkpoint?.epoch ?? coverage?.epoch ?? 1, live, coverage }, checkpoint };
  }

  tenuresAt(id: string, ip: IpAddress, at: EpochMillis): Tenure[] {
    const cluster = this.#head.cluster(id);
    const { tenures: found, keys } = this.#reader.tenuresAt(cluster.number, ip, at);
    for (const tenure of this.#sealedTenures(cluster, ip, at, at + 1)) {
      // The head's version of a tenure wins, also where it does not hold.
      const mayBeKnown = keys.length > 0 && keys.includes(tenureHandle(tenure));
      if (!mayBeKnown || !this.#reader.hasTenure(cluster.number, tenure)) found.push(tenure);
    }
    const kept = cluster.expiredTo === undefined ? found : found.filter((tenure) => isKept(cluster, tenure));
    return kept.length > 1 ? sortedBy(kept, tenurePlace) : kept;
  }

  tenuresAtMany(id: string, moments: PackedMoments): PackedAnswers {
    const cluster = this.#head.cluster(id);
    const ask = this.#timelines.asker(cluster, this.#head.layoutGeneration, this.#head.contentVersion);
    return answerPacked(moments, (ip, at) => {
      const found = ask(ip, at);
      return cluster.expiredTo === undefined ? found : found.filter((tenure) => isKept(cluster, tenure));
    });
  }

  tenuresOfIp(id: string, ip: IpAddress, span: Span, page: Page): Paged<Tenure> {
    const by: Lookup = { column: 'ip', ip };
    return this.#tenures(id, by, { kind: 'ip', handle: ipHandle(ip) }, span, page, (tenure) => tenure.ip === ip);
  }

  tenuresOfIps(id: string, asked: PackedSpans, most: number): PackedTenures {
    const cluster = this.#head.cluster(id);
    const ask = this.#timelines.spanAsker(cluster);
    return answerSpans(asked, most, (ip, from, to) => {
      const found = ask(ip, from, to);
      return cluster.expiredTo === undefined ? found : found.filter((tenure) => isKept(cluster, tenure));
    });
  }

  tenuresOf(id: string, subject: Subject, span: Span, page: Page): Paged<Tenure> {
    const wanted = (tenure: Tenure) => concerns(subject, tenure.holder);
    return this.#tenures(id, lookupOf(subject), sealedLookup(subject), span, page, wanted);
  }

  placementsOf(id: string, subject: Subject, span: Span, page: Page): Paged<Placement> {
    const wanted = (placement: Placement) => concerns(subject, placement.pod);
    return this.#placements(id, lookupOf(subject), sealedLookup(subject), span, page, wanted);
  }

  placementsOn(id: string, node: string, span: Span, page: Page): Paged<Placement> {
    const handle = handleOf(node);
    const wanted = (placement: Placement) => placement.pod.node === node;
    return this.#placements(id, { column: 'node', handle }, { kind: 'node', handle }, span, page, wanted);
  }

  hostNetworkPodsOn(id: string, node: string, span: Span, page: Page): Paged<Placement> {
    const handle = handleOf(node);
    const wanted = ({ pod }: Placement) => pod.node === node && pod.hostNetwork;
    return this.#placements(id, { column: 'node', handle }, { kind: 'node', handle }, span, page, wanted);
  }

  changesOf(id: string, subject: Subject, span: Span, page: Page): Paged<Change> {
    const cluster = this.#head.cluster(id);
    const found: Change[] = [];
    const all = this.#reader.changes(cluster.number, lookupOf(subject), sinceCursor(keptSpan(cluster, span), page));
    collect(all, page, changePlace, (change) => concerns(subject, change.pod), found);
    return cutPage(found, changePlace, page);
  }

  conflicts(id: string, ip: IpAddress, span: Span): Conflict[] {
    const cluster = this.#head.cluster(id);
    const all = this.#reader.conflicts(cluster.number, keptSpan(cluster, span));
    return sortedBy(
      all.filter((conflict) => conflict.ip === ip),
      conflictPlace,
    );
  }

  anomalies(id: string, span: Span, page: Page): Paged<Anomaly> {
    const cluster = this.#head.cluster(id);
    const found: Anomaly[] = [];
    const all = this.#reader.anomalies(cluster.number, sinceCursor(keptSpan(cluster, span), page));
    collect(all, page, anomalyPlace, () => true, found);
    return cutPage(found, anomalyPlace, page);
  }

  coverage(id: string): Coverage[] {
    return this.#reader.coverage(this.#head.cluster(id).number);
  }

  expired(id: string): Expired[] {
    const { expiredFrom, expiredTo } = this.#head.cluster(id);
    if (expiredFrom === undefined || expiredTo === undefined) return [];
    return [{ from: expiredFrom as EpochMillis, to: expiredTo as EpochMillis }];
  }

  records(id: string, after: string | undefined): RecordsChunk {
    const cluster = this.#head.cluster(id);
    if (after === undefined || this.#order === undefined) this.#order = new HeadOrder(this.#reader, cluster.number);
    return recordsFrom(this.#reader, this.#order, this.#weeks, cluster, after, (record) => isKept(cluster, record));
  }

  *retain(id: string, before: EpochMillis): Generator<undefined, number> {
    this.#writable();
    const { db } = this.#head;
    const { cluster, gone } = this.#write(() => {
      const entry = this.#head.cluster(id);
      const first = this.#reader.coverage(entry.number)[0]?.from;
      const from = entry.expiredFrom ?? first;
      if (from !== undefined && from < before && before > (entry.expiredTo ?? 0)) {
        const sql = 'UPDATE cluster SET expired_from = ?, expired_to = ? WHERE number = ?';
        db.prepare(sql).run(from, before, entry.number);
      }
      const ended = entry.weeks.filter(({ week }) => weekStart(week) + WEEK_MS <= before);
      for (const { week } of ended)
        db.prepare('DELETE FROM week WHERE cluster = ? AND week = ?').run(entry.number, week);
      this.#head.changeLayout();
      this.#failpoints.pass('retain:stored');
      return { cluster: entry, gone: ended };
    });
    this.#failpoints.pass('retain:committed');
    let removed = 0;
    for (const { file, tenures, placements } of gone) {
      this.#weeks.remove(file);
      removed += tenures + placements;
      this.#failpoints.pass('retain:unlinked');
    }
    for (const [table, key, time] of REMAINDERS) {
      const index = time === 'until' ? `until < ${OPEN} AND` : '';
      const remove = db.prepare(`DELETE FROM ${table} WHERE (${key}) IN (
        SELECT ${key} FROM ${table} WHERE cluster = ? AND ${index} ${time} < ? LIMIT ${ROWS_PER_SLICE})`);
      for (;;) {
        const changes = Number(this.#head.write(() => remove.run(cluster.number, before).changes));
        removed += changes;
        if (changes < ROWS_PER_SLICE) break;
        yield;
      }
    }
    yield* giveBack(this.#head);
    return removed;
  }

  /** Moves what is ripe into week files. */
  *maintain(now: EpochMillis): Generator<undefined, void> {
    this.#writable();
    const parts = this.#parts();
    for (const cluster of this.read(() => [...this.#head.clusters().values()])) {
      for (const entry of cluster.weeks) yield* removeSealed(parts, entry);
      for (const week of this.read(() => this.#ripeWeeks(cluster, now))) yield* sealWeek(parts, cluster.id, week);
    }
  }

  /** The head was migrated when it was opened; week files are written anew now. */
  *migrate(): Generator<undefined, Migration> {
    this.#writable();
    const files = yield* migrateWeeks(this.#parts());
    return { ...this.#head.migration!, files };
  }

  *verify(): Generator<undefined, Verification> {
    const damages: Damage[] = [];
    let records = 0;
    const damaged = (where: string, error: unknown): void => {
      damages.push({ where, what: error instanceof Error ? error.message : String(error) });
    };
    // Through a view of its own: reading takes long, and must not hold the others to an old instant.
    const view = new Head(this.path, false, this.#format);
    try {
      records += yield* verifyHead(view, new HeadReader(view), damaged);
    } finally {
      view.close();
    }
    const clusters = this.read(() => [...this.#head.clusters().values()]);
    for (const entry of clusters.flatMap(({ weeks }) => weeks)) {
      try {
        records += this.#weeks.open(entry).verify(damaged);
      } catch (error) {
        damaged(this.#weeks.path(entry.file), error);
      }
      yield;
    }
    return { records, damages };
  }

  status(): StoreStatus {
    const { db } = this.#head;
    const count = (table: string, number: number): number =>
      db.prepare(`SELECT count(*) AS n FROM ${table} WHERE cluster = ?`).get(number)!['n'] as number;
    let bytes = fileSize(this.path) + fileSize(`${this.path}-wal`);
    const clusters = Array.from(this.#head.clusters().values(), ({ id, name, number, weeks }) => {
      let tenures = count('tenure', number);
      let placements = count('placement', number);
      for (const week of weeks) {
        tenures += week.tenures;
        placements += week.placements;
        bytes += fileSize(this.#weeks.path(week.file));
      }
      const counts = { tenures, placements, changes: count('change', number), live: count('live', number) };
      return { id, name, ...counts, checkpoint: this.#reader.checkpoint(number) };
    });
    return { version: storedVersion(db, this.path, this.#format.steps.length), bytes, clusters };
  }

  *backup(path: string): Generator<undefined, void> {
    yield* backupStore(this.#head, this.#weeks, path);
  }

  close(): void {
    this.#weeks.close();
    this.#head.close();
    this.#lock?.release();
  }

  #write<T>(body: () => T): T {
    try {
      return this.#head.write(body);
    } catch (error) {
      this.#reader.forget();
      if (!isFull(error)) throw error;
      // The log may hold room that the file does not need.
      this.#head.checkpoint(true);
      return this.#head.write(body);
    }
  }

  #writable(): HeadAppender {
    if (this.#appender !== undefined) return this.#appender;
    throw new HistoryError('read-only', `the store ${this.path} was opened for reading`, {
      hint: 'only a recorder writes; open it with write access.',
    });
  }

  #parts(): SealParts {
    return { head: this.#head, reader: this.#reader, weeks: this.#weeks, failpoints: this.#failpoints };
  }

  #cleanUp(): void {
    this.#weeks.removeLeftovers(this.read(() => [...this.#head.clusters().values()]));
  }

  /** Files that a writer, here or elsewhere, has replaced or removed. */
  #forgetOldWeeks(): void {
    const { layoutGeneration } = this.#head;
    if (layoutGeneration === this.#layout) return;
    this.#layout = layoutGeneration;
    const clusters = [...this.#head.clusters().values()];
    this.#weeks.forgetUnlisted(new Set(clusters.flatMap(({ weeks }) => weeks.map(({ file }) => file))));
  }

  #ripeWeeks({ number, weeks }: ClusterEntry, now: number): number[] {
    const ripe: number[] = [];
    const counts = new Map<number, number>();
    for (const table of ['tenure', 'placement']) {
      const sql = `SELECT CAST((until + 259200000) / ${WEEK_MS} AS INTEGER) AS week, count(*) AS n FROM ${table}
        WHERE cluster = ? AND until < ${OPEN} GROUP BY 1`;
      for (const row of this.#head.db.prepare(sql).all(number)) {
        const week = weekOf(weekStart(row['week'] as number));
        counts.set(week, (counts.get(week) ?? 0) + (row['n'] as number));
      }
    }
    for (const [week, count] of counts) {
      const sealedAlready = weeks.find((entry) => entry.week === week);
      const size = sealedAlready === undefined ? 0 : sealedAlready.tenures + sealedAlready.placements;
      const isOver = weekStart(week) + WEEK_MS + LATE_MS <= now;
      // A file is written anew as a whole: only for a share of it that is worth that.
      const first = isOver ? 1 : this.#sealAt;
      const again = Math.max(isOver ? Math.min(1000, this.#sealAt) : this.#sealAt, size / 5);
      if (count >= (sealedAlready === undefined ? first : again)) ripe.push(week);
    }
    return ripe.sort((a, b) => a - b);
  }

  /** Of one address, touching [from, to), whatever the head says of them. */
  #sealedTenures(cluster: ClusterEntry, ip: IpAddress, from: number, to: number): Tenure[] {
    const found: Tenure[] = [];
    const handle = ipHandle(ip);
    for (const entry of cluster.weeks) {
      const start = weekStart(entry.week);
      if (start + WEEK_MS <= from) continue;
      const week = this.#weeks.open(entry);
      if (to <= start && !week.mayReachBack(handle, to - 1)) continue;
      for (const { life } of week.candidates('ip', handle, from, to)) {
        for (const tenure of week.life(life).tenures) {
          if (tenure.ip === ip && tenure.start.notBefore < to && tenure.end!.notAfter > from) found.push(tenure);
        }
      }
    }
    return found;
  }

  /** What began no later than the checkpoint may be known already, and sealed. */
  #replays(cluster: ClusterEntry): (record: Tenure | Placement) => boolean {
    if (cluster.weeks.length === 0) return () => false;
    const checkpoint = this.#reader.checkpoint(cluster.number);
    if (checkpoint === undefined) return () => true;
    return ({ start }) =>
      start.epoch < checkpoint.epoch ||
      (start.epoch === checkpoint.epoch && compareVersions(start.resourceVersion, checkpoint.resourceVersion) <= 0);
  }

  #hasSealed(cluster: ClusterEntry, tenure: Tenure): boolean {
    const key = tenureKey(tenure);
    return this.#sealedLives(cluster, tenure.holder.uid).some(({ tenures }) =>
      tenures.some((other) => tenureKey(other) === key),
    );
  }

  #hasSealedPlacement(cluster: ClusterEntry, { pod }: Placement): boolean {
    return this.#sealedLives(cluster, pod.uid).some(({ placement }) => placement !== undefined);
  }

  #sealedLives(cluster: ClusterEntry, uid: string): Life[] {
    return cluster.weeks.flatMap((entry) => this.#weeks.open(entry).livesOf(uid));
  }

  #tenures(
    id: string,
    by: Lookup,
    sealed: SealedLookup,
    span: Span,
    page: Page,
    wanted: (tenure: Tenure) => boolean,
  ): Paged<Tenure> {
    const cluster = this.#head.cluster(id);
    const found: Tenure[] = [];
    const isWanted = (tenure: Tenure) => wanted(tenure) && touches(tenure, span) && isKept(cluster, tenure);
    collect(this.#reader.tenures(cluster.number, by, span), page, tenurePlace, isWanted, found);
    const isOurs = (tenure: Tenure) => isWanted(tenure) && !this.#reader.hasTenure(cluster.number, tenure);
    for (const week of this.#weeks.touching(cluster, span)) {
      collectLives(week, sealed, span, page, tenurePlace, (life) => life.tenures, isOurs, found);
    }
    return cutPage(found, tenurePlace, page);
  }

  #placements(
    id: string,
    by: Lookup,
    sealed: SealedLookup,
    span: Span,
    page: Page,
    wanted: (placement: Placement) => boolean,
  ): Paged<Placement> {
    const cluster = this.#head.cluster(id);
    const found: Placement[] = [];
    const isWanted = (placement: Placement) =>
      wanted(placement) && touches(placement, span) && isKept(cluster, placement);
    collect(this.#reader.placements(cluster.number, by, span), page, placementPlace, isWanted, found);
    const isOurs = (placement: Placement) =>
      isWanted(placement) && !this.#reader.hasPlacement(cluster.number, placement);
    const placementsOf = ({ placement }: Life) => (placement === undefined ? [] : [placement]);
    for (const week of this.#weeks.touching(cluster, span)) {
      collectLives(week, sealed, span, page, placementPlace, placementsOf, isOurs, found);
    }
    return cutPage(found, placementPlace, page);
  }
}

/** The head's remainders that retention removes: table, key, and the column that must lie before. */
const REMAINDERS = [
  ['tenure', 'number', 'until'],
  ['placement', 'number', 'until'],
  ['change', 'cluster, key', 'at'],
  ['conflict', 'cluster, key', 'at'],
  ['anomaly', 'cluster, key', 'at'],
] as const;

type SealedLookup =
  | { readonly kind: 'uid'; readonly uid: string }
  | { readonly kind: HandleKind; readonly handle: number };

function sealedLookup(subject: Subject): SealedLookup {
  if (subject.by === 'uid') return { kind: 'uid', uid: subject.uid };
  return { kind: subject.by, handle: lookupOf(subject).handle };
}

/** Hidden at once, removed when its week goes. */
function isKept(cluster: ClusterEntry, record: Tenure | Placement): boolean {
  return !isExpired(record, cluster.expiredTo as EpochMillis | undefined);
}

/** The same for what has only one time. */
function keptSpan({ expiredTo }: ClusterEntry, span: Span): Span {
  return expiredTo === undefined || expiredTo <= span.from ? span : { from: expiredTo as EpochMillis, to: span.to };
}

/** Changes and the like are found by their time alone: nothing before the cursor's is needed. */
function sinceCursor(span: Span, page: Page): Span {
  const time = cursorPlace(page)?.time;
  return time === undefined || time <= span.from ? span : { from: time as EpochMillis, to: span.to };
}

/** From records in the order of their times, those of one page and one more. */
function collect<T>(
  records: Iterable<T>,
  page: Page,
  placeOf: (record: T) => Place,
  wanted: (record: T) => boolean,
  found: T[],
): void {
  const enough = new Enough(page);
  for (const record of records) {
    const place = placeOf(record);
    if (enough.isPast(place.time)) return;
    if (wanted(record) && enough.take(place)) found.push(record);
  }
}

function collectLives<T>(
  week: WeekFile,
  sealed: SealedLookup,
  span: Span,
  page: Page,
  placeOf: (record: T) => Place,
  recordsOf: (life: Life) => readonly T[],
  wanted: (record: T) => boolean,
  found: T[],
): void {
  const enough = new Enough(page);
  const takeFrom = (life: Life): void => {
    for (const record of recordsOf(life)) if (wanted(record) && enough.take(placeOf(record))) found.push(record);
  };
  if ('uid' in sealed) {
    for (const life of week.livesOf(sealed.uid)) takeFrom(life);
    return;
  }
  for (const { life, notBefore } of week.candidates(sealed.kind, sealed.handle, span.from, span.to)) {
    if (enough.isPast(notBefore)) return;
    takeFrom(week.life(life));
  }
}

/** Knows when a page is full: then nothing later than what it has can be on it. */
class Enough {
  readonly #limit: number;
  readonly #after: Place | undefined;
  #taken = 0;
  #latest = Number.MIN_SAFE_INTEGER;

  constructor(page: Page) {
    this.#limit = page.limit;
    this.#after = cursorPlace(page);
  }

  take(place: Place): boolean {
    if (this.#after !== undefined && place.time < this.#after.time) return false;
    // At the cursor's own time only cutPage can tell before from after: such records do not count.
    if (place.time === this.#after?.time) return true;
    if (this.#taken <= this.#limit) {
      this.#taken++;
      this.#latest = Math.max(this.#latest, place.time);
    }
    return true;
  }

  isPast(time: number): boolean {
    return this.#taken > this.#limit && time > this.#latest;
  }
}

function fileSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}
