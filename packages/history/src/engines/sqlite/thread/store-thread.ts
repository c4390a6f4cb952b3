// The thread that owns a store: takes messages full of requests, answers them together, commits appends together, and
// does long work in slices in between. The program of the thread (src/store-thread.ts) runs it; this is the edge, so it
// may use timers.
import { parentPort, workerData } from 'node:worker_threads';
import { HistoryError } from '../../../errors.ts';
import { SpentHeap } from '../../../spent-heap.ts';
import type { AnswerPoints } from '../../points.ts';
import { storeClosed } from '../../refusals.ts';
import { asHistoryError, isLocked } from '../faults.ts';
import { Store } from '../store.ts';
import {
  type Answer,
  type Append,
  attempt,
  type FromThread,
  type Notice,
  type Request,
  type SnapshotRead,
  type StoreRead,
  serializeError,
  type ThreadOptions,
  type Work,
} from './messages.ts';
import { Snapshots } from './snapshots.ts';
import { StayAwake } from './stay-awake.ts';

const RETRY_LOCKED_MS = 25;
const port = parentPort!;
const options = workerData as ThreadOptions;

interface Job {
  readonly id: number;
  readonly work: Generator<unknown, unknown>;
}

class StoreThread {
  readonly #store = new Store(options);
  readonly #snapshots: Snapshots;
  /** Long work, one after the other. */
  readonly #jobs: Job[] = [];
  /** Appends that wait for another program's lock; later ones wait behind them. */
  #waiting: Append[] = [];
  #waitingSince = 0;
  #isClosed = false;
  readonly #awake = new StayAwake();

  constructor(answerPoints: AnswerPoints) {
    const answer = (answers: readonly Answer[]) => post({ kind: 'answers', answers, isReady: false });
    this.#snapshots = new Snapshots(this.#store, options.snapshotLimitMs, answer, answerPoints);
  }

