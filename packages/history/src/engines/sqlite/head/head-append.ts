// Facts into the head's tables. Called inside a write transaction; idempotent fact by fact.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { newerCoverage, type StoredFact } from '../../../model/fact.ts';
import { type OccurrenceKind, recordOf } from '../../../model/occurrence.ts';
import type { Checkpoint, Coverage, Holder, Placement, PossibleTenure, Tenure } from '../../../model/records.ts';
import { newer } from '../../matching.ts';
import type { About, Named } from '../../occurrences/occurrence-type.ts';
import { isOccurrence, type OccurrenceRecord, typeOf } from '../../occurrences/registry.ts';
import { isDamage } from '../faults.ts';
import { checksumOf, handleOf, withMember, withoutMember } from '../format/checksum.ts';
import { OPAQUE, packRow, type RowKey, readRow, SAYS_ALL } from '../format/head-row.ts';
import { ipHandle } from '../format/ip-key.ts';
import { OPEN } from '../format/open-end.ts';
import { RecordWriter } from '../format/record-writer.ts';
import { CountedRows } from './counted-rows.ts';
import type { Head } from './head.ts';
import type { HeadReader } from './head-read.ts';
import type { IndexedTable } from './roots.ts';
import { tallyPlace } from './tallies.ts';

type Statement = IndexedTable | `old-${IndexedTable}` | 'occurrence' | 'old-occurrence' | 'coverage' | 'checkpoint';

export class HeadAppender {
  readonly #head: Head;
  readonly #reader: HeadReader;
  readonly #writer: RecordWriter;
  readonly #counted: CountedRows;
  readonly #statements: Readonly<Record<Statement, StatementSync>>;
  /** Invariant: no number is given twice while this writer lives, nor one that a week file has taken in. */
  #last: number;

