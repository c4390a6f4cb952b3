// The week files of a store: where they lie, which are open, and which may hold what touches a span.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Span } from '../engine.ts';
import type { ClusterEntry, WeekEntry } from './head.ts';
import { FORMAT } from './schema.ts';
import { WEEK_MS, weekName, weekStart } from './week.ts';
import { WeekFile } from './week-file.ts';

export class Weeks {
  readonly directory: string;
  /** Of the files that are written now. */
  readonly version: number;
  readonly #open = new Map<string, WeekFile>();

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
    mkdirSync(this.directory, { recursive: true });
  }

  open({ file }: WeekEntry): WeekFile {
    let week = this.#open.get(file);
    if (week === undefined) this.#open.set(file, (week = new WeekFile(this.path(file), this.version)));
    return week;
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

  /** Files that a crash left unlisted, or unlinked too late. */
  removeUnlisted(listed: ReadonlySet<string>): void {
    for (const file of this.#files()) if (!listed.has(file)) rmSync(this.path(file), { force: true });
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

  #files(): string[] {
    try {
      return readdirSync(this.directory).filter((file) => /^\d+-W\d\d-c\d+-g\d+\.db/.test(file));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  }
}
