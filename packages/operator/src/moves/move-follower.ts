// Follows the ledger of a running recorder: which pods ended, why, who took their place, which addresses were handed on.
// It notes what is committed, waits until the traces have had time to arrive, and then asks the ledger as `podtrail moves`
// does. Never writes, never holds the recorder back; memory and the work of one tick are bounded.
import { setImmediate } from 'node:timers/promises';
import {
  causesOf,
  type Departure,
  type EpochMillis,
  epochMillis,
  type LedgerReader,
  type Move,
  mayBeReplaced,
  type Snapshot,
  withSnapshot,
} from '@podtrail/history';
import { type Clock, sleep } from '@podtrail/machinery';
import type { StoredBatch } from '../recorder/commit-queue.ts';
import type { ClockCorrection, RecorderListener } from '../recorder/recorder-listener.ts';
import { type BegunTenure, isHandedOn, readReuses } from './address-reuse.ts';
import { DueEntries } from './due-entries.ts';
import type { MoveListener } from './move-listener.ts';

export interface MoveFollowerOptions {
  readonly reader: Pick<LedgerReader, 'snapshot'>;
  readonly cluster: string;
  readonly clock: Clock;
  readonly listeners: readonly MoveListener[];
}

/**
 * How long after its departure was observed the cause of an end is counted. Controllers, schedulers and kubelets write
 * their Events within seconds, but the pod collector comes every 20 s, and a stream of evidence that is lost within a
 * minute of an end makes its cause unknown (history, read-unwatched.ts). After that a verdict hardly ever changes.
 */
export const SETTLED_AFTER_MS = 90_000;
/** A successor that is not ready by then is looked at again, less and less often, for about three quarters of an hour. */
const WAITS_MS = [1, 2, 4, 8, 15].map((times) => times * SETTLED_AFTER_MS);
const TICK_MS = 1_000;
/** Of the work of a tick, which the store's thread does beside the commits. */
const LONGEST_TICK_MS = 400;
const MOST_IN_TICK = 200;
/** The time is looked at after each portion. */
const AT_ONCE = 8;
/** Some hundred bytes each. */
const MOST_WAITING = 20_000;
/** What began to end so long before the recording, or this part of it, was another recorder's to count, or nobody's. */
const RECENT_MS = 600_000;
const PAGE = 500;

interface Waiting {
  readonly departure: Departure;
  /** What has been reported of it. */
  readonly reported: 'nothing' | 'departed' | 'placed';
}

interface Due {
  readonly departures: readonly { readonly value: Waiting; readonly round: number }[];
  readonly addresses: readonly { readonly value: BegunTenure }[];
}

export class MoveFollower implements RecorderListener {
  readonly #options: MoveFollowerOptions;
  readonly #departures = new DueEntries<Waiting>(MOST_WAITING, WAITS_MS);
  readonly #addresses = new DueEntries<BegunTenure>(MOST_WAITING, [SETTLED_AFTER_MS]);
  /**
   * The ledger's time, as far as it is committed. Invariant: what was observed SETTLED_AFTER_MS before it has been noted, or
   * never will be: a record that is written again later is not counted again.
   */
  #committedTo = 0;
  #countsFrom: number;

  constructor(options: MoveFollowerOptions) {
    this.#options = options;
    this.#countsFrom = options.clock.now();
  }

  /** Departures and addresses that wait to be counted. */
  get waiting(): number {
    return this.#departures.size + this.#addresses.size;
  }

  /**
   * Goes on where the recorder before stopped: what it had observed and was not due is noted. What was due may have been
   * counted, or may have waited behind others: nobody knows, and it is not counted twice. Call it when the ledger has been
   * taken over, and before the recorder runs.
   */
  async resume(): Promise<void> {
    await this.#ask(async (snapshot) => {
      const watchedTo = Math.max(0, ...(await snapshot.coverage()).map(({ to }) => to));
      if (watchedTo === 0) return;
      this.#committedTo = watchedTo;
      this.#countsFrom = watchedTo - RECENT_MS;
      const span = { from: epochMillis(this.#countsFrom), to: epochMillis(watchedTo + RECENT_MS) };
      for (let cursor: string | undefined; ; ) {
        const page = { limit: PAGE, cursor };
        const read = await snapshot.occurrences({ kind: 'departure', span, page });
        for (const departure of read.items) this.#noteDeparture(departure);
        cursor = read.cursor;
        if (cursor === undefined) return;
      }
    });
  }

  stored({ batch }: Pick<StoredBatch, 'batch'>): void {
    let committedTo = this.#committedTo;
    for (const fact of batch.facts) {
      if (fact.kind === 'departure') this.#noteDeparture(fact.departure);
      else if (fact.kind === 'tenure' && isHandedOn(fact.tenure)) this.#noteTenure(fact.tenure);
      else if (fact.kind === 'coverage') committedTo = Math.max(committedTo, fact.coverage.to);
    }
    this.#committedTo = committedTo;
  }