  constructor(head: Head, reader: HeadReader) {
    const { db, dictionary } = head;
    this.#last = lastNumber(db);
    this.#head = head;
    this.#reader = reader;
    this.#counted = new CountedRows(reader.occurrences, head.tallies);
    this.#writer = new RecordWriter(dictionary);
    this.#statements = {
      tenure: db.prepare('INSERT INTO tenure VALUES (?, ?, ?, ?)'),
      'old-tenure': db.prepare('DELETE FROM tenure WHERE number = ?'),
      placement: db.prepare('INSERT INTO placement VALUES (?, ?, ?, ?)'),
      'old-placement': db.prepare('DELETE FROM placement WHERE number = ?'),
      possible: db.prepare('INSERT INTO possible VALUES (?, ?, ?, ?)'),
      'old-possible': db.prepare('DELETE FROM possible WHERE number = ?'),
      live: db.prepare('INSERT INTO live VALUES (?, ?, ?)'),
      'old-live': db.prepare('DELETE FROM live WHERE number = ?'),
      occurrence: db.prepare('INSERT OR REPLACE INTO occurrence VALUES (?, ?, ?, ?, ?)'),
      'old-occurrence': db.prepare('SELECT at, body FROM occurrence WHERE cluster = ? AND kind = ? AND key = ?'),
      coverage: db.prepare('INSERT OR REPLACE INTO coverage VALUES (?, ?, ?, ?)'),
      checkpoint: db.prepare('UPDATE cluster SET checkpoint = ? WHERE number = ?'),
    };
  }

  store(cluster: number, fact: StoredFact): void {
    if (isOccurrence(fact)) {
      this.#occurrence(cluster, fact.kind, recordOf(fact));
      return;
    }
    switch (fact.kind) {
      case 'tenure':
        this.#tenure(cluster, fact.tenure);
        return;
      case 'placement':
        this.#placement(cluster, fact.placement);
        return;
      case 'live': {
        const { uid, state } = fact;
        const handle = uid === lastHolder?.uid && lastHandles !== undefined ? lastHandles.uid : handleOf(uid);
        const old = this.#reader.findLive(cluster, uid, handle);
        if (old !== undefined) this.remove('live', old);
        if (state === undefined) return;
        const key = { ...NOTHING, cluster, until: OPEN, handle, other: OPAQUE };
        this.#add('live', key, (w) => w.liveState({ uid, state }));
        return;
      }
      case 'possible':
        this.#possible(cluster, fact.key, fact.possible);
        return;
      case 'coverage':
        this.#coverage(cluster, fact.coverage);
    }
  }

  /** After a rollback. */
  forget(): void {
    this.#counted.forget();
  }

  checkpoint(cluster: number, checkpoint: Checkpoint): void {
    const body = this.#row({ ...NOTHING, cluster }, (w) => w.checkpoint(checkpoint));
    this.#statements.checkpoint.run(body, cluster);
    this.#head.roots.of(cluster).checkpoint = checksumOf(body);
  }

  #tenure(cluster: number, incoming: Tenure): void {
    const { ip, holder, start } = incoming;
    const handle = ipHandle(ip);
    const stored = this.#reader.findTenure(cluster, handle, incoming);
    if (stored !== undefined) {
      if (newer(stored.record, incoming) !== incoming) return;
      this.remove('tenure', { cluster, handle, number: stored.number });
    }
    const { uid, name, workload } = handlesOf(holder);
    const until = incoming.end?.notAfter ?? OPEN;
    const found = {
      cluster,
      start: start.notBefore,
      until,
      handle,
      uid,
      name,
      workload,
      other: tenureHandle(incoming),
    };
    this.#add('tenure', found, (w) => w.life({ holder, placement: undefined, tenures: [incoming] }));
  }

  #placement(cluster: number, incoming: Placement): void {
    const { pod, start } = incoming;
    const { uid, node, name, workload } = handlesOf(pod);
    const stored = this.#reader.findPlacement(cluster, pod.uid, uid);
    if (stored !== undefined) {
      if (newer(stored.record, incoming) !== incoming) return;
      this.remove('placement', { cluster, handle: uid, number: stored.number });
    }
    const until = incoming.end?.notAfter ?? OPEN;
    const found = { cluster, start: start.notBefore, until, handle: uid, uid, name, workload, other: node };
    this.#add('placement', found, (w) => w.life({ holder: pod, placement: incoming, tenures: [] }));
  }

  #possible(cluster: number, key: string, incoming: PossibleTenure | undefined): void {
    const handle = handleOf(key);
    const stored = this.#reader.findPossible(cluster, key);
    if (stored !== undefined) {
      if (incoming !== undefined && newer(stored.record, incoming) !== incoming) return;
      this.remove('possible', { cluster, handle, number: stored.number });
    }
    if (incoming === undefined) return;
    const { start, end } = incoming;
    const found = { ...NOTHING, cluster, start: start.notBefore, until: end?.notAfter ?? OPEN, handle };
    this.#add('possible', found, (w) => w.possible(incoming));
  }

  #add(table: IndexedTable, found: Omit<RowKey, 'number'>, write: (writer: RecordWriter) => void): void {
    const number = ++this.#last;
    const body = this.#row({ ...found, number }, write);
    const { cluster, handle, start, until, other } = found;
    if (table === 'live') this.#statements.live.run(number, cluster, body);
    else this.#statements[table].run(number, cluster, until, body);
    this.#head.index.add(cluster, table, { handle, number, checksum: checksumOf(body), start, until, other });
  }

  /** A row that has a later version, or that is to go. */
  remove(table: IndexedTable, { cluster, handle, number }: Pick<RowKey, 'cluster' | 'handle' | 'number'>): void {
    this.#head.index.remove(cluster, table, handle, number);
    this.#statements[`old-${table}`].run(number);
  }

  /** Some of what ended before a time; returns how many rows it saw to. */
  forgetEnded(table: Exclude<IndexedTable, 'live'>, cluster: number, before: number, most: number): number {
    const sql = `SELECT number, body FROM ${table} WHERE cluster = ? AND until < ${OPEN} AND until < ? LIMIT ?`;
    let count = 0;
    for (const { number, body } of this.#head.db.prepare(sql).all(cluster, before, most)) {
      count++;
      try {
        const row = readRow(body as Uint8Array, number as number, undefined, () => `head, ${table} ${number}`);
        if (row.cluster === cluster && row.until < before) this.remove(table, row);
        else this.#mend(table, row);
      } catch (error) {
        if (!isDamage(error)) throw error;
        // By the column beside it, it is to go; what may still list it is asked for by nobody: its time has expired.
        this.#head.index.removeNumber(cluster, table, number as number);
        this.#statements[`old-${table}`].run(number as number);
      }
    }
    return count;
  }

  /** The columns beside a row have come to differ from it. */
  #mend(table: Exclude<IndexedTable, 'live'>, { cluster, until, number }: RowKey): void {
    const sql = `UPDATE ${table} SET cluster = ?, until = ? WHERE number = ?`;
    this.#head.db.prepare(sql).run(cluster, until, number);
  }

  /** Some of the occurrences of a kind before a time; returns how many. */
  forgetOccurrences(kind: OccurrenceKind, cluster: number, before: number, most: number): number {
    const { db, tallies, hours } = this.#head;
    const { number } = typeOf(kind);
    const remove = db.prepare('DELETE FROM occurrence WHERE cluster = ? AND kind = ? AND key = ?');
    const rows = db.prepare('SELECT key, at, body FROM occurrence WHERE cluster = ? AND kind = ? AND at < ? LIMIT ?');
    let count = 0;
    for (const { key, at, body } of rows.all(cluster, number, before, most)) {
      tallies.remove(cluster, number, at as number, checksumOf(body as Uint8Array));
      remove.run(cluster, number, key as string);
      count++;
    }
    if (count < most) {
      tallies.drop(cluster, number, before);
      hours.drop(tallyPlace(cluster, number, Number.MIN_SAFE_INTEGER), tallyPlace(cluster, number, before));
    }
    this.#counted.forget();
    return count;
  }

  #occurrence(cluster: number, kind: OccurrenceKind, incoming: OccurrenceRecord): void {
    const type = typeOf<OccurrenceKind>(kind);
    const { number } = type;
    const { key } = type.place(incoming as never);
    const old = this.#statements['old-occurrence'].get(cluster, number, key);
    let record = incoming;
    if (old !== undefined) {
      const body = old['body'] as Uint8Array;
      if (type.newer !== undefined) {
        const stored = this.#reader.occurrences.stored(kind, key, body);
        record = type.newer(stored as never, incoming as never);
        if (record === stored) return;
      }
      this.#counted.remove(cluster, kind, old['at'] as number, body);
    }
    // Not that of what came in: another version may be the one that is kept.
    const { time } = type.place(record as never);
    const found = { ...NOTHING, ...aboutKey(type.about(record as never)), cluster, start: time, until: time };
    const body = this.#row(found, (w) => type.write(w, record as never));
    this.#statements.occurrence.run(cluster, number, key, time, body);
    this.#counted.add(cluster, kind, time, body);
  }

  #coverage(cluster: number, incoming: Coverage): void {
    const { from, collector } = incoming;
    const stored = this.#reader.coverage.find(cluster, from, collector);
    const covered = newerCoverage(stored?.record, incoming);
    const body = this.#row({ ...NOTHING, cluster, start: from, until: from }, (w) => w.coverage(covered));
    this.#statements.coverage.run(cluster, from, collector, body);
    const root = this.#head.roots.of(cluster);
    const before = stored === undefined ? root.coverage : withoutMember(root.coverage, stored.checksum);
    root.coverage = withMember(before, checksumOf(body));
  }

  #row(key: RowKey, write: (writer: RecordWriter) => void): Buffer {
    this.#writer.clear();
    write(this.#writer);
    return packRow(key, this.#writer.take());
  }
}

