// Reads the queued audit events and records what the ledger takes of them: who did what, as evidence for causes. Runs beside
// the recorder, in slices, and waits for it; then the queue fills, and the API servers keep what they have.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cluster, type Engine, epochMillis, type ReportedEvidence, withSnapshot } from '@podtrail/history';
import { type AuditedAction, AuditIntake, AuditReader, type IntakeTally } from '@podtrail/history/audit';
import { type Clock, sleep } from '@podtrail/machinery';
import { FloodLoss } from '../recorder/evidence/flood-loss.ts';
import type { AuditQueue } from './audit-queue.ts';

export interface AuditFollowerOptions {
  readonly queue: AuditQueue;
  readonly engine: Pick<Engine, 'snapshot'>;
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Resolves when there is room for more; false: it cannot be recorded now. */
  readonly record: (evidence: readonly ReportedEvidence[]) => Promise<boolean>;
  /** Something is missing, or could not be stored; undefined: no longer. */
  readonly onProblem: (problem: string | undefined) => void;
}

export interface FollowedAudit extends IntakeTally {
  /** Events that were read. */
  readonly read: number;
  readonly damaged: number;
  /** There was no room for them behind the queue. */
  readonly dropped: number;
}

/** An event may be here before the watch has brought the pod that it is about, and that is stored. */
const SETTLE_MS = 2_000;
const LOOK_MS = 500;
const SLICE_BYTES = 256 << 10;
/** Actions on their way to the store. */
const MOST_WAITING = 20_000;
/** API servers send what happened up to half a minute ago. */
const SENT_LATE_MS = 60_000;
/** The API server sends lists; their items do not repeat what they are. */
const [BEFORE, BEHIND] = ['{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[', ']}\n'].map((text) =>
  Buffer.from(text),
) as [Buffer, Buffer];
const NEWLINE = 0x0a;
const SPACE = 0x20;

export class AuditFollower {
  readonly #options: AuditFollowerOptions;
  readonly #intake = new AuditIntake();
  readonly #loss = new FloodLoss('audit');
  readonly #reader: AuditReader;
  /** By the time at which they may be looked up. */
  #settling: { readonly due: number; readonly actions: AuditedAction[] }[] = [];
  #found: AuditedAction[] = [];
  #waiting = 0;
  #read = 0;
  #dropped = 0;
  #problem: string | undefined;

  constructor(options: AuditFollowerOptions) {
    this.#options = options;
    this.#reader = new AuditReader({ onAction: (action) => this.#found.push(action) });
  }

  get status(): FollowedAudit {
    return { ...this.#intake.tally, read: this.#read, damaged: this.#reader.tally.damaged, dropped: this.#dropped };
  }

  /** Events were turned away, or are lost: causes of that time say so. */
  lose(): void {
    const now = this.#options.clock.now();
    if (this.#loss.problem === undefined) this.#loss.drop('', epochMillis(Math.max(0, now - SENT_LATE_MS)));
    this.#loss.drop('', epochMillis(now));
  }

  /** Until the signal aborts. Never rejects: what cannot be stored now is tried again. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#readSlices(signal);
        await this.#store();
        this.#report(this.#loss.problem === undefined ? undefined : LOST);
      } catch (error) {
        this.#report(`audit events cannot be stored now: ${error instanceof Error ? error.message : String(error)}`);
      }
      await sleep(clock, LOOK_MS, signal).catch(() => undefined);
    }
  }

  /** While there is room for what they say. */
  async #readSlices(signal: AbortSignal): Promise<void> {
    const { queue, clock } = this.#options;
    while (!signal.aborted && this.#waiting + this.#intake.waiting < MOST_WAITING) {
      const events = queue.take(SLICE_BYTES);
      if (events.length === 0) return;
      for (const event of events) {
        this.#read++;
        // A line ends with the first newline: the API server writes none, and within strings there is none.
        for (let i = event.indexOf(NEWLINE); i !== -1; i = event.indexOf(NEWLINE, i)) event[i] = SPACE;
        this.#reader.push(Buffer.concat([BEFORE, event, BEHIND]));
      }
      const actions = this.#found;
      this.#found = [];
      this.#waiting += actions.length;
      if (actions.length > 0) this.#settling.push({ due: clock.monotonic() + SETTLE_MS, actions });
      // The recorder works on the same thread.
      await nextTurn();
    }
  }

  async #store(): Promise<void> {
    const { clock, engine, cluster, record } = this.#options;
    const now = clock.monotonic();
    while ((this.#settling[0]?.due ?? Number.POSITIVE_INFINITY) <= now) {
      const { actions } = this.#settling.shift()!;
      this.#waiting -= actions.length;
      for (const action of actions) this.#intake.add(action);
    }
    const losses = this.#loss.look(epochMillis(clock.now()));
    if (losses.length > 0) await record(losses);
    if (this.#intake.waiting === 0) return;
    const evidence = await withSnapshot(engine, cluster.id, (snapshot) =>
      this.#intake.take(snapshot, epochMillis(clock.now())),
    );
    if (evidence.length === 0 || (await record(evidence))) return;
    // Without the time nothing can be recorded: rare, and short.
    this.#dropped += evidence.length;
    this.lose();
  }

  #report(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem(problem);
  }
}

const LOST = 'API servers send more audit events than can be taken';
