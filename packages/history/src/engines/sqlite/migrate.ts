// From an older format to this one. The head goes step by step, each in a transaction with its version: killed anywhere,
// the next writer goes on. Week files follow afterwards, one by one (seal.ts); until then they are read as they are.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Migration } from '../store-admin.ts';
import type { Failpoints } from './failpoints.ts';
import { noStore, readFault } from './faults.ts';
import { APPLICATION_ID, FORMAT, type Format, refuseCutFile, storedVersion } from './head/schema.ts';
import { type SealParts, sealWeek } from './week/seal.ts';
import { WeekFile } from './week/week-file.ts';
import { Weeks } from './week/weeks.ts';

/** For a writer that opens the head. An empty file becomes a store; that is no migration. */
export function migrateHead(db: DatabaseSync, path: string, format: Format, failpoints: Failpoints): Migration {
  const { steps } = format;
  const from = storedVersion(db, path, steps.length);
  for (const [version, step] of steps.entries()) {
    if (version < from) continue;
    db.exec('BEGIN IMMEDIATE');
    try {
      step.apply(db);
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version + 1}`);
      failpoints.pass('migrate:stepped');
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
    failpoints.pass('migrate:committed');
  }
  return report(from, format, 0);
}

/** Rewrites week files of older versions. Returns how many. */
export function* migrateWeeks(parts: SealParts): Generator<undefined, number> {
  const { head, weeks } = parts;
  let files = 0;
  for (const { id, weeks: entries } of head.read(() => [...head.clusters().values()])) {
    for (const entry of entries) {
      if (entry.format >= weeks.version) continue;
      yield* sealWeek(parts, id, entry.week);
      files++;
    }
  }
  return files;
}

/** What migrating would do. Only reads, also beside a running recorder. */
export function plannedMigration(path: string, format: Format = FORMAT): Migration {
  if (!existsSync(path)) throw noStore(path);
  let db: DatabaseSync | undefined;
  try {
    refuseCutFile(path);
    db = new DatabaseSync(path, { readOnly: true });
    const from = storedVersion(db, path, format.steps.length);
    if (from === 0) throw noStore(path);
    return report(from, format, oldWeeks(db, path, format));
  } catch (error) {
    throw readFault(error, path);
  } finally {
    db?.close();
  }
}

function oldWeeks(db: DatabaseSync, path: string, { weekVersion }: Format): number {
  const { directory } = new Weeks(path);
  const files = db.prepare('SELECT file FROM week').all();
  return files.filter(({ file }) => weekVersionOf(join(directory, String(file)), weekVersion) < weekVersion).length;
}

function weekVersionOf(path: string, newest: number): number {
  const week = new WeekFile(path, newest);
  week.close();
  return week.version;
}

function report(from: number, { steps }: Format, files: number): Migration {
  const isNew = from === 0;
  return {
    from: isNew ? steps.length : from,
    to: steps.length,
    steps: isNew ? [] : steps.slice(from).map(({ title }) => title),
    files,
  };
}
