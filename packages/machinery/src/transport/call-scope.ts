// How long one buffered call may go on: until its time-out, its caller's signal, or the end of the transport. Made by
// `HttpTransport` for each call and ended with it, so that a caller's long-lived signal collects no listeners.
import type { Clock, Timer } from '../clock.ts';
import { ConnectionError } from '../errors.ts';

export interface CallScopeOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Names the call in messages. */
  readonly doing: string;
  /** The caller's; its reason becomes the call's error. */
  readonly signal: AbortSignal | undefined;
  /** Aborts when the transport is closed. */
  readonly closing: AbortSignal;
}

export class CallScope {
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #controller = new AbortController();
  readonly #timer: Timer;
  readonly #unlisten: (() => void)[] = [];

  constructor({ clock, timeoutMs, doing, signal, closing }: CallScopeOptions) {
    this.#clock = clock;
    this.#endsAt = clock.monotonic() + timeoutMs;
    this.#timer = clock.setTimer(timeoutMs, () => this.#controller.abort(timedOut(doing, timeoutMs)));
    this.#follow(closing, () => closedError(doing));
    if (signal !== undefined) this.#follow(signal, () => signal.reason);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get remainingMs(): number {
    return this.#endsAt - this.#clock.monotonic();
  }

  /** The promise, unless the scope ends first; then what it comes to is ignored. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(this.signal.reason);
      if (this.signal.aborted) onAbort();
      else this.signal.addEventListener('abort', onAbort, { once: true });
      promise.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', onAbort));
    });
  }

  end(): void {
    this.#timer.cancel();
    for (const unlisten of this.#unlisten) unlisten();
  }

  #follow(signal: AbortSignal, reason: () => unknown): void {
    const onAbort = () => this.#controller.abort(reason());
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    this.#unlisten.push(() => signal.removeEventListener('abort', onAbort));
  }
}

export function closedError(doing: string): ConnectionError {
  return new ConnectionError('aborted', `${doing}: the transport is closed`, {
    hint: 'the program has closed its connection to the cluster; make a new client to go on.',
  });
}

function timedOut(doing: string, timeoutMs: number): ConnectionError {
  return new ConnectionError('timeout', `${doing}: no complete answer within ${timeoutMs} ms`, {
    hint: 'the server or the network is slow; a longer time-out may help.',
  });
}