const NOTHING: RowKey = {
  number: 0,
  cluster: 0,
  start: 0,
  until: 0,
  handle: 0,
  uid: 0,
  name: 0,
  workload: null,
  other: 0,
};

/** Tells the tenures of one address apart. */
export function tenureHandle({ holder, start }: Tenure): number {
  return handleOf(holder.uid, String(start.epoch), start.resourceVersion);
}

export function nameHandle({ namespace, name }: Holder): number {
  return handleOf(namespace, name);
}

export function workloadHandle({ namespace, workload }: Pick<Holder, 'namespace' | 'workload'>): number | null {
  return workload === undefined ? null : handleOf(namespace, workload.kind, workload.name);
}

type AboutKey = Pick<RowKey, 'number' | 'uid' | 'name' | 'workload' | 'handle' | 'other'>;

/** Whom an occurrence is about, as far as a row has places for it: two holders, of which one has a workload. */
function aboutKey({ holders }: About): Partial<AboutKey> {
  const [first, second, third] = holders;
  if (third !== undefined) return {};
  const [one, other] = [namedHandles(first), namedHandles(second)];
  const hasTwoWorkloads = one.workload !== null && other.workload !== null && one.workload !== other.workload;
  if (hasTwoWorkloads || one.isMistakable || other.isMistakable) return {};
  const { uid, name } = one;
  return {
    number: SAYS_ALL,
    uid,
    name,
    workload: one.workload ?? other.workload,
    handle: other.uid,
    other: other.name,
  };
}