  clockCorrected({ at }: Pick<ClockCorrection, 'at'>): void {
    this.#committedTo = Math.min(this.#committedTo, at);
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      await sleep(clock, TICK_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.tick();
    }
  }

  /** Looks at what is due. Never rejects. */
  async tick(): Promise<void> {
    const { clock } = this.#options;
    const ends = clock.monotonic() + LONGEST_TICK_MS;
    let due = this.#takeDue();
    if (due === undefined) return;
    // In one snapshot: what the pods of a workload share is read once.
    await this.#ask(async (snapshot) => {
      for (let done = 0; due !== undefined; ) {
        await this.#lookAt(snapshot, due);
        done += due.departures.length + due.addresses.length;
        due = undefined;
        if (done >= MOST_IN_TICK || clock.monotonic() > ends) return;
        // A store in memory or in this thread answers without a pause: the recorder has its turn.
        await setImmediate();
        due = this.#takeDue();
      }
    });
    if (due !== undefined) this.#postpone(due);
  }

  #takeDue(): Due | undefined {
    const departures = this.#departures.take(this.#committedTo, AT_ONCE);
    const addresses = this.#addresses.take(this.#committedTo, AT_ONCE);
    return departures.length + addresses.length === 0 ? undefined : { departures, addresses };
  }

  #noteDeparture(departure: Departure): void {
    const { observedAt, at, pod } = departure;
    if (at < this.#countsFrom || this.#isOver(observedAt)) return;
    if (!this.#departures.add(pod.uid, { departure, reported: 'nothing' }, observedAt)) this.#uncounted('departures');
  }

  #noteTenure({ ip, holder: { uid }, start }: Parameters<typeof isHandedOn>[0]): void {
    const { epoch, resourceVersion, at, observedAt } = start;
    if (this.#isOver(observedAt)) return;
    const begun = { ip, uid, epoch, resourceVersion, at };
    const key = `${ip} ${uid} ${epoch} ${resourceVersion}`;
    if (!this.#addresses.add(key, begun, observedAt)) this.#uncounted('addresses');
  }

  #isOver(observedAt: EpochMillis): boolean {
    return observedAt + SETTLED_AFTER_MS <= this.#committedTo;
  }

  /** All questions first: what fails reports nothing, and is asked again. */
  async #lookAt(snapshot: Snapshot, { departures, addresses }: Due): Promise<void> {
    const pods = departures.map(({ value }) => value.departure);
    const question = { pods, visibility: { kind: 'all' }, withMoves: true } as const;
    const found = pods.length === 0 ? undefined : await causesOf(snapshot, question);
    const begun = addresses.map(({ value }) => value);
    const reuses = begun.length === 0 ? [] : await readReuses(snapshot, begun);
    for (const { value, round } of departures) {
      const move = found?.get(value.departure.pod.uid)?.move;
      const left = move === undefined ? value : this.#report(value.reported, move);
      if (left !== undefined) this.#waitFor(left, round + 1);
    }
    for (const reuse of reuses) this.#notify((listener) => listener.reused?.(reuse));
  }

  /** The store could not be read. */
  #postpone({ departures, addresses }: Due): void {
    for (const { value, round } of departures) this.#waitFor(value, round + 1);
    if (addresses.length > 0) this.#uncounted('addresses', addresses.length);
  }

  #waitFor(left: Waiting, round: number): void {
    const isKept = this.#departures.add(left.departure.pod.uid, left, this.#committedTo, round);
    // It is counted, and only its successor is not: then nobody is waited for any longer.
    if (!isKept && left.reported === 'nothing') this.#uncounted('departures');
  }

  /** What is left to be reported; undefined: nothing. */
  #report(reported: Waiting['reported'], move: Move): Waiting | undefined {
    const { departure, to, known, verdict } = move;
    if (reported === 'nothing') this.#notify((listener) => listener.departed?.(move));
    const isPlaced = to !== undefined && to.life.pod.node !== '';
    if (isPlaced && reported !== 'placed') this.#notify((listener) => listener.placed?.(move));
    if (to?.life.ready !== undefined) {
      this.#notify((listener) => listener.replaced?.(move));
      return undefined;
    }
    // One that is there already is waited for whatever the cause: its StatefulSet was scaled down and up again.
    if (to === undefined && !mayBeReplaced(known, verdict)) return undefined;
    return { departure, reported: isPlaced || reported === 'placed' ? 'placed' : 'departed' };
  }

  async #ask<T>(question: Parameters<typeof withSnapshot<T>>[2]): Promise<T | undefined> {
    try {
      return await withSnapshot(this.#options.reader, this.#options.cluster, question);
    } catch (error) {
      this.#notify((listener) => listener.failed?.(error));
      return undefined;
    }
  }

  #uncounted(what: 'departures' | 'addresses', count = 1): void {
    this.#notify((listener) => listener.uncounted?.(what, count));
  }

  #notify(call: (listener: MoveListener) => void): void {
    for (const listener of this.#options.listeners) {
      try {
        call(listener);
      } catch {
        // A count or an Event that fails must not stop the others.
      }
    }
  }
}
