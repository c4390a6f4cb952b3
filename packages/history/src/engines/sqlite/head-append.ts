// Facts into the head's tables. Called inside a write transaction; idempotent fact by fact.
import type { StatementSync } from 'node:sqlite';
import { type Fact, newerCoverage } from '../../model/fact.ts';
import type { Checkpoint, Holder, Placement, Tenure } from '../../model/records.ts';
import { newer } from '../matching.ts';
import { anomalyPlace, changePlace, conflictPlace } from '../order.ts';
import { handleOf, sealed, unsealed } from './checksum.ts';
import type { Head } from './head.ts';
import { ipKey } from './ip-key.ts';
import { RecordReader, RecordWriter } from './record-codec.ts';
import { OPEN } from './schema.ts';

export class HeadAppender {
  readonly #head: Head;
  readonly #writer: RecordWriter;
  readonly #statements: Record<
    | 'tenure'
    | 'endedTenure'
    | 'placement'
    | 'endedPlacement'
    | 'live'
    | 'dead'
    | 'change'
    | 'conflict'
    | 'anomaly'
    | 'coverage'
    | 'covered'
    | 'checkpoint',
    StatementSync
  >;

  constructor(head: Head) {
    const { db } = head;
    this.#head = head;
    this.#writer = new RecordWriter(head.words);
    this.#statements = {
      tenure: db.prepare('INSERT OR REPLACE INTO tenure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
      endedTenure: db.prepare(
        `SELECT body FROM tenure
         WHERE cluster = ? AND ip = ? AND uid = ? AND epoch = ? AND version = ? AND until < ${OPEN}`,
      ),
      placement: db.prepare('INSERT OR REPLACE INTO placement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'),
      endedPlacement: db.prepare(`SELECT body FROM placement WHERE cluster = ? AND uid = ? AND until < ${OPEN}`),
      live: db.prepare('INSERT OR REPLACE INTO live VALUES (?, ?, ?)'),
      dead: db.prepare('DELETE FROM live WHERE cluster = ? AND uid = ?'),
      change: db.prepare('INSERT OR REPLACE INTO change VALUES (?, ?, ?, ?, ?, ?, ?)'),
      conflict: db.prepare('INSERT OR REPLACE INTO conflict VALUES (?, ?, ?, ?)'),
      anomaly: db.prepare('INSERT OR REPLACE INTO anomaly VALUES (?, ?, ?, ?)'),
      coverage: db.prepare('INSERT OR REPLACE INTO coverage VALUES (?, ?, ?, ?)'),
      covered: db.prepare('SELECT body FROM coverage WHERE cluster = ? AND start = ? AND collector = ?'),
      checkpoint: db.prepare('UPDATE cluster SET checkpoint = ? WHERE number = ?'),
    };
  }

  store(cluster: number, batch: number, fact: Fact): void {
    const to = this.#statements;
    switch (fact.kind) {
      case 'tenure':
        this.#tenure(cluster, batch, fact.tenure);
        return;
      case 'placement':
        this.#placement(cluster, batch, fact.placement);
        return;
      case 'live':
        if (fact.live === undefined) to.dead.run(cluster, fact.uid);
        else
          to.live.run(
            cluster,
            fact.uid,
            this.#body((w) => w.liveHolder(fact.live!)),
          );
        return;
      case 'change': {
        const { change } = fact;
        const body = this.#body((w) => w.change(change));
        const { uid } = change.pod;
        const { key, time } = changePlace(change);
        to.change.run(cluster, key, time, handleOf(uid), nameHandle(change.pod), workloadHandle(change.pod), body);
        return;
      }
      case 'conflict': {
        const { key, time } = conflictPlace(fact.conflict);
        to.conflict.run(
          cluster,
          key,
          time,
          this.#body((w) => w.conflict(fact.conflict)),
        );
        return;
      }
      case 'anomaly': {
        const { key, time } = anomalyPlace(fact.anomaly);
        to.anomaly.run(
          cluster,
          key,
          time,
          this.#body((w) => w.anomaly(fact.anomaly)),
        );
        return;
      }
      case 'coverage': {
        const { from, collector } = fact.coverage;
        const stored = to.covered.get(cluster, from, collector)?.['body'] as Uint8Array | undefined;
        const known = stored === undefined ? undefined : this.#reader(stored, 'coverage').coverage();
        const body = this.#body((w) => w.coverage(newerCoverage(known, fact.coverage)));
        to.coverage.run(cluster, from, collector, body);
      }
    }
  }

  checkpoint(cluster: number, checkpoint: Checkpoint): void {
    this.#statements.checkpoint.run(
      this.#body((w) => w.checkpoint(checkpoint)),
      cluster,
    );
  }

  #tenure(cluster: number, batch: number, told: Tenure): void {
    const { ip, holder, start } = told;
    const key = [cluster, ipKey(ip), holder.uid, start.epoch, start.resourceVersion] as const;
    if (told.end === undefined) {
      const stored = this.#statements.endedTenure.get(...key)?.['body'] as Uint8Array | undefined;
      if (stored !== undefined && newer(this.#reader(stored, 'tenure').life().tenures[0], told) !== told) return;
    }
    const body = this.#body((w) => w.life({ holder, placement: undefined, tenures: [told] }));
    const until = told.end?.notAfter ?? OPEN;
    const { tenure } = this.#statements;
    tenure.run(...key, start.notBefore, until, batch, nameHandle(holder), workloadHandle(holder), body);
  }

  #placement(cluster: number, batch: number, told: Placement): void {
    const { pod, start } = told;
    if (told.end === undefined) {
      const stored = this.#statements.endedPlacement.get(cluster, pod.uid)?.['body'] as Uint8Array | undefined;
      if (stored !== undefined && newer(this.#reader(stored, 'placement').life().placement, told) !== told) return;
    }
    const body = this.#body((w) => w.life({ holder: pod, placement: told, tenures: [] }));
    const until = told.end?.notAfter ?? OPEN;
    const node = handleOf(pod.node);
    const { placement } = this.#statements;
    placement.run(cluster, pod.uid, start.notBefore, until, batch, node, nameHandle(pod), workloadHandle(pod), body);
  }

  #reader(body: Uint8Array, where: string): RecordReader {
    return new RecordReader(this.#head.words, unsealed(body, where));
  }

  #body(write: (writer: RecordWriter) => void): Buffer {
    this.#writer.clear();
    write(this.#writer);
    return sealed(this.#writer.take());
  }
}

export function nameHandle({ namespace, name }: Holder): number {
  return handleOf(namespace, name);
}

export function workloadHandle({ namespace, workload }: Holder): number | null {
  return workload === undefined ? null : handleOf(namespace, workload.kind, workload.name);
}
