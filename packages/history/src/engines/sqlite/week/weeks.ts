// The week files of a store: where they lie, which are open, and which may hold what touches a span.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Span } from '../../snapshot.ts';
import { isDamage, isMissingWeek } from '../faults.ts';
import { damaged } from '../format/checksum.ts';
import type { ClusterEntry, WeekEntry } from '../head/head.ts';
import { FORMAT, newerStore } from '../head/schema.ts';
import { OWNER_ONLY } from '../private-file.ts';
import { IndexRoom } from './address-index.ts';
import { WEEK_MS, weekName, weekOf, weekStart } from './week.ts';
import { WeekFile } from './week-file.ts';

export class Weeks {
  readonly directory: string;
  /** Of the files that are written now. */
  readonly version: number;
  readonly #open = new Map<string, WeekFile>();
  readonly #room = new IndexRoom();

  constructor(headPath: string, version = FORMAT.weekVersion) {
    this.directory = `${headPath}.d`;
    this.version = version;
  }

  fileName(cluster: number, week: number, generation: number): string {
    return `${weekName(week)}-c${cluster}-g${generation}.db`;
  }

  path(file: string): string {
    return join(this.directory, file);
  }

  prepareDirectory(): void {
    mkdirSync(this.directory, { recursive: true, mode: OWNER_ONLY });
  }

  /** Throws `damaged` when the file is not the one that is listed, and `week-missing` when there is none. */
  open(entry: WeekEntry): WeekFile {
    const { file } = entry;
    const known = this.#open.get(file);
    if (known !== undefined) return known;
    const week = this.#bound(entry);
    this.#open.set(file, week);
    return week;
  }

  #bound(entry: WeekEntry): WeekFile {
    const path = this.path(entry.file);
    let week: WeekFile | undefined;
    try {
      if (entry.format > this.version) throw newerStore(path, entry.format, this.version);
      week = new WeekFile(path, Number.MAX_SAFE_INTEGER, this.#room);
      week.bind(entry);
    } catch (error) {
      week?.close();
      throw isDamage(error) && !isMissingWeek(error) ? damaged(path, error) : error;
    }
    return week;
  }

  /** Through a view of its own, so that what was read before and kept in memory hides nothing. */
  *verify(entry: WeekEntry, report: (where: string, error: unknown) => void): Generator<boolean, number> {
    const week = this.#bound(entry);
    try {
      return yield* week.verify(report);
    } finally {
      week.close();
    }
  }

  /** Files that lie there and are not listed: nothing is answered from them. */
  unlisted(clusters: Iterable<ClusterEntry>): string[] {
    const listed = new Set(Array.from(clusters, ({ weeks }) => weeks.map(({ file }) => file)).flat());
    return this.files().filter((file) => !listed.has(file) && !parseName(file).isDraft);
  }

  /** Those whose records may touch the span: they end in their week, and may have begun at any time before. */
  *touching({ weeks }: ClusterEntry, span: Span): Generator<WeekFile> {
    for (const entry of weeks) if (weekStart(entry.week) + WEEK_MS > span.from) yield this.open(entry);
  }

  remove(file: string): void {
    this.#open.get(file)?.close();
    this.#open.delete(file);
    rmSync(this.path(file), { force: true });
  }

  /**
   * What a crash left: drafts, editions that another has replaced, and weeks that have expired. A file about which the
   * head says nothing stays: the head may be the one that is too old.
   */
  removeLeftovers(clusters: Iterable<ClusterEntry>): void {
    const byNumber = new Map(Array.from(clusters, (cluster) => [cluster.number, cluster]));
    for (const file of this.files()) {
      const { week, cluster, isDraft } = parseName(file);
      const entry = byNumber.get(cluster);
      const listed = entry?.weeks.find((other) => weekName(other.week) === week);
      const isReplaced = listed !== undefined && listed.file !== file && existsSync(this.path(listed.file));
      const isExpired = listed === undefined && entry?.expiredTo !== undefined && week <= lastExpired(entry.expiredTo);
      if (isDraft || isReplaced || isExpired) rmSync(this.path(file), { force: true });
    }
  }

  /** Closes what is no longer listed. */
  forgetUnlisted(listed: ReadonlySet<string>): void {
    for (const [file, week] of this.#open) {
      if (listed.has(file)) continue;
      week.close();
      this.#open.delete(file);
    }
  }

  close(): void {
    this.forgetUnlisted(new Set());
  }

  /** All week files and drafts that are there. */
  files(): string[] {
    try {
      return readdirSync(this.directory).filter((file) => FILE_NAME.test(file));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  }
}

const FILE_NAME = /^(\d+-W\d\d)-c(\d+)-g\d+\.db(.*)$/;

function parseName(file: string) {
  const [, week = '', cluster = '', rest] = FILE_NAME.exec(file) ?? [];
  return { week, cluster: Number(cluster), isDraft: rest !== '' };
}

/** The last week that is over by then; names of weeks sort as their times. */
function lastExpired(expiredTo: number): string {
  return weekName(weekOf(expiredTo) - 1);
}
