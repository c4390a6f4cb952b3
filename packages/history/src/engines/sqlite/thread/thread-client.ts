// The engine's end of the line to its thread. One message is under way at a time, two where the next one only reads, so
// that the thread need not wait for it; requests that come meanwhile go together, so that many small ones cost little
// more than one.
import { Worker } from 'node:worker_threads';
import { HistoryError } from '../../../errors.ts';
import type { PointTexts } from '../../points.ts';
import { storeClosed } from '../../refusals.ts';
import type { Cluster } from '../../snapshot.ts';
import type { PackedPoints } from '../bulk-points.ts';
import type { Questions } from '../questions.ts';
import type { FencedBatch, Store } from '../store.ts';
import {
  type Call,
  deserializeError,
  type FromThread,
  isOfSnapshots,
  type Notice,
  type Request,
  type SnapshotReadName,
  type StoreReadName,
  type ThreadOptions,
  type WorkName,
  type WorkResult,
} from './messages.ts';

interface Caller {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const MOST_UNDER_WAY = 2;

type WithoutId<T> = T extends Call ? Omit<T, 'id'> : never;

export class ThreadClient {
  readonly #worker: Worker;
  readonly #callers = new Map<number, Caller>();
  #queue: Request[] = [];
  #nextId = 1;
  #nextSnapshot = 1;
  #underWay = 0;
  #isPlanned = false;
  #ended: HistoryError | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (message: FromThread) => this.#take(message));
    worker.on('error', (error) => this.#end(failed(error)));
    worker.on('exit', () => this.#end(this.#ended ?? failed(undefined)));
    worker.unref();
  }

  /** Rejects with the reason why the store cannot be opened. */
  static async start(options: ThreadOptions): Promise<ThreadClient> {
    // Without this process's flags: some (`--input-type`) forbid a thread that is a file.
    const worker = new Worker(new URL('../../../store-thread.ts', import.meta.url), {
      workerData: options,
      execArgv: [],
    });
    const opened = new Promise<void>((resolve, reject) => {
      worker.once('message', (message: FromThread) => {
        if (message.kind === 'refused') reject(deserializeError(message.error));
        else resolve();
      });
      worker.once('error', reject);
    });
    try {
      await opened;
    } catch (error) {
      await worker.terminate();
      throw error;
    }
    return new ThreadClient(worker);
  }

  takeOver(cluster: Cluster): Promise<number> {
    return this.#call({ kind: 'takeOver', cluster });
  }

  append(batch: FencedBatch): Promise<void> {
    return this.#call({ kind: 'append', batch });
  }

  /** Of the store as it is when the thread comes to it. */
  ask<K extends StoreReadName>(
    operation: K,
    ...parameters: Parameters<Questions[K]>
  ): Promise<ReturnType<Questions[K]>> {
    return this.#call({ kind: 'ask', operation, parameters });
  }

  work<K extends WorkName>(operation: K, ...parameters: Parameters<Store[K]>): Promise<WorkResult<K>> {
    return this.#call({ kind: 'work', operation, parameters });
  }

  /** The state is that before everything that is requested after this. */
  begin(): number {
    if (this.#ended !== undefined) throw this.#ended;
    const snapshot = this.#nextSnapshot++;
    this.#notify(snapshot);
    return snapshot;
  }

  read<K extends SnapshotReadName>(
    snapshot: number,
    operation: K,
    ...parameters: Parameters<Questions[K]>
  ): Promise<ReturnType<Questions[K]>> {
    return this.#send((id) => [id, snapshot, operation, ...parameters]);
  }

  points(snapshot: number, cluster: Cluster, points: PackedPoints): Promise<PointTexts> {
    return this.#send((id) => [id, snapshot, 'points', cluster, points]);
  }

  end(snapshot: number): void {
    if (this.#ended === undefined) this.#notify(-snapshot);
  }

  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    const exited = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()));
    const closing = this.#call<void>({ kind: 'close' });
    this.#ended = storeClosed();
    await closing;
    this.#worker.ref();
    await exited;
  }

  /** `T` is what the thread answers to such a request: the methods above know. */
  #call<T>(call: WithoutId<Call>): Promise<T> {
    return this.#send((id) => ({ ...call, id }));
  }

  #send<T>(request: (id: number) => Request): Promise<T> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise<T>((resolve, reject) => {
      const id = this.#nextId++;
      if (this.#callers.size === 0) this.#worker.ref();
      this.#callers.set(id, { resolve: (value) => resolve(value as T), reject });
      this.#queue.push(request(id));
      this.#plan();
    });
  }

  /** Goes with the next request, which mostly comes at once: a message of its own would make that one wait. */
  #notify(notice: Notice): void {
    this.#queue.push(notice);
    if (this.#queue.length === 1) setImmediate(() => this.#plan());
  }

  /** At the end of this turn: what is asked in one go travels in one go. */
  #plan(): void {
    if (this.#isPlanned || this.#queue.length === 0) return;
    // What is to be written waits for the rest: it is committed together.
    if (this.#underWay >= (this.#queue.every(isOfSnapshots) ? MOST_UNDER_WAY : 1)) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      this.#underWay++;
      const requests = this.#queue;
      this.#queue = [];
      this.#worker.postMessage(requests);
    });
  }

  #take(message: FromThread): void {
    if (message.kind !== 'answers') return;
    if (message.isReady) this.#underWay--;
    for (const answer of message.answers) {
      const caller = this.#callers.get(answer.id);
      this.#callers.delete(answer.id);
      if ('error' in answer) caller?.reject(deserializeError(answer.error));
      else caller?.resolve(answer.value);
    }
    if (this.#callers.size === 0) this.#worker.unref();
    this.#plan();
  }

  #end(error: HistoryError): void {
    this.#ended ??= error;
    for (const caller of this.#callers.values()) caller.reject(error);
    this.#callers.clear();
  }
}

function failed(cause: unknown): HistoryError {
  return new HistoryError('store-failed', 'the thread of the store has ended', {
    hint: 'open the store again; what was acknowledged is in it.',
    cause,
  });
}
