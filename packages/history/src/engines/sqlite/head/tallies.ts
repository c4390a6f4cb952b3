// Whether all records of a time are there: for each hour the sum of the checksums of the changes, conflicts or anomalies
// of that hour. The tallies themselves are summed up in the cluster's root.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { agrees, checksumOf, damaged, sealed, unsealed, withMember, withoutMember } from '../format/checksum.ts';
import { type Roots, TALLIED, type TalliedTable } from './roots.ts';

export const TALLY_TABLE = 'CREATE TABLE tally (place INTEGER PRIMARY KEY, body BLOB NOT NULL);';
export const TALLY_MS = 3_600_000;
const HOURS = 2 ** 32;
const EPOCH_HOUR = 2 ** 31;

interface Draft {
  sum: number;
  readonly stored: number | undefined;
}

export class Tallies {
  readonly #roots: Roots;
  readonly #read: StatementSync;
  readonly #all: StatementSync;
  readonly #write: StatementSync | undefined;
  readonly #remove: StatementSync | undefined;
  readonly #drafts = new Map<number, Draft>();
  readonly #checked = new Set<string>();

  constructor(db: DatabaseSync, roots: Roots, writable: boolean) {
    this.#roots = roots;
    this.#read = db.prepare('SELECT body FROM tally WHERE place = ?');
    this.#all = db.prepare('SELECT place, body FROM tally WHERE place >= ? AND place < ? ORDER BY place');
    this.#all.setReturnArrays(true);
    this.#write = writable ? db.prepare('INSERT OR REPLACE INTO tally VALUES (?, ?)') : undefined;
    this.#remove = writable ? db.prepare('DELETE FROM tally WHERE place = ?') : undefined;
  }

  /** When somebody else has written, and after a rollback. */
  forget(): void {
    this.#drafts.clear();
    this.#checked.clear();
  }

  add(cluster: number, table: TalliedTable, time: number, checksum: number): void {
    const draft = this.#draft(cluster, table, time);
    draft.sum = withMember(draft.sum, checksum);
  }

  remove(cluster: number, table: TalliedTable, time: number, checksum: number): void {
    const draft = this.#draft(cluster, table, time);
    draft.sum = withoutMember(draft.sum, checksum);
  }

  /** What the hour of this time has now, within a write transaction. */
  sumOf(cluster: number, table: TalliedTable, time: number): number {
    return this.#draft(cluster, table, time).sum;
  }

  /** Of hours that are over by then: their records have been removed. */
  drop(cluster: number, table: TalliedTable, before: number): void {
    for (const hour of this.within(cluster, table, Number.MIN_SAFE_INTEGER, before).keys()) {
      if (hour + TALLY_MS <= before) this.#draft(cluster, table, hour).sum = 0;
    }
  }

  /** At the end of a write transaction, before the roots. */
  flush(): void {
    for (const [place, { sum, stored }] of this.#drafts) {
      const { cluster, table } = partsOf(place);
      const root = this.#roots.of(cluster);
      let total = root.tallies(table);
      if (stored !== undefined) total = withoutMember(total, stored);
      if (sum === 0) this.#remove!.run(place);
      else {
        const body = sealed(tallyBytes(place, sum));
        this.#write!.run(place, body);
        total = withMember(total, checksumOf(body));
      }
      root.setTallies(table, total);
    }
    this.#drafts.clear();
  }

  /** What the hours that touch [from, to) must sum up to, by their beginnings; hours without records are left out. */
  within(cluster: number, table: TalliedTable, from: number, to: number): Map<number, number> {
    const first = placeOf(cluster, table, hourOf(from));
    const last = placeOf(cluster, table, hourOf(to - 1));
    const sums = new Map<number, number>();
    for (const [place, whole] of this.#complete(cluster, table)) {
      if (place >= first && place <= last) sums.set(timeOf(place), this.#sum(place, whole));
    }
    return sums;
  }

  /** Throws `damaged` unless all tallies are there and of the root's age. */
  check(cluster: number, table: TalliedTable): void {
    const key = `${cluster} ${table}`;
    if (this.#checked.has(key)) return;
    this.#complete(cluster, table);
    this.#checked.add(key);
  }

  /** In one reading, which is then shown to be complete: a search for some of them may be led past others. */
  #complete(cluster: number, table: TalliedTable): [place: number, whole: Uint8Array][] {
    const from = placeOf(cluster, table, 0);
    const rows = this.#all.all(from, from + HOURS) as unknown as [number, Uint8Array][];
    let sum = 0;
    for (const [, whole] of rows) sum = withMember(sum, checksumOf(whole));
    if (!agrees(sum, this.#roots.of(cluster).tallies(table))) throw damaged(`head, tallies of ${table} records`);
    return rows;
  }

  #draft(cluster: number, table: TalliedTable, time: number): Draft {
    const place = placeOf(cluster, table, hourOf(time));
    let draft = this.#drafts.get(place);
    if (draft !== undefined) return draft;
    this.check(cluster, table);
    let whole = this.#read.get(place)?.['body'] as Uint8Array | undefined;
    whole ??= this.#complete(cluster, table).find(([other]) => other === place)?.[1];
    if (whole === undefined) draft = { sum: 0, stored: undefined };
    else draft = { sum: this.#sum(place, whole), stored: checksumOf(whole) };
    this.#drafts.set(place, draft);
    return draft;
  }

  #sum(place: number, whole: Uint8Array): number {
    const where = (): string => `head, tally ${place}`;
    const body = unsealed(whole, where);
    if (body.length !== 16 || !agrees(body.readDoubleLE(0), place)) throw damaged(where());
    return body.readDoubleLE(8);
  }
}

function tallyBytes(place: number, sum: number): Buffer {
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeDoubleLE(place, 0);
  bytes.writeDoubleLE(sum, 8);
  return bytes;
}

function hourOf(time: number): number {
  return Math.min(HOURS - 1, Math.max(0, Math.floor(time / TALLY_MS) + EPOCH_HOUR));
}

/** When its hour begins. */
function timeOf(place: number): number {
  return ((place % HOURS) - EPOCH_HOUR) * TALLY_MS;
}

/** When its hour begins. */
export function tallyTime(time: number): number {
  return Math.floor(time / TALLY_MS) * TALLY_MS;
}

function placeOf(cluster: number, table: TalliedTable, hour: number): number {
  return (cluster * TALLIED.length + TALLIED.indexOf(table)) * HOURS + hour;
}

function partsOf(place: number): { cluster: number; table: TalliedTable } {
  const which = Math.floor(place / HOURS);
  return { cluster: Math.floor(which / TALLIED.length), table: TALLIED[which % TALLIED.length]! };
}