  take(requests: readonly Request[]): void {
    const answers: (Answer | Promise<Answer>)[] = [];
    for (let at = 0; at < requests.length; ) {
      const appends = appendsFrom(requests, at);
      if (appends.length > 0) answers.push(...this.#appendOrRefuse(appends));
      else answers.push(...this.#one(requests[at]!));
      at += Math.max(1, appends.length);
    }
    // Nothing that these wait for takes a turn: they are there before the next message is taken.
    if (answers.some(isPromise)) void Promise.all(answers).then((all) => this.#send(requests, all));
    else this.#send(requests, answers as readonly Answer[]);
  }

  #send(requests: readonly Request[], answers: readonly Answer[]): void {
    post({ kind: 'answers', answers, isReady: true });
    if (this.#isClosed) port.close();
    else this.#awake.after(requests);
  }

  #one(request: Request): readonly (Answer | Promise<Answer>)[] {
    if (typeof request === 'number') {
      if (!this.#isClosed) this.#notice(request);
      return [];
    }
    if (isRead(request)) {
      const answer = this.#isClosed ? refused(request[0]) : this.#snapshots.read(request);
      return answer === undefined ? [] : [answer];
    }
    if (this.#isClosed) return [refused(request.id)];
    switch (request.kind) {
      case 'ask':
        return this.#ask(request);
      case 'append':
        return this.#append([request]);
      case 'takeOver':
        return [attempt(request.id, options.path, () => this.#store.takeOver(request.cluster))];
      case 'work':
        return this.#begin(request);
      case 'close':
        return this.#close(request.id);
    }
  }

  #notice(notice: Notice): void {
    if (notice > 0) this.#snapshots.begin(notice);
    else this.#snapshots.end(-notice);
  }

  #ask(request: StoreRead): Answer[] {
    const { id, operation, parameters } = request;
    try {
      const value = this.#store.read((questions) => {
        const read = questions[operation] as (...parameters: readonly unknown[]) => unknown;
        return read.apply(questions, [...parameters]);
      });
      return [{ id, value }];
    } catch (error) {
      if (!isLocked(error)) return [{ id, error: serializeError(error) }];
      setTimeout(() => {
        if (!this.#isClosed) post({ kind: 'answers', answers: this.#ask(request), isReady: false });
      }, RETRY_LOCKED_MS);
      return [];
    }
  }

  #appendOrRefuse(requests: readonly Append[]): Answer[] {
    return this.#isClosed ? requests.map(({ id }) => refused(id)) : this.#append(requests);
  }

  #append(requests: readonly Append[]): Answer[] {
    if (this.#waiting.length > 0) {
      this.#waiting.push(...requests);
      return [];
    }
    try {
      const outcomes = this.#store.append(requests.map(({ batch }) => batch));
      return outcomes.map((error, i) => {
        const { id } = requests[i]!;
        return error === undefined ? { id, value: undefined } : { id, error: serializeError(error) };
      });
    } catch (raw) {
      const error = asHistoryError(raw, options.path);
      if (!isLocked(error)) return this.#appendApart(requests, error);
      this.#waiting = [...requests];
      this.#waitingSince = performance.now();
      setTimeout(() => this.#retry(), RETRY_LOCKED_MS);
      return [];
    }
  }

  /** One record that cannot be stored must not take the others with it; a full disk is everybody's. */
  #appendApart(requests: readonly Append[], error: unknown): Answer[] {
    const isEverybodys = error instanceof HistoryError && error.code !== 'bad-record';
    if (requests.length === 1 || isEverybodys) return requests.map(({ id }) => ({ id, error: serializeError(error) }));
    return requests.flatMap((request) => this.#append([request]));
  }

  #retry(): void {
    if (this.#isClosed) return;
    const requests = this.#waiting;
    const since = this.#waitingSince;
    this.#waiting = [];
    const answers = this.#append(requests);
    if (this.#waiting.length > 0) {
      this.#waitingSince = since;
      if (performance.now() - since > options.lockPatienceMs) {
        const locked = Object.assign(new Error('database is locked'), { errcode: 5 });
        const error = serializeError(asHistoryError(locked, options.path));
        for (const { id } of this.#waiting) answers.push({ id, error });
        this.#waiting = [];
      }
    }
    if (answers.length > 0) post({ kind: 'answers', answers, isReady: false });
  }

  #begin({ id, operation, parameters }: Work): Answer[] {
    const begin = this.#store[operation] as (...parameters: readonly unknown[]) => Job['work'];
    this.#jobs.push({ id, work: begin.apply(this.#store, [...parameters]) });
    if (this.#jobs.length === 1) setImmediate(() => this.#step());
    return [];
  }

  /** One slice; messages that came meanwhile are taken before the next. */
  #step(): void {
    const job = this.#jobs[0];
    if (job === undefined || this.#isClosed) return;
    let answer: Answer | undefined;
    try {
      const { done, value } = job.work.next();
      if (done) answer = { id: job.id, value };
    } catch (error) {
      answer = { id: job.id, error: serializeError(asHistoryError(error, options.path)) };
    }
    if (answer !== undefined) {
      this.#jobs.shift();
      post({ kind: 'answers', answers: [answer], isReady: false });
    }
    if (this.#jobs.length > 0) setImmediate(() => this.#step());
  }

  #close(id: number): Answer[] {
    const left = [...this.#jobs, ...this.#waiting].map((request) => refused(request.id));
    for (const { work } of this.#jobs) work.return(undefined);
    left.push(...this.#snapshots.close());
    this.#isClosed = true;
    return [...left, attempt(id, options.path, () => this.#store.close())];
  }
}

/** Those that follow each other are committed together. */
function factsIn(requests: readonly Request[]): number {
  return requests.reduce<number>((sum, one) => sum + (isAppend(one) ? one.batch.batch.facts.length : 0), 0);
}

function appendsFrom(requests: readonly Request[], from: number): Append[] {
  const appends: Append[] = [];
  for (let at = from; at < requests.length; at++) {
    const request = requests[at]!;
    if (!isAppend(request)) break;
    appends.push(request);
  }
  return appends;
}

function isRead(request: Request): request is SnapshotRead {
  return Array.isArray(request);
}

function isPromise(answer: Answer | Promise<Answer>): answer is Promise<Answer> {
  return 'then' in answer;
}

function isAppend(request: Request): request is Append {
  return typeof request === 'object' && 'kind' in request && request.kind === 'append';
}

function refused(id: number): Answer {
  return { id, error: serializeError(storeClosed()) };
}

function post(message: FromThread): void {
  port.postMessage(message);
}

/** `answerPoints`: how questions about one instant are answered in here. */
export function runStoreThread(answerPoints: AnswerPoints): void {
  try {
    const thread = new StoreThread(answerPoints);
    const spent = new SpentHeap();
    port.on('message', (requests: readonly Request[]) => {
      thread.take(requests);
      spent.stored(factsIn(requests));
    });
    post({ kind: 'opened' });
  } catch (error) {
    post({ kind: 'refused', error: serializeError(error) });
  }
}
