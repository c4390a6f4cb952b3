// One handler's place at an informer: its queue, whether it has been given the whole cache, its reminders. Made by the
// informer; its holder waits for it or removes it.
import type { Clock, Timer } from '../clock.ts';
import { MachineryError } from '../errors.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import type { HandlerQueue } from './handler-queue.ts';

export interface HandlerRegistration {
  /** True once the handler has been given everything that was in the cache when it joined, or at the first sync. */
  readonly synced: boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** No further deltas; a running call ends by itself. */
  remove(): void;
  readonly failures: number;
  readonly waiting: number;
}

export class Registration<T extends Cacheable> implements HandlerRegistration {
  readonly queue: HandlerQueue<T>;
  /** The informer's change that was the last, or under way, when this handler joined. */
  readonly joinedAt: number;
  readonly #onRemove: () => void;
  #synced = false;
  #waiters: { readonly resolve: () => void; readonly reject: (reason: unknown) => void }[] = [];
  #removed = false;
  #remind: (() => Timer) | undefined;
  #timer: Timer | undefined;

  constructor(queue: HandlerQueue<T>, joinedAt: number, onRemove: () => void) {
    this.queue = queue;
    this.joinedAt = joinedAt;
    this.#onRemove = onRemove;
  }

  get synced(): boolean {
    return this.#synced;
  }

  get failures(): number {
    return this.queue.failures;
  }

  get waiting(): number {
    return this.queue.length;
  }

  /** What was pushed so far is what it must have handled; what comes later does not put its sync off. */
  syncedWhenHandled(): void {
    void this.queue.whenHandled().then(() => {
      if (this.#removed) return;
      this.#synced = true;
      const waiters = this.#waiters;
      this.#waiters = [];
      for (const { resolve } of waiters) resolve();
    });
  }

  waitForSync(signal?: AbortSignal): Promise<void> {
    if (this.#synced) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (this.#removed) {
        reject(removedBeforeSync(this.queue.name));
        return;
      }
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      const settled = <A extends unknown[]>(settle: (...args: A) => void) => {
        return (...args: A) => {
          signal?.removeEventListener('abort', onAbort);
          settle(...args);
        };
      };
      this.#waiters.push({ resolve: settled(resolve), reject: settled(reject) });
    });
  }

  /** Takes effect with `resumeResync`: reminders come only while the informer runs. */
  resyncEvery(clock: Clock, everyMs: number, remind: () => void): void {
    this.#remind = () =>
      clock.setTimer(
        everyMs,
        () => {
          if (this.#synced) remind();
          this.resumeResync();
        },
        false,
      );
  }

  resumeResync(): void {
    this.#timer?.cancel();
    if (!this.#removed) this.#timer = this.#remind?.();
  }

  pauseResync(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  remove(): void {
    if (this.#removed) return;
    this.#removed = true;
    this.pauseResync();
    this.queue.stop();
    for (const { reject } of this.#waiters) reject(removedBeforeSync(this.queue.name));
    this.#waiters = [];
    this.#onRemove();
  }
}

function removedBeforeSync(handler: string): MachineryError {
  return new MachineryError('handler-removed', `the handler "${handler}" was removed before it was synced`);
}
