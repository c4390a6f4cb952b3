// A copy of the whole store: the head as of one instant (by SQLite itself, beside running writers) and the week files
// that it lists, which never change.
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HistoryError } from '../../errors.ts';
import { asHistoryError } from './faults.ts';
import type { Head, WeekEntry } from './head/head.ts';
import { makePrivate, OWNER_ONLY } from './private-file.ts';
import { Weeks } from './week/weeks.ts';

export function* backupStore(head: Head, weeks: Weeks, path: string): Generator<undefined, void> {
  const copies = new Weeks(path);
  if (existsSync(path) || existsSync(copies.directory)) {
    throw new HistoryError('backup-exists', `there is something at ${path} already`, {
      hint: isDirectory(path)
        ? `name a file in it: ${join(path, 'ledger-copy.db')}`
        : 'name a path that does not exist yet.',
    });
  }
  try {
    // First the weeks: a head that lists a week which is not there would be no copy.
    const entries = head.read(() => [...head.clusters().values()].flatMap((cluster) => cluster.weeks));
    mkdirSync(copies.directory, { recursive: true, mode: OWNER_ONLY });
    yield* copyWeeks(entries, weeks, copies);
    makePrivate(path);
    head.db.prepare('VACUUM INTO ?').run(path);
    yield;
    // Sealed while we copied: the head lists them already.
    yield* copyWeeks(
      head.read(() => [...head.clusters().values()].flatMap((c) => c.weeks)),
      weeks,
      copies,
    );
  } catch (error) {
    for (const part of [path, copies.directory]) {
      if (existsSync(part)) rmSync(part, { recursive: true, force: true });
    }
    throw faultOfCopy(error, path);
  }
}

/** No room and no rights are the copy's; what cannot be read is the store's. */
function faultOfCopy(error: unknown, path: string): unknown {
  const known = asHistoryError(error, path);
  const isOfCopy = known instanceof HistoryError && (known.code === 'disk-full' || known.code === 'store-not-writable');
  return isOfCopy
    ? new HistoryError('backup-failed', `the copy ${path} cannot be written`, {
        hint: 'it needs room as large as the store, in a directory that this user may write to; nothing is left of it.',
        cause: error,
      })
    : error;
}

function* copyWeeks(entries: readonly WeekEntry[], from: Weeks, to: Weeks): Generator<undefined, void> {
  for (const { file } of entries) {
    if (existsSync(to.path(file))) continue;
    copyFileSync(from.path(file), to.path(file));
    yield;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
