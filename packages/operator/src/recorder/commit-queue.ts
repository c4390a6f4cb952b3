// Between observing and storing: collects facts into batches, commits one batch at a time, and makes the caller wait
// when the store cannot keep up. Nothing is dropped: a batch that fails is tried again until the store takes it.
import type { Batch, StoredFact } from '@podtrail/history';
import { type Clock, exponentialDelay, jitter, type Random, sleep } from '@podtrail/machinery';

export interface CommitQueueOptions {
  readonly append: (batch: Batch) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  /** True: trying again will not help (another recorder has taken over). The queue stops. */
  readonly isFatal: (error: unknown) => boolean;
  readonly onFailure?: ((error: unknown, attempt: number) => void) | undefined;
  /** A batch is durable. Must not throw. */
  readonly onStored?: ((stored: StoredBatch) => void) | undefined;
}

export interface StoredBatch {
  readonly batch: Batch;
  /** Of the try that succeeded. */
  readonly appendMs: number;
  /** From the observation to now, for each push that carried one. */
  readonly lagsMs: readonly number[];
}

type Checkpoint = NonNullable<Batch['checkpoint']>;

interface Push {
  readonly facts: readonly StoredFact[];
  readonly checkpoint: Checkpoint | undefined;
  /** By the monotonic clock; undefined for what is no event. */
  readonly observedAt: number | undefined;
}

interface TakenBatch {
  readonly batch: Batch;
  readonly observedAts: readonly number[];
}

/** Facts wait this long for company. */
const GATHER_MS = 20;
/** Further pushes join a batch until it has this many facts; a larger push (a first listing) is a batch of its own. */
const LARGEST_BATCH = 2_000;
/** More waiting facts than this, and the watch is not read any further. */
const CONGESTED_AT = 10_000;
const RETRY = { firstMs: 100, longestMs: 10_000 };

export class CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #stop = new AbortController();
  /** Invariant: what was pushed together is stored together, or the store could be ahead of its own checkpoint. */
  #pushes: Push[] = [];
  #waitingFacts = 0;
  #running: Promise<void> | undefined;
  #room: (() => void)[] = [];
  #fatal: unknown;
  /** Consecutive failed tries of the batch at hand; 0 when the store takes what it gets. */
  failing = 0;
  committedFacts = 0;
  /** Worst of the last batch that carried events, in milliseconds. */
  lastLagMs = 0;
  /** Since when, by the wall clock, the store refuses what it gets, and its last error. */
  refusal: { readonly since: number; readonly error: unknown } | undefined;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waitingFacts;
  }

  /** Resolves at once while there is room, else when there is again. Rejects once the queue has failed for good. */
  push(
    facts: readonly StoredFact[],
    checkpoint: Checkpoint | undefined,
    observedAt: number | undefined = undefined,
  ): void | Promise<void> {
    if (this.#fatal !== undefined) return Promise.reject(this.#fatal);
    if (facts.length === 0 && checkpoint === undefined) return;
    this.#pushes.push({ facts, checkpoint, observedAt });
    this.#waitingFacts += facts.length;
    this.#running ??= this.#run();
    if (this.#waitingFacts < CONGESTED_AT) return;
    return new Promise((resolve) => this.#room.push(resolve));
  }

  /** Resolves when everything pushed so far is durable. */
  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    if (this.#fatal !== undefined) throw this.#fatal;
  }

  /** Commits what it can, once, and gives up retrying. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    await sleep(this.#options.clock, GATHER_MS, this.#stop.signal).catch(() => undefined);
    while (this.#pushes.length > 0) {
      if (!(await this.#commit(this.#takeBatch()))) break;
      if (this.#waitingFacts < CONGESTED_AT / 2) this.#makeRoom();
    }
    this.#makeRoom();
    this.#running = undefined;
  }

  #takeBatch(): TakenBatch {
    const facts: StoredFact[] = [];
    const observedAts: number[] = [];
    let checkpoint: Checkpoint | undefined;
    let taken = 0;
    for (const push of this.#pushes) {
      if (taken > 0 && facts.length + push.facts.length > LARGEST_BATCH) break;
      for (const fact of push.facts) facts.push(fact);
      checkpoint = push.checkpoint ?? checkpoint;
      if (push.observedAt !== undefined) observedAts.push(push.observedAt);
      taken++;
    }
    this.#pushes.splice(0, taken);
    this.#waitingFacts -= facts.length;
    return { batch: { facts, checkpoint }, observedAts };
  }

  async #commit(taken: TakenBatch): Promise<boolean> {
    const { clock } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const begun = clock.monotonic();
      try {
        await this.#options.append(taken.batch);
        this.#stored(taken, clock.monotonic(), begun);
        return true;
      } catch (error) {
        this.failing = attempt;
        this.refusal = { since: this.refusal?.since ?? clock.now(), error };
        this.#options.onFailure?.(error, attempt);
        if (this.#options.isFatal(error)) this.#fatal = error;
        if (this.#fatal !== undefined || this.#stop.signal.aborted) return false;
        const pause = jitter(this.#options.random, exponentialDelay(RETRY, attempt - 1), 0.2);
        await sleep(this.#options.clock, pause, this.#stop.signal).catch(() => undefined);
      }
    }
  }

  #stored({ batch, observedAts }: TakenBatch, now: number, begun: number): void {
    this.failing = 0;
    this.refusal = undefined;
    this.committedFacts += batch.facts.length;
    const lagsMs = observedAts.map((observedAt) => now - observedAt);
    if (lagsMs.length > 0) this.lastLagMs = Math.max(...lagsMs);
    this.#options.onStored?.({ batch, appendMs: now - begun, lagsMs });
  }

  #makeRoom(): void {
    const room = this.#room;
    this.#room = [];
    for (const resolve of room) resolve();
  }
}
