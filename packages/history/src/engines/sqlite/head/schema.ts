// The head file's tables, and the steps from each released version to the next. A released step is never edited: a new
// one is added, and a golden file of the old version joins the tests.
import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { HistoryError } from '../../../errors.ts';
import { damagedStore, noStore } from '../faults.ts';
import { OPEN } from '../format/open-end.ts';
import { HOUR_INDEX_TABLES } from './hour-index.ts';
import { checkEverything } from './step-checked.ts';
import { joinOccurrences } from './step-occurrences.ts';

/** "ptrl": tells our files from other people's. */
export const APPLICATION_ID = 0x7074726c;
const SQLITE_HEADER_BYTES = 100;

/** As it was released; step-checked.ts has what became of it. */
const VERSION_1 = `
  CREATE TABLE cluster (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE, fence INTEGER NOT NULL,
    expired_from INTEGER, expired_to INTEGER, checkpoint BLOB
  );
  CREATE TABLE word (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, sum INTEGER NOT NULL);
  CREATE TABLE tenure (
    number INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, ip BLOB NOT NULL, key INTEGER NOT NULL,
    start INTEGER NOT NULL, until INTEGER NOT NULL, uid INTEGER NOT NULL, name INTEGER NOT NULL, workload INTEGER,
    body BLOB NOT NULL
  );
  CREATE INDEX tenure_ip ON tenure (cluster, ip);
  CREATE INDEX tenure_closed ON tenure (cluster, until) WHERE until < ${OPEN};
  CREATE TABLE placement (
    number INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, uid INTEGER NOT NULL,
    start INTEGER NOT NULL, until INTEGER NOT NULL, node INTEGER NOT NULL, name INTEGER NOT NULL, workload INTEGER,
    body BLOB NOT NULL
  );
  CREATE INDEX placement_uid ON placement (cluster, uid);
  CREATE INDEX placement_closed ON placement (cluster, until) WHERE until < ${OPEN};
  CREATE TABLE live (
    number INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, uid INTEGER NOT NULL, body BLOB NOT NULL
  );
  CREATE INDEX live_uid ON live (cluster, uid);
  CREATE TABLE change (
    cluster INTEGER, key TEXT, at INTEGER NOT NULL, uid INTEGER NOT NULL, name INTEGER NOT NULL, workload INTEGER,
    body BLOB NOT NULL, PRIMARY KEY (cluster, key)
  ) WITHOUT ROWID;
  CREATE INDEX change_at ON change (cluster, at);
  CREATE INDEX change_uid ON change (cluster, uid, at);
  CREATE INDEX change_name ON change (cluster, name, at);
  CREATE INDEX change_workload ON change (cluster, workload, at) WHERE workload IS NOT NULL;
  CREATE TABLE conflict (
    cluster INTEGER, key TEXT, at INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (cluster, key)
  ) WITHOUT ROWID;
  CREATE INDEX conflict_at ON conflict (cluster, at);
  CREATE TABLE anomaly (
    cluster INTEGER, key TEXT, at INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (cluster, key)
  ) WITHOUT ROWID;
  CREATE INDEX anomaly_at ON anomaly (cluster, at);
  CREATE TABLE coverage (
    cluster INTEGER, start INTEGER, collector TEXT, body BLOB NOT NULL, PRIMARY KEY (cluster, start, collector)
  ) WITHOUT ROWID;
  CREATE TABLE week (
    cluster INTEGER, week INTEGER, generation INTEGER NOT NULL, file TEXT NOT NULL,
    last_tenure INTEGER NOT NULL, last_placement INTEGER NOT NULL, tenures INTEGER NOT NULL, placements INTEGER NOT NULL, PRIMARY KEY (cluster, week)
  ) WITHOUT ROWID;
  CREATE TABLE layout (one INTEGER PRIMARY KEY CHECK (one = 1), generation INTEGER NOT NULL);
  INSERT INTO layout VALUES (1, 1);
`;

/** Pods that never showed an address: few, and mostly short. The key is the record's own (possibleKey). */
const VERSION_2 = `
  CREATE TABLE possible (
    cluster INTEGER, key TEXT, start INTEGER NOT NULL, until INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (cluster, key)
  ) WITHOUT ROWID;
  CREATE INDEX possible_until ON possible (cluster, until);
`;

/** Changes may be forgotten before all else: a range of their own says so. */
const VERSION_3 = `
  ALTER TABLE cluster ADD COLUMN changes_expired_from INTEGER;
  ALTER TABLE cluster ADD COLUMN changes_expired_to INTEGER;
`;

export interface Step {
  /** What changes, for the person who migrates. */
  readonly title: string;
  /** Within a transaction that also raises the version. */
  apply(db: DatabaseSync): void;
}

/** What this podtrail writes. Tests add a step of their own. */
export interface Format {
  /** Step n leads from version n to n + 1; version 0 is an empty file. */
  readonly steps: readonly Step[];
  /** Of week files, which count for themselves: every released one stays readable. */
  readonly weekVersion: number;
}

export const FORMAT: Format = {
  steps: [
    { title: 'the tables of the first version', apply: (db) => db.exec(VERSION_1) },
    { title: 'a table for pods that never showed their address', apply: (db) => db.exec(VERSION_2) },
    { title: 'changes expire before all else', apply: (db) => db.exec(VERSION_3) },
    { title: 'everything that decides an answer is under a checksum, missing rows included', apply: checkEverything },
    // Old rows stay readable (old-live-state.ts), and each goes with its holder's next observation.
    { title: 'what a recorder remembers of living holders is one text of its own', apply: () => {} },
    {
      title: 'changes, conflicts and anomalies in one table',
      apply: joinOccurrences,
    },
    // Kinds of occurrences that a podtrail before would pass over.
    { title: 'lives of pods, their departures, and the evidence for their causes', apply: () => {} },
    // Filled by maintenance: until then hours are read as before.
    { title: 'an index of occurrences by whom they are about', apply: (db) => db.exec(HOUR_INDEX_TABLES) },
  ],
  weekVersion: 2,
};

/** `newest`: refuses what is beyond. */
export function storedVersion(db: DatabaseSync, path: string, newest: number): number {
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  const application = Number(db.prepare('PRAGMA application_id').get()?.['application_id']);
  if (application !== APPLICATION_ID && (version !== 0 || application !== 0 || hasTables(db))) throw damagedStore(path);
  if (version > newest) throw newerStore(path, version, newest);
  return version;
}

export function newerStore(path: string, version: number, newest: number): HistoryError {
  return new HistoryError('store-newer', `the store ${path} was written by a newer podtrail (version ${version})`, {
    hint: `this one knows version ${newest}; use the newer podtrail.`,
  });
}

export function refuseOlder(version: number, path: string, { steps }: Format): void {
  if (version === steps.length) return;
  // Empty: whoever makes it a store has not come yet.
  if (version === 0) throw noStore(path);
  throw new HistoryError('store-older', `the store ${path} is of version ${version} and must be migrated first`, {
    hint: '`podtrail store migrate` does it; a starting recorder does it too.',
  });
}

/** SQLite takes a file that is shorter than its header for an empty one, and would make a new store in it. */
export function refuseCutFile(path: string): void {
  if (!existsSync(path)) return;
  const { size } = statSync(path);
  if (size > 0 && size < SQLITE_HEADER_BYTES) throw damagedStore(path);
}

function hasTables(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}
