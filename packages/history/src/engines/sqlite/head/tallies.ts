// Whether all records of a time are there: for each hour the sum of the checksums of the occurrences of one kind in
// that hour. Kinds are known by their numbers. The tallies themselves are summed up in the cluster's root.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MOST_KINDS } from '../../occurrences/occurrence-type.ts';
import { nameOfKind } from '../../occurrences/registry.ts';
import { agrees, checksumOf, damaged, sealed, unsealed, withMember, withoutMember } from '../format/checksum.ts';
import { arrays } from '../statements.ts';
import type { Roots } from './roots.ts';

export const TALLY_TABLE = 'CREATE TABLE tally (place INTEGER PRIMARY KEY, body BLOB NOT NULL);';
export const TALLY_MS = 3_600_000;
export const HOURS = 2 ** 32;
const EPOCH_HOUR = 2 ** 31;

interface Draft {
  sum: number;
  readonly stored: number | undefined;
}

export class Tallies {
  readonly #kinds: number;
  readonly #roots: Roots;
  readonly #read: StatementSync;
  readonly #all: StatementSync;
  readonly #write: StatementSync | undefined;
  readonly #remove: StatementSync | undefined;
  readonly #drafts = new Map<number, Draft>();
  readonly #checked = new Set<string>();
  /** What the hours of a kind sum up to, in their order; asked for with every question. */
  readonly #sums = new Map<string, ReadonlyMap<number, number>>();

  /** `kinds`: how many places a cluster has for kinds; older versions have fewer. */
  constructor(db: DatabaseSync, roots: Roots, writable: boolean, kinds = MOST_KINDS) {
    this.#kinds = kinds;
    this.#roots = roots;
    this.#read = db.prepare('SELECT body FROM tally WHERE place = ?');
    this.#all = arrays(db, 'SELECT place, body FROM tally WHERE place >= ? AND place < ? ORDER BY place');
    this.#write = writable ? db.prepare('INSERT OR REPLACE INTO tally VALUES (?, ?)') : undefined;
    this.#remove = writable ? db.prepare('DELETE FROM tally WHERE place = ?') : undefined;
  }

  /** When somebody else has written, and after a rollback. */
  forget(): void {
    this.#drafts.clear();
    this.#checked.clear();
    this.#sums.clear();
  }

  add(cluster: number, kind: number, time: number, checksum: number): void {
    const draft = this.#draft(cluster, kind, time);
    draft.sum = withMember(draft.sum, checksum);
  }

  remove(cluster: number, kind: number, time: number, checksum: number): void {
    const draft = this.#draft(cluster, kind, time);
    draft.sum = withoutMember(draft.sum, checksum);
  }

  /** What the hour of this time has now, within a write transaction. */
  sumOf(cluster: number, kind: number, time: number): number {
    return this.#draft(cluster, kind, time).sum;
  }

  /** Of hours that are over by then: their records have been removed. */
  drop(cluster: number, kind: number, before: number): void {
    for (const hour of this.within(cluster, kind, Number.MIN_SAFE_INTEGER, before).keys()) {
      if (hour + TALLY_MS <= before) this.#draft(cluster, kind, hour).sum = 0;
    }
  }

  /** At the end of a write transaction, before the roots. */
  flush(): void {
    for (const [place, { sum, stored }] of this.#drafts) {
      const which = Math.floor(place / HOURS);
      const kind = which % this.#kinds;
      const root = this.#roots.of(Math.floor(which / this.#kinds));
      let total = root.tallies(kind);
      if (stored !== undefined) total = withoutMember(total, stored);
      if (sum === 0) this.#remove!.run(place);
      else {
        const body = sealed(tallyBytes(place, sum));
        this.#write!.run(place, body);
        total = withMember(total, checksumOf(body));
      }
      root.setTallies(kind, total);
    }
    this.#drafts.clear();
    this.#sums.clear();
  }

  /** What the hours that touch [from, to) must sum up to, by their beginnings; hours without records are left out. */
  within(cluster: number, kind: number, from: number, to: number): Map<number, number> {
    const first = hourOf(from);
    const last = hourOf(to - 1);
    const sums = new Map<number, number>();
    for (const [time, sum] of this.#sumsOf(cluster, kind)) {
      const hour = hourOf(time);
      if (hour >= first && hour <= last) sums.set(time, sum);
    }
    return sums;
  }

  #sumsOf(cluster: number, kind: number): ReadonlyMap<number, number> {
    const key = `${cluster} ${kind}`;
    let sums = this.#sums.get(key);
    if (sums === undefined) {
      sums = new Map(
        this.#complete(cluster, kind).map(([place, whole]) => [timeOf(place), this.#sum(place, whole)] as const),
      );
      this.#sums.set(key, sums);
    }
    return sums;
  }

  /** Throws `damaged` unless all tallies are there and of the root's age. */
  check(cluster: number, kind: number): void {
    const key = `${cluster} ${kind}`;
    if (this.#checked.has(key)) return;
    this.#complete(cluster, kind);
    this.#checked.add(key);
  }

  /** In one reading, which is then shown to be complete: a search for some of them may be led past others. */
  #complete(cluster: number, kind: number): [place: number, whole: Uint8Array][] {
    const from = this.#placeOf(cluster, kind, 0);
    const rows = this.#all.all(from, from + HOURS) as unknown as [number, Uint8Array][];
    let sum = 0;
    for (const [, whole] of rows) sum = withMember(sum, checksumOf(whole));
    if (!agrees(sum, this.#roots.of(cluster).tallies(kind)))
      throw damaged(`head, tallies of ${nameOfKind(kind)} records`);
    return rows;
  }

  #placeOf(cluster: number, kind: number, hour: number): number {
    return (cluster * this.#kinds + kind) * HOURS + hour;
  }

  #draft(cluster: number, kind: number, time: number): Draft {
    const place = this.#placeOf(cluster, kind, hourOf(time));
    let draft = this.#drafts.get(place);
    if (draft !== undefined) return draft;
    this.check(cluster, kind);
    let whole = this.#read.get(place)?.['body'] as Uint8Array | undefined;
    whole ??= this.#complete(cluster, kind).find(([other]) => other === place)?.[1];
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

/** Where the tally of an hour stands, and the index of it. */
export function tallyPlace(cluster: number, kind: number, time: number): number {
  return (cluster * MOST_KINDS + kind) * HOURS + hourOf(time);
}

/** An hour of this sum has so many rows at least, and twice as many at most: a sum counts its members. */
export function leastRows(sum: number): number {
  return sum / 2 ** 33;
}

export function tallyBytes(place: number, sum: number): Buffer {
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
