// From version 3 of the head to version 4: rows get a checksum over all that they are found by, the indexes by address
// and UID become ours (primary-index.ts), and sums of everything make missing rows show. A row that was damaged before stays
// damaged; what version 3 had lost without a trace cannot be noticed any more.
import type { DatabaseSync } from 'node:sqlite';
import { damagedStore } from '../faults.ts';
import { checksumOf, handleOf, unsealed, withMember } from '../format/checksum.ts';
import { entrySum } from '../format/dictionary.ts';
import { packRow, type RowKey } from '../format/head-row.ts';
import { ipHandleOfKey } from '../format/ip-key.ts';
import { OPEN } from '../format/open-end.ts';
import { oldLayoutChecksum } from './old-layout.ts';
import { BUCKET_TABLE, PrimaryIndex } from './primary-index.ts';
import { emptyRoot, INDEXED, ROOT_TABLE, Roots, TALLIES_PLACE } from './roots.ts';
import { TALLY_TABLE, Tallies } from './tallies.ts';

/**
 * `body` is the row (head-row.ts); the columns before it only help to find it. Names, UIDs, nodes and workloads are kept
 * as 32 bits and compared in full when found. A row never changes: a record's next version is a new row at the table's
 * end, with a number that no row had since the writer came. Every index on disk costs a page for each event, hence only
 * those that one instant's questions and upserts need; the others are in memory.
 */
const TABLES = `
  ${ROOT_TABLE} ${BUCKET_TABLE} ${TALLY_TABLE}
  CREATE TABLE tenure (number INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, until INTEGER NOT NULL, body BLOB NOT NULL);
  CREATE INDEX tenure_closed ON tenure (cluster, until) WHERE until < ${OPEN};
  CREATE TABLE placement (number INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, until INTEGER NOT NULL, body BLOB NOT NULL);
  CREATE INDEX placement_closed ON placement (cluster, until) WHERE until < ${OPEN};
  CREATE TABLE possible (number INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, until INTEGER NOT NULL, body BLOB NOT NULL);
  CREATE INDEX possible_closed ON possible (cluster, until) WHERE until < ${OPEN};
  CREATE TABLE live (number INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, body BLOB NOT NULL);
  CREATE TABLE change (cluster INTEGER, key TEXT, at INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (cluster, key)) WITHOUT ROWID;
  CREATE INDEX change_at ON change (cluster, at);
  CREATE TABLE conflict (cluster INTEGER, key TEXT, at INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (cluster, key)) WITHOUT ROWID;
  CREATE INDEX conflict_at ON conflict (cluster, at);
  CREATE TABLE anomaly (cluster INTEGER, key TEXT, at INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (cluster, key)) WITHOUT ROWID;
  CREATE INDEX anomaly_at ON anomaly (cluster, at);
  CREATE TABLE coverage (cluster INTEGER, start INTEGER, collector TEXT, body BLOB NOT NULL, PRIMARY KEY (cluster, start, collector)) WITHOUT ROWID;
  ALTER TABLE week ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE week ADD COLUMN digest TEXT NOT NULL DEFAULT '';
  ALTER TABLE week ADD COLUMN reach INTEGER NOT NULL DEFAULT ${-OPEN};
`;

/** The kinds of occurrences that version 4 knew, each in a table of its own. */
export const OLD_KINDS = ['change', 'conflict', 'anomaly'] as const;
export const OLD_FIELDS = TALLIES_PLACE + OLD_KINDS.length + 2;

const OLD = ['tenure', 'placement', 'live', 'possible', 'change', 'conflict', 'anomaly', 'coverage'] as const;

export function checkEverything(db: DatabaseSync): void {
  const [first] = db.prepare('PRAGMA integrity_check(1)').all();
  if (first?.['integrity_check'] !== 'ok') throw damagedStore(db.location() ?? 'head', first?.['integrity_check']);
  for (const table of OLD) db.exec(`ALTER TABLE ${table} RENAME TO old_${table}`);
  for (const index of ['tenure_closed', 'placement_closed', 'change_at', 'conflict_at', 'anomaly_at']) {
    db.exec(`DROP INDEX ${index}`);
  }
  db.exec(TABLES);
  const dictionary = renumberedEntries(db);
  const generation = db.prepare('SELECT generation FROM layout').get()!['generation'] as number;
  db.prepare('INSERT INTO root VALUES (0, ?)').run(emptyRoot(generation, oldLayoutChecksum(db), dictionary));
  db.exec('DROP TABLE layout');
  const roots = new Roots(db, true, OLD_FIELDS);
  moveRows(db, roots);
  for (const table of OLD) db.exec(`DROP TABLE old_${table}`);
}

type Row = Readonly<Record<string, unknown>>;

