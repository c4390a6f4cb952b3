// From version 5 of the head to version 6: changes, conflicts and anomalies, a table each before, lie in one table, and
// each kind may have an expired range of its own. Rows keep their bytes, so that sums of them stay what they were: a row
// that was damaged or lost before shows as such afterwards. Only what names their places is written again.
import type { DatabaseSync } from 'node:sqlite';
import { agrees, checksumOf, damaged, sealed, unsealed, withMember } from '../format/checksum.ts';
import { layoutChecksum } from './layout.ts';
import { oldLayoutChecksum } from './old-layout.ts';
import { bytesOf, numbersOf, STORE, TALLIES_PLACE } from './roots.ts';
import { OLD_FIELDS, OLD_KINDS } from './step-checked.ts';
import { HOURS, tallyBytes } from './tallies.ts';

/** As version 6 was released. */
const KINDS = 16;
const FIELDS = TALLIES_PLACE + KINDS + 2;
const ROWS_PER_PART = 1000;
/** The number of the first of OLD_KINDS. */
const FIRST = 1;

const TABLES = `
  CREATE TABLE occurrence (cluster INTEGER, kind INTEGER, key TEXT, at INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (cluster, kind, key)) WITHOUT ROWID;
  CREATE INDEX occurrence_at ON occurrence (cluster, kind, at);
  CREATE TABLE expired_kind (cluster INTEGER, kind INTEGER, expired_from INTEGER NOT NULL, expired_to INTEGER NOT NULL, PRIMARY KEY (cluster, kind)) WITHOUT ROWID;
  INSERT INTO expired_kind SELECT number, ${FIRST}, changes_expired_from, changes_expired_to FROM cluster
    WHERE changes_expired_from IS NOT NULL AND changes_expired_to IS NOT NULL;
  ALTER TABLE cluster DROP COLUMN changes_expired_from;
  ALTER TABLE cluster DROP COLUMN changes_expired_to;
`;

export function joinOccurrences(db: DatabaseSync): void {
  const store = storeRoot(db);
  const isLayoutWhole = agrees(oldLayoutChecksum(db), store[LAYOUT]!);
  db.exec(TABLES);
  for (const [i, table] of OLD_KINDS.entries()) moveRows(db, table, FIRST + i);
  const sums = movedTallies(db);
  const layout = layoutChecksum(db);
  store[COMMITS]!++;
  store[GENERATION]!++;
  store[LAYOUT] = isLayoutWhole ? layout : layout + 1;
  for (let i = CLUSTERS; i < store.length; i += 2) {
    const body = movedRoot(db, store[i]!, store[i + 1]!, sums);
    if (body === undefined) continue;
    db.prepare('UPDATE root SET body = ? WHERE cluster = ?').run(body, store[i]!);
    store[i + 1] = checksumOf(body);
  }
  db.prepare('UPDATE root SET body = ? WHERE cluster = ?').run(sealed(bytesOf(store)), STORE);
}

/** Part by part, so that the pages of one take the rows of the next: a store may be most of its volume. */
function moveRows(db: DatabaseSync, table: string, kind: number): void {
  const upTo = db.prepare(`SELECT cluster, key FROM ${table} ORDER BY cluster, key LIMIT 1 OFFSET ?`);
  const within = 'WHERE (cluster, key) <= (?, ?)';
  // What a damaged page makes of a column may be refused here: the row is then missing, which its hour's sum shows.
  const insert = `INSERT OR IGNORE INTO occurrence SELECT cluster, ${kind}, key, at, body FROM ${table}`;
  const [insertSome, removeSome] = [insert, `DELETE FROM ${table}`].map((sql) => db.prepare(`${sql} ${within}`));
  for (;;) {
    const last = upTo.get(ROWS_PER_PART - 1);
    if (last === undefined) break;
    const place = [last['cluster'] as number, last['key'] as string] as const;
    insertSome!.run(...place);
    // A damaged page may show what no search finds: what is left goes in one part.
    if (removeSome!.run(...place).changes === 0) break;
  }
  db.exec(`${insert}; DROP TABLE ${table}`);
}

