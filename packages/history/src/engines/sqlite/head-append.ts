// Facts into the head's tables. Called inside a write transaction; idempotent fact by fact.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Fact, newerChange, newerCoverage } from '../../model/fact.ts';
import type { Checkpoint, Holder, Placement, PossibleTenure, Tenure } from '../../model/records.ts';
import { newer } from '../matching.ts';
import { anomalyPlace, changePlace, conflictPlace } from '../order.ts';
import { handleOf, sealed } from './checksum.ts';
import type { Head } from './head.ts';
import type { HeadReader } from './head-read.ts';
import { ipKey } from './ip-key.ts';
import { RecordWriter } from './record-writer.ts';
import { OPEN } from './schema.ts';

type Statement =
  | 'tenure'
  | 'oldTenure'
  | 'placement'
  | 'oldPlacement'
  | 'live'
  | 'oldLive'
  | 'change'
  | 'changed'
  | 'conflict'
  | 'anomaly'
  | 'possible'
  | 'possibleBefore'
  | 'notPossible'
  | 'coverage'
  | 'covered'
  | 'checkpoint';

export class HeadAppender {
  readonly #reader: HeadReader;
  readonly #writer: RecordWriter;
  readonly #statements: Readonly<Record<Statement, StatementSync>>;
  /** Invariant: no number is given twice while this writer lives, nor one that a week file has taken in. */
  #last: number;

  constructor({ db, words }: Head, reader: HeadReader) {
    this.#last = lastNumber(db);
    this.#reader = reader;
    this.#writer = new RecordWriter(words);
    this.#statements = {
      tenure: db.prepare('INSERT INTO tenure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
      oldTenure: db.prepare('DELETE FROM tenure WHERE number = ?'),
      placement: db.prepare('INSERT INTO placement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'),
      oldPlacement: db.prepare('DELETE FROM placement WHERE number = ?'),
      live: db.prepare('INSERT INTO live VALUES (?, ?, ?, ?)'),
      oldLive: db.prepare('DELETE FROM live WHERE number = ?'),
      change: db.prepare('INSERT OR REPLACE INTO change VALUES (?, ?, ?, ?, ?, ?, ?)'),
      changed: db.prepare('SELECT body FROM change WHERE cluster = ? AND key = ?'),
      conflict: db.prepare('INSERT OR REPLACE INTO conflict VALUES (?, ?, ?, ?)'),
      anomaly: db.prepare('INSERT OR REPLACE INTO anomaly VALUES (?, ?, ?, ?)'),
      possible: db.prepare('INSERT OR REPLACE INTO possible VALUES (?, ?, ?, ?, ?)'),
      possibleBefore: db.prepare('SELECT body FROM possible WHERE cluster = ? AND key = ?'),
      notPossible: db.prepare('DELETE FROM possible WHERE cluster = ? AND key = ?'),
      coverage: db.prepare('INSERT OR REPLACE INTO coverage VALUES (?, ?, ?, ?)'),
      covered: db.prepare('SELECT body FROM coverage WHERE cluster = ? AND start = ? AND collector = ?'),
      checkpoint: db.prepare('UPDATE cluster SET checkpoint = ? WHERE number = ?'),
    };
  }

