// The snapshots of a store inside its thread, by their numbers. One that cannot be opened yet waits, and so do its reads;
// one that is too old is ended, whether or not its owner ever closes it. Called by store-thread.ts, which brings the time.
import type { AnswerPoints } from '../../points.ts';
import { snapshotClosed, snapshotExpired, snapshotTooOld } from '../../refusals.ts';
import type { Cluster } from '../../snapshot.ts';
import { type PackedPoints, unpackPoints } from '../bulk-points.ts';
import { asHistoryError, isLocked, isMissingWeek } from '../faults.ts';
import type { View } from '../head/view.ts';
import type { Store } from '../store.ts';
import {
  type Answer,
  attempt,
  attemptLater,
  type SnapshotRead,
  type SnapshotReadName,
  serializeError,
} from './messages.ts';
import { SnapshotInThread } from './snapshot-in-thread.ts';

/** Longer than any question takes; an old state costs room in the log for as long as it is kept. */
export const SNAPSHOT_LIMIT_MS = 60_000;
const RETRY_LOCKED_MS = 25;

type State =
  /** No view is free, or another program has locked the store. Left by `#openWaiting` and by `end`. */
  | { readonly kind: 'waiting'; readonly reads: SnapshotRead[] }
  /** Left by `end`, and by `#expire` when it is too old. */
  | { readonly kind: 'open'; readonly view: View; readonly since: number }
  /** Its reads get this error. Left by `end`. */
  | { readonly kind: 'refused'; readonly error: unknown };

export class Snapshots {
  readonly #store: Store;
  readonly #limitMs: number;
  /** For answers to reads that had to wait. */
  readonly #answer: (answers: readonly Answer[]) => void;
  readonly #answerPoints: AnswerPoints;
  readonly #states = new Map<number, State>();
  #isRetrying = false;
  /** For the one that is open the longest: most are closed long before. */
  #limit: NodeJS.Timeout | undefined;

  constructor(store: Store, limitMs: number, answer: (answers: readonly Answer[]) => void, answerPoints: AnswerPoints) {
    this.#store = store;
    this.#limitMs = limitMs;
    this.#answer = answer;
    this.#answerPoints = answerPoints;
  }

  begin(snapshot: number): void {
    this.#states.set(snapshot, { kind: 'waiting', reads: [] });
    this.#openWaiting();
  }

  /** Undefined when the answer comes later. */
  read(read: SnapshotRead): Answer | Promise<Answer> | undefined {
    const [id, snapshot, operation] = read;
    const state = this.#states.get(snapshot);
    switch (state?.kind) {
      case undefined:
        return { id, error: serializeError(snapshotClosed()) };
      case 'waiting':
        state.reads.push(read);
        return undefined;
      case 'open':
        return operation === 'points'
          ? attemptLater(id, this.#store.path, () => this.#answerFrom(state.view, read))
          : attempt(id, this.#store.path, () => this.#readFrom(state.view, read));
      case 'refused':
        return { id, error: serializeError(state.error) };
    }
  }

  end(snapshot: number): void {
    const state = this.#states.get(snapshot);
    this.#states.delete(snapshot);
    if (state?.kind === 'waiting' && state.reads.length > 0) this.#answer(closedAnswers(state.reads));
    if (state?.kind !== 'open') return;
    this.#giveBack(state);
    this.#openWaiting();
  }

  close(): Answer[] {
    const left: Answer[] = [];
    for (const state of this.#states.values()) {
      if (state.kind === 'open') this.#giveBack(state);
      if (state.kind === 'waiting') left.push(...closedAnswers(state.reads));
    }
    this.#states.clear();
    return left;
  }

  #readFrom(view: View, [, , operation, ...parameters]: SnapshotRead): unknown {
    const read = view.questions[operation as SnapshotReadName] as (...parameters: readonly unknown[]) => unknown;
    try {
      return read.apply(view.questions, parameters);
    } catch (error) {
      // Replaced since the snapshot was opened: the new list of files knows better, or the file is lost.
      if (isMissingWeek(error) && this.#store.layout() !== view.layout) throw snapshotTooOld(error);
      throw error;
    }
  }

  /** Every read is done when it is asked for: the answer needs no turn of the thread. */
  async #answerFrom(view: View, [, , , cluster, points]: SnapshotRead): Promise<unknown> {
    const { id } = cluster as Cluster;
    const snapshot = new SnapshotInThread(id, {
      read: async (operation, ...parameters) => {
        try {
          return this.#readFrom(view, [0, 0, operation, ...parameters]) as never;
        } catch (error) {
          throw asHistoryError(error, this.#store.path);
        }
      },
      end: () => {},
    });
    return await this.#answerPoints(snapshot, cluster as Cluster, unpackPoints(points as PackedPoints));
  }

  /** In their order; what they were asked meanwhile is answered. */
  #openWaiting(): void {
    for (const [snapshot, state] of this.#states) {
      if (state.kind !== 'waiting') continue;
      const opened = this.#opened();
      if (opened === undefined) return;
      this.#states.set(snapshot, opened);
      const answers = state.reads.flatMap((read) => this.read(read) ?? []);
      if (answers.length > 0) void Promise.all(answers).then((all) => this.#answer(all));
    }
  }

  #opened(): State | undefined {
    try {
      const view = this.#store.takeView();
      if (view === undefined) return undefined;
      this.#expireAfter(this.#limitMs);
      return { kind: 'open', view, since: performance.now() };
    } catch (raw) {
      const error = asHistoryError(raw, this.#store.path);
      if (!isLocked(error)) return { kind: 'refused', error };
      this.#retrySoon();
      return undefined;
    }
  }

  #retrySoon(): void {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    setTimeout(() => {
      this.#isRetrying = false;
      this.#openWaiting();
    }, RETRY_LOCKED_MS);
  }

  #expireAfter(ms: number): void {
    if (this.#limit !== undefined) return;
    this.#limit = setTimeout(() => this.#expire(), ms);
    this.#limit.unref();
  }

  /** Those that are too old; the next time is that of the oldest that is left. */
  #expire(): void {
    this.#limit = undefined;
    const now = performance.now();
    let left = Number.POSITIVE_INFINITY;
    for (const [snapshot, state] of this.#states) {
      if (state.kind !== 'open') continue;
      const rest = state.since + this.#limitMs - now;
      if (rest > 0) left = Math.min(left, rest);
      else {
        this.#giveBack(state);
        this.#states.set(snapshot, { kind: 'refused', error: snapshotExpired(this.#limitMs) });
      }
    }
    if (left < Number.POSITIVE_INFINITY) this.#expireAfter(Math.ceil(left));
    this.#openWaiting();
  }

  #giveBack({ view }: Extract<State, { kind: 'open' }>): void {
    this.#store.giveView(view);
  }
}

/** Whoever closes a snapshot may still be waiting for its reads. */
function closedAnswers(reads: readonly SnapshotRead[]): Answer[] {
  return reads.map(([id]) => ({ id, error: serializeError(snapshotClosed()) }));
}