/** Places in the store's own row (roots.ts). */
const [COMMITS, GENERATION, LAYOUT, CLUSTERS] = [1, 2, 3, 5];

/** Without it nothing of a store is answered: such a store is left as it is. */
function storeRoot(db: DatabaseSync): Float64Array {
  const where = (): string => 'head, root';
  const whole = db.prepare('SELECT body FROM root WHERE cluster = ?').get(STORE)?.['body'] as Uint8Array | undefined;
  if (whole === undefined) throw damaged(where());
  const fields = numbersOf(unsealed(whole, where));
  if (fields[0] !== STORE || fields.length < CLUSTERS || (fields.length - CLUSTERS) % 2 !== 0) throw damaged(where());
  return fields;
}

/** What the tallies of a cluster and a kind sum up to, before and after. */
interface Sums {
  before: number;
  after: number;
}

function movedTallies(db: DatabaseSync): Map<number, Sums> {
  const sums = new Map<number, Sums>();
  const rows = db.prepare('SELECT place, body FROM tally').all() as unknown as { place: number; body: Uint8Array }[];
  db.exec('DELETE FROM tally');
  const insert = db.prepare('INSERT INTO tally VALUES (?, ?)');
  for (const { place, body } of rows) {
    const which = Math.floor(place / HOURS);
    const cluster = Math.floor(which / OLD_KINDS.length);
    const kind = FIRST + (which % OLD_KINDS.length);
    const moved = movedTally(place, (cluster * KINDS + kind) * HOURS + (place % HOURS), body);
    const sum = sums.get(cluster * KINDS + kind) ?? { before: 0, after: 0 };
    sum.before = withMember(sum.before, checksumOf(body));
    sum.after = withMember(sum.after, checksumOf(moved.body));
    sums.set(cluster * KINDS + kind, sum);
    insert.run(moved.place, moved.body);
  }
  return sums;
}

/** What did not agree with its checksum, or was of another place, does not agree with the new one, either. */
function movedTally(oldPlace: number, place: number, whole: Uint8Array): { place: number; body: Buffer } {
  try {
    const body = unsealed(whole, () => '');
    if (body.length === 16 && agrees(body.readDoubleLE(0), oldPlace)) {
      return { place, body: sealed(tallyBytes(place, body.readDoubleLE(8))) };
    }
  } catch {
    // As damaged as before.
  }
  const body = sealed(tallyBytes(place, 0));
  body[body.length - 1]! ^= 0xff;
  return { place, body };
}

/** Undefined where it is damaged: it stays as it is, and has a length that no row of this version has. */
function movedRoot(
  db: DatabaseSync,
  cluster: number,
  expected: number,
  sums: ReadonlyMap<number, Sums>,
): Buffer | undefined {
  const whole = db.prepare('SELECT body FROM root WHERE cluster = ?').get(cluster)?.['body'] as Uint8Array | undefined;
  if (whole === undefined || !agrees(checksumOf(whole), expected)) return undefined;
  let old: Float64Array;
  try {
    old = numbersOf(unsealed(whole, () => ''));
  } catch {
    return undefined;
  }
  if (old.length !== OLD_FIELDS || !agrees(old[0]!, cluster)) return undefined;
  const fields = new Float64Array(FIELDS);
  fields.set(old.subarray(0, TALLIES_PLACE));
  for (const i of OLD_KINDS.keys()) {
    const { before, after } = sums.get(cluster * KINDS + FIRST + i) ?? { before: 0, after: 0 };
    // Tallies that were missing are so afterwards.
    fields[TALLIES_PLACE + FIRST + i] = agrees(before, old[TALLIES_PLACE + i]!) ? after : withMember(after, 1);
  }
  fields.set(old.subarray(-2), FIELDS - 2);
  return sealed(bytesOf(fields));
}
