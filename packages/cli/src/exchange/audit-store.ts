// Stores what an audit log says, while it is read: who did what, as evidence for causes. Batch by batch, each whole or not
// at all, and keyed by what the log itself says, so that a log that is read again, in whichever order, changes nothing.
import {
  type Cluster,
  type Engine,
  type EpochMillis,
  type StoredFact,
  type Writer,
  withSnapshot,
} from '@podtrail/history';
import {
  AuditCandidates,
  type AuditedAction,
  AuditIntake,
  type CandidateTally,
  type IntakeTally,
} from '@podtrail/history/audit';
import { DEFAULT_EVIDENCE_RETENTION_MS } from '../options/causes.ts';
import { counted } from '../output/counted.ts';

/** Waiting evidence takes memory. */
const BATCH = 1000;

export class AuditStore {
  readonly #engine: Engine;
  readonly #writer: Writer;
  readonly #intake = new AuditIntake();
  readonly #candidates: AuditCandidates;
  readonly #now: EpochMillis;
  /** What was stored, and is older than a recorder keeps it unless it is asked to. */
  old = 0;

  private constructor(engine: Engine, writer: Writer, candidates: AuditCandidates, now: EpochMillis) {
    this.#engine = engine;
    this.#writer = writer;
    this.#candidates = candidates;
    this.#now = now;
  }

  static async open(engine: Engine, cluster: Cluster, now: EpochMillis): Promise<AuditStore> {
    const writer = await engine.takeOver(cluster);
    const candidates = await withSnapshot(engine, cluster.id, (snapshot) => AuditCandidates.open(snapshot, now));
    return new AuditStore(engine, writer, candidates, now);
  }

  get cluster(): Cluster {
    return this.#writer.cluster;
  }

  get tally(): IntakeTally {
    return this.#intake.tally;
  }

  add(action: AuditedAction): void {
    this.#intake.add(action);
    this.#candidates.add(action);
  }

  get candidates(): CandidateTally {
    return this.#candidates.tally;
  }

  /** Stores what waits; without `now`, only once there is enough of it. */
  async flush(now: boolean): Promise<void> {
    await this.#flushEvidence(now);
    if (this.#candidates.isFull) await this.#flushCandidates(false);
  }

  /** The log has ended. */
  async end(): Promise<void> {
    await this.#flushEvidence(true);
    await this.#flushCandidates(true);
  }

  async #flushCandidates(all: boolean): Promise<void> {
    const facts = await withSnapshot(this.#engine, this.cluster.id, (snapshot) => this.#candidates.take(snapshot, all));
    for (let i = 0; i < facts.length; i += BATCH) await this.#writer.append({ facts: facts.slice(i, i + BATCH) });
  }

  async #flushEvidence(now: boolean): Promise<void> {
    if (this.#intake.waiting === 0 || (!now && this.#intake.waiting < BATCH)) return;
    const evidence = await withSnapshot(this.#engine, this.#writer.cluster.id, (snapshot) =>
      this.#intake.take(snapshot, this.#now),
    );
    const keptSince = this.#now - DEFAULT_EVIDENCE_RETENTION_MS;
    for (const { at } of evidence) if (at < keptSince) this.old++;
    const facts = evidence.map((one): StoredFact => ({ kind: 'evidence', evidence: one }));
    if (facts.length > 0) await this.#writer.append({ facts });
  }
}

/** How it went, for people. */
export function storedLines({ cluster, tally, candidates, old }: AuditStore): string[] {
  const { taken, unknown, expired, ahead, over } = tally;
  const left = [
    ...(unknown > 0 ? [`${unknown} about what the ledger does not know`] : []),
    ...(over > 0 ? [`${over} over the limit of 64 an hour for one object`] : []),
    ...(ahead > 0 ? [`${ahead} of a time that is yet to come`] : []),
    ...(expired > 0 ? [`${expired} of a time whose evidence is forgotten`] : []),
  ];
  const behind = left.length === 0 ? '' : `; left out: ${left.join(', ')}`;
  const lines = [`${cluster.name}: stored ${counted(taken, 'piece')} of evidence${behind}`];
  if (candidates.stored > 0)
    lines.push(
      `${cluster.name}: stored ${counted(candidates.stored, 'candidate')} for addresses in times that nobody watched`,
    );
  if (old > 0)
    lines.push(
      `hint: ${counted(old, 'piece is', 'pieces are')} older than 14 days, and the recorder of this store will forget them, unless it has a longer --evidence-retention.`,
    );
  if (expired > 0)
    lines.push(
      'hint: evidence is kept as long as the recorder says (--evidence-retention), and with it the lives of pods. Of times before, `podtrail audit` prints what the log says.',
    );
  return lines;
}
