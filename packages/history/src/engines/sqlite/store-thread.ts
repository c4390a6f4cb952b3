// The thread that owns a store: takes messages full of requests, answers them together, commits appends together, and
// does long work in slices in between. sqlite-engine.ts starts it; this is the edge, so it may use timers.
import { parentPort, workerData } from 'node:worker_threads';
import { HistoryError } from '../../errors.ts';
import { storeClosed } from '../refusals.ts';
import { asHistoryError, isMissingWeek } from './faults.ts';
import type { Answer, FromThread, Request, ThreadOptions } from './messages.ts';
import { tell } from './messages.ts';
import { type FencedBatch, Store } from './store.ts';

const RETRY_LOCKED_MS = 25;
/**
 * After a question the thread does not go to sleep at once: whoever asks one after the other would wait each time until
 * it is woken, which on an idle machine takes longer than the answer.
 */
const AWAKE_MS = 0.15;

const port = parentPort!;
const options = workerData as ThreadOptions;

/** Done in slices. */
const LONG_WORK = ['retain', 'retainChanges', 'keepRoom', 'maintain', 'migrate', 'verify', 'patrol', 'backup'] as const;

interface Job {
  readonly id: number;
  readonly work: Generator<undefined, unknown>;
}

class StoreThread {
  readonly #store = new Store(options);
  /** Long work, one after the other. */
  readonly #jobs: Job[] = [];
  /** Appends that wait for another program's lock; later ones wait behind them. */
  #waiting: Request[] = [];
  #waitingSince = 0;
  #isClosed = false;
  #awakeUntil = 0;
  #isAwake = false;

  take(requests: readonly Request[]): void {
    const answers: Answer[] = [];
    for (let at = 0; at < requests.length; ) {
      const first = requests[at]!;
      const kind = kindOf(first);
      const run = requests.slice(at, endOfRun(requests, at));
      at += run.length;
      if (this.#isClosed) for (const { id } of run) answers.push({ id, error: tell(storeClosed()) });
      else if (kind === 'read') answers.push(...this.#read(run));
      else if (kind === 'append') answers.push(...this.#append(run));
      else answers.push(...run.flatMap((request) => this.#other(request)));
    }
    say({ kind: 'answers', answers, isReady: true });
    if (this.#isClosed) port.close();
    else if (requests.every((request) => kindOf(request) === 'read')) this.#stayAwake();
  }

  #stayAwake(): void {
    this.#awakeUntil = performance.now() + AWAKE_MS;
    if (this.#isAwake) return;
    this.#isAwake = true;
    const turn = (): void => {
      this.#isAwake = performance.now() < this.#awakeUntil;
      if (this.#isAwake) setImmediate(turn);
    };
    setImmediate(turn);
  }

  #read(requests: readonly Request[]): Answer[] {
    try {
      return this.#readOnce(requests, isMissingWeek);
    } catch (error) {
      // Replaced since the list was read: the new list knows better, or the file is lost for those who need it.
      if (isMissingWeek(error)) return this.#readAgain(requests);
      if (!isLocked(error)) return requests.map(({ id }) => ({ id, error: tell(error) }));
      setTimeout(() => {
        if (!this.#isClosed) say({ kind: 'answers', answers: this.#read(requests), isReady: false });
      }, RETRY_LOCKED_MS);
      return [];
    }
  }

  #readAgain(requests: readonly Request[]): Answer[] {
    try {
      return this.#readOnce(requests, () => false);
    } catch (error) {
      return requests.map(({ id }) => ({ id, error: tell(error) }));
    }
  }

  /** In one view of the store; an error that `spoilsAll` is thrown. */
  #readOnce(requests: readonly Request[], spoilsAll: (error: unknown) => boolean): Answer[] {
    return this.#store.read(() => requests.map((request) => attempt(request.id, () => this.#call(request), spoilsAll)));
  }

  #append(requests: readonly Request[]): Answer[] {
    if (this.#waiting.length > 0) {
      this.#waiting.push(...requests);
      return [];
    }
    try {
      const batches = requests.map(({ parameters }) => parameters[0] as FencedBatch);
      const outcomes = this.#store.append(batches);
      return outcomes.map((error, i) => {
        const { id } = requests[i]!;
        return error === undefined ? { id, value: undefined } : { id, error: tell(error) };
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
  #appendApart(requests: readonly Request[], error: unknown): Answer[] {
    const isEverybodys = error instanceof HistoryError && error.code !== 'bad-record';
    if (requests.length === 1 || isEverybodys) return requests.map(({ id }) => ({ id, error: tell(error) }));
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
        const error = tell(
          asHistoryError(Object.assign(new Error('database is locked'), { errcode: 5 }), options.path),
        );
        for (const { id } of this.#waiting) answers.push({ id, error });
        this.#waiting = [];
      }
    }
    if (answers.length > 0) say({ kind: 'answers', answers, isReady: false });
  }

  #other(request: Request): Answer[] {
    const { id, operation, parameters } = request;
    switch (operation) {
      case 'takeOver':
        return [attempt(id, () => this.#store.takeOver(parameters[0] as never))];
      case 'close':
        return this.#close(id);
      default:
        return this.#begin(request);
    }
  }

  #begin({ id, operation, parameters }: Request): Answer[] {
    const begin = this.#store[operation as (typeof LONG_WORK)[number]] as (...parameters: unknown[]) => Job['work'];
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
      answer = { id: job.id, error: tell(asHistoryError(error, options.path)) };
    }
    if (answer !== undefined) {
      this.#jobs.shift();
      say({ kind: 'answers', answers: [answer], isReady: false });
    }
    if (this.#jobs.length > 0) setImmediate(() => this.#step());
  }

  #close(id: number): Answer[] {
    const refused = [...this.#jobs, ...this.#waiting].map(
      (left): Answer => ({ id: left.id, error: tell(storeClosed()) }),
    );
    for (const { work } of this.#jobs) work.return(undefined);
    this.#isClosed = true;
    return [...refused, attempt(id, () => this.#store.close())];
  }

  #call({ operation, parameters }: Request): unknown {
    const { questions } = this.#store;
    const read = questions[operation as 'clusters'] as (...parameters: unknown[]) => unknown;
    return read.apply(questions, [...parameters]);
  }
}

function kindOf({ operation }: Request): 'read' | 'append' | 'other' {
  if (operation === 'append') return 'append';
  if (operation === 'takeOver' || operation === 'close') return 'other';
  return (LONG_WORK as readonly string[]).includes(operation) ? 'other' : 'read';
}

function endOfRun(requests: readonly Request[], from: number): number {
  const kind = kindOf(requests[from]!);
  let end = from + 1;
  while (end < requests.length && kind !== 'other' && kindOf(requests[end]!) === kind) end++;
  return end;
}

function attempt(id: number, body: () => unknown, spoilsAll: (error: unknown) => boolean = () => false): Answer {
  try {
    return { id, value: body() };
  } catch (raw) {
    const error = asHistoryError(raw, options.path);
    if (isLocked(error) || spoilsAll(error)) throw error;
    return { id, error: tell(error) };
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof HistoryError && error.code === 'store-locked';
}

function say(message: FromThread): void {
  port.postMessage(message);
}

try {
  const thread = new StoreThread();
  port.on('message', (requests: readonly Request[]) => thread.take(requests));
  say({ kind: 'opened' });
} catch (error) {
  say({ kind: 'refused', error: tell(error) });
}