interface NamedHandles extends Pick<Handles, 'uid' | 'name' | 'workload'> {
  /** A handle happens to be the 0 that stands for none. */
  readonly isMistakable: boolean;
}

function namedHandles(named: Named | undefined): NamedHandles {
  if (named === undefined) return { uid: 0, name: 0, workload: null, isMistakable: false };
  const { uid, namespace, name, workload } = named;
  const isNamed = namespace !== undefined && name !== undefined;
  const handles = isHolder(named)
    ? handlesOf(named)
    : {
        uid: handleOf(uid),
        name: isNamed ? handleOf(namespace, name) : 0,
        workload: namespace === undefined ? null : workloadHandle({ namespace, workload }),
      };
  return { ...handles, isMistakable: (handles.uid === 0 && uid !== '') || (handles.name === 0 && isNamed) };
}

function isHolder(named: Named): named is Holder {
  return 'node' in named;
}

interface Handles {
  readonly uid: number;
  readonly node: number;
  readonly name: number;
  readonly workload: number | null;
}

/** An observation's facts are about one holder: what was computed for the last one is asked for again at once. */
let lastHolder: Holder | undefined;
let lastHandles: Handles | undefined;

function handlesOf(holder: Holder): Handles {
  if (lastHolder !== undefined && lastHandles !== undefined && isNamedAs(holder, lastHolder)) return lastHandles;
  lastHolder = holder;
  lastHandles = {
    uid: handleOf(holder.uid),
    node: handleOf(holder.node),
    name: nameHandle(holder),
    workload: workloadHandle(holder),
  };
  return lastHandles;
}

function isNamedAs(one: Holder, other: Holder): boolean {
  return (
    one === other ||
    (one.uid === other.uid &&
      one.node === other.node &&
      one.name === other.name &&
      one.namespace === other.namespace &&
      one.workload?.name === other.workload?.name &&
      one.workload?.kind === other.workload?.kind)
  );
}

function lastNumber(db: DatabaseSync): number {
  const row = db
    .prepare(
      `SELECT max(ifnull((SELECT max(number) FROM tenure), 0), ifnull((SELECT max(number) FROM placement), 0),
         ifnull((SELECT max(number) FROM live), 0), ifnull((SELECT max(number) FROM possible), 0),
         ifnull((SELECT max(max(last_tenure, last_placement)) FROM week), 0)) AS last`,
    )
    .get();
  return row!['last'] as number;
}