function moveRows(db: DatabaseSync, roots: Roots): void {
  const index = new PrimaryIndex(db, roots, true);
  const tallies = new Tallies(db, roots, true, OLD_KINDS.length);
  let last = lastNumber(db);
  for (const table of INDEXED) {
    const columns = table === 'live' ? '(?, ?, ?)' : '(?, ?, ?, ?)';
    const insert = db.prepare(`INSERT INTO ${table} VALUES ${columns}`);
    for (const row of db.prepare(`SELECT * FROM old_${table}`).iterate()) {
      const number = table === 'possible' ? ++last : (row['number'] as number);
      const key = { ...keyOf(row, table), number };
      const body = moved(row, key);
      const { cluster, until } = key;
      if (table === 'live') insert.run(number, cluster, body);
      else insert.run(number, cluster, until, body);
      index.add(cluster, table, { ...key, checksum: checksumOf(body) });
    }
  }
  for (const [kind, table] of OLD_KINDS.entries()) {
    const insert = db.prepare(`INSERT INTO ${table} VALUES (?, ?, ?, ?)`);
    for (const row of db.prepare(`SELECT * FROM old_${table}`).iterate()) {
      const key = keyOf(row, table);
      const body = moved(row, key);
      insert.run(key.cluster, String(row['key']), key.start, body);
      tallies.add(key.cluster, kind, key.start, checksumOf(body));
    }
  }
  const insert = db.prepare('INSERT INTO coverage VALUES (?, ?, ?, ?)');
  for (const row of db.prepare('SELECT * FROM old_coverage').iterate()) {
    const key = keyOf(row, 'coverage');
    const body = moved(row, key);
    insert.run(key.cluster, key.start, String(row['collector']), body);
    const root = roots.of(key.cluster);
    root.coverage = withMember(root.coverage, checksumOf(body));
  }
  for (const row of db.prepare('SELECT number, checkpoint FROM cluster').all()) {
    const whole = row['checkpoint'] as Uint8Array | null;
    if (whole === null) continue;
    const body = moved({ body: whole }, keyOf({ cluster: row['number'] }, 'checkpoint'));
    db.prepare('UPDATE cluster SET checkpoint = ? WHERE number = ?').run(body, row['number'] as number);
    roots.of(row['number'] as number).checkpoint = checksumOf(body);
  }
  index.flush();
  tallies.flush();
  roots.flush();
}

/** Of all rows that had numbers before. */
function lastNumber(db: DatabaseSync): number {
  const tables = ['tenure', 'placement', 'live'].map((table) => `SELECT max(number) AS n FROM old_${table}`);
  const sealed = 'SELECT max(max(last_tenure, last_placement)) AS n FROM week';
  return db.prepare(`SELECT ifnull(max(n), 0) AS last FROM (${[...tables, sealed].join(' UNION ALL ')})`).get()![
    'last'
  ] as number;
}

function keyOf(row: Row, table: string): RowKey {
  const number = (name: string): number => (row[name] as number | null | undefined) ?? 0;
  const at = row['at'] === undefined ? number('start') : number('at');
  const until = row['until'] === undefined ? (table === 'live' ? OPEN : at) : number('until');
  return {
    number: number('number'),
    cluster: number('cluster'),
    start: at,
    until,
    handle: handleIn(row, table),
    uid: number('uid'),
    name: number('name'),
    workload: (row['workload'] as number | null | undefined) ?? null,
    other: table === 'tenure' ? number('key') : number('node'),
  };
}

function handleIn(row: Row, table: string): number {
  if (table === 'tenure') return ipHandleOfKey(row['ip'] as Uint8Array);
  if (table === 'possible') return handleOf(String(row['key']));
  return table === 'placement' || table === 'live' ? (row['uid'] as number) : 0;
}

/** What did not agree with its checksum does not agree with the new one, either. */
function moved(row: Row, key: RowKey): Buffer {
  const old = row['body'] as Uint8Array;
  try {
    return packRow(
      key,
      unsealed(old, () => ''),
    );
  } catch {
    const body = packRow(key, Buffer.from(old));
    body[body.length - 1]! ^= 0xff;
    return body;
  }
}

/** Each word's checksum covers its number from now on. Returns the sum of all. */
function renumberedEntries(db: DatabaseSync): number {
  const update = db.prepare('UPDATE word SET sum = ? WHERE number = ?');
  let all = 0;
  for (const row of db.prepare('SELECT number, text, sum FROM word').all()) {
    const number = row['number'] as number;
    const text = String(row['text']);
    const isWhole = handleOf(text) === row['sum'];
    const sum = isWhole ? entrySum(number, text) : (entrySum(number, text) ^ 1) >>> 0;
    update.run(sum, number);
    all = withMember(all, sum);
  }
  return all;
}