  store(cluster: number, fact: Fact): void {
    const to = this.#statements;
    switch (fact.kind) {
      case 'tenure':
        this.#tenure(cluster, fact.tenure);
        return;
      case 'placement':
        this.#placement(cluster, fact.placement);
        return;
      case 'live': {
        const { live, uid } = fact;
        const old = this.#reader.findLive(cluster, uid);
        if (old !== undefined) to.oldLive.run(old);
        if (live === undefined) return;
        const body = this.#body((w) => w.liveHolder(live));
        to.live.run(++this.#last, cluster, handlesOf(live.holder).uid, body);
        return;
      }
      case 'possible':
        this.#possible(cluster, fact.key, fact.possible);
        return;
      case 'change': {
        const { pod, suppressed } = fact.change;
        const { key, time } = changePlace(fact.change);
        const stored = suppressed && (to.changed.get(cluster, key)?.['body'] as Uint8Array | undefined);
        const known = stored && this.#reader.read(stored, 'change', (reader) => reader.change());
        const body = this.#body((w) => w.change(newerChange(known, fact.change)));
        to.change.run(cluster, key, time, handleOf(pod.uid), nameHandle(pod), workloadHandle(pod), body);
        return;
      }
      case 'conflict': {
        const { key, time } = conflictPlace(fact.conflict);
        const body = this.#body((w) => w.conflict(fact.conflict));
        to.conflict.run(cluster, key, time, body);
        return;
      }
      case 'anomaly': {
        const { key, time } = anomalyPlace(fact.anomaly);
        const body = this.#body((w) => w.anomaly(fact.anomaly));
        to.anomaly.run(cluster, key, time, body);
        return;
      }
      case 'coverage': {
        const { from, collector } = fact.coverage;
        const stored = to.covered.get(cluster, from, collector)?.['body'] as Uint8Array | undefined;
        const known = stored && this.#reader.read(stored, 'coverage', (reader) => reader.coverage());
        const body = this.#body((w) => w.coverage(newerCoverage(known, fact.coverage)));
        to.coverage.run(cluster, from, collector, body);
      }
    }
  }

  checkpoint(cluster: number, checkpoint: Checkpoint): void {
    const body = this.#body((w) => w.checkpoint(checkpoint));
    this.#statements.checkpoint.run(body, cluster);
  }

  #tenure(cluster: number, told: Tenure): void {
    const { ip, holder, start } = told;
    const key = ipKey(ip);
    const stored = this.#reader.findTenure(cluster, key, told);
    if (stored !== undefined) {
      if (newer(stored.record, told) !== told) return;
      this.#statements.oldTenure.run(stored.number);
    }
    const body = this.#body((w) => w.life({ holder, placement: undefined, tenures: [told] }));
    const { uid, name, workload } = handlesOf(holder);
    this.#statements.tenure.run(
      ++this.#last,
      cluster,
      key,
      tenureHandle(told),
      start.notBefore,
      told.end?.notAfter ?? OPEN,
      uid,
      name,
      workload,
      body,
    );
  }

  #placement(cluster: number, told: Placement): void {
    const { pod, start } = told;
    const stored = this.#reader.findPlacement(cluster, pod.uid, handlesOf(pod).uid);
    if (stored !== undefined) {
      if (newer(stored.record, told) !== told) return;
      this.#statements.oldPlacement.run(stored.number);
    }
    const body = this.#body((w) => w.life({ holder: pod, placement: told, tenures: [] }));
    const { uid, node, name, workload } = handlesOf(pod);
    this.#statements.placement.run(
      ++this.#last,
      cluster,
      uid,
      start.notBefore,
      told.end?.notAfter ?? OPEN,
      node,
      name,
      workload,
      body,
    );
  }

  #possible(cluster: number, key: string, told: PossibleTenure | undefined): void {
    const to = this.#statements;
    if (told === undefined) {
      to.notPossible.run(cluster, key);
      return;
    }
    const stored = to.possibleBefore.get(cluster, key)?.['body'] as Uint8Array | undefined;
    const known = stored && this.#reader.read(stored, 'possible', (reader) => reader.possible());
    if (newer(known, told) !== told) return;
    to.possible.run(
      cluster,
      key,
      told.start.notBefore,
      told.end?.notAfter ?? OPEN,
      this.#body((w) => w.possible(told)),
    );
  }

  #body(write: (writer: RecordWriter) => void): Buffer {
    this.#writer.clear();
    write(this.#writer);
    return sealed(this.#writer.take());
  }
}

/** Tells the tenures of one address apart. */
export function tenureHandle({ holder, start }: Tenure): number {
  return handleOf(holder.uid, String(start.epoch), start.resourceVersion);
}

export function nameHandle({ namespace, name }: Holder): number {
  return handleOf(namespace, name);
}

export function workloadHandle({ namespace, workload }: Holder): number | null {
  return workload === undefined ? null : handleOf(namespace, workload.kind, workload.name);
}

interface Handles {
  readonly uid: number;
  readonly node: number;
  readonly name: number;
  readonly workload: number | null;
}

/** An observation's facts share one holder: what was computed for the last one is asked for again at once. */
let lastHolder: Holder | undefined;
let lastHandles: Handles | undefined;

function handlesOf(holder: Holder): Handles {
  if (holder === lastHolder && lastHandles !== undefined) return lastHandles;
  lastHolder = holder;
  lastHandles = {
    uid: handleOf(holder.uid),
    node: handleOf(holder.node),
    name: nameHandle(holder),
    workload: workloadHandle(holder),
  };
  return lastHandles;
}

function lastNumber(db: DatabaseSync): number {
  const row = db
    .prepare(
      `SELECT max(ifnull((SELECT max(number) FROM tenure), 0), ifnull((SELECT max(number) FROM placement), 0),
         ifnull((SELECT max(number) FROM live), 0),
         ifnull((SELECT max(max(last_tenure, last_placement)) FROM week), 0)) AS last`,
    )
    .get();
  return row!['last'] as number;
}
