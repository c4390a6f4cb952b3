// When the sources of one run of a manager are in sync: all of them, or those of one controller. What takes too long is
// reported once, by its name, and goes on. It starts no source, and never ends anything.
import type { Clock } from '../clock.ts';
import type { ManagedSource } from './managed-source.ts';

export interface SourceSyncOptions {
  readonly clock: Clock;
  /** With the name of each. */
  readonly sources: ReadonlyMap<ManagedSource, string>;
  readonly timeoutMs: number;
  /** The run ends: nothing is waited for any longer. */
  readonly stop: AbortSignal;
  /** This source is not in sync after the time-out. */
  readonly onTimeout: (source: string) => void;
  /** A source says that it will never be in sync. */
  readonly onFailure: (error: unknown) => void;
}

export class SourceSync {
  /** Resolves when the time-out has passed and something is not in sync. */
  readonly late: Promise<void>;
  readonly #options: SourceSyncOptions;
  /** True when it is in sync, false when it failed or the run ended. */
  readonly #synced = new Map<ManagedSource, Promise<boolean>>();

  constructor(options: SourceSyncOptions) {
    this.#options = options;
    const waiting = new Set(options.sources.keys());
    const late = Promise.withResolvers<void>();
    this.late = late.promise;
    const onTimeout = () => {
      for (const source of waiting) this.#report(source);
      late.resolve();
    };
    const timer = options.clock.setTimer(options.timeoutMs, onTimeout, false);
    options.stop.addEventListener('abort', () => timer.cancel(), { once: true });
    const inSync = (source: ManagedSource) => {
      waiting.delete(source);
      if (waiting.size === 0) timer.cancel();
    };
    if (waiting.size === 0) timer.cancel();
    for (const source of options.sources.keys()) this.#synced.set(source, this.#untilSynced(source, inSync));
  }

  /** Whether all of these came into sync before the run, or what `signal` stands for, ended. Never rejects. */
  async inSync(sources: Iterable<ManagedSource>, signal: AbortSignal): Promise<boolean> {
    const ended = Promise.withResolvers<boolean>();
    const end = () => ended.resolve(false);
    signal.addEventListener('abort', end, { once: true });
    const all = Promise.all([...sources].map((source) => this.#synced.get(source) ?? true));
    const isSynced = await Promise.race([all.then((each) => each.every((synced) => synced)), ended.promise]);
    signal.removeEventListener('abort', end);
    return isSynced && !signal.aborted;
  }

  async #untilSynced(source: ManagedSource, inSync: (source: ManagedSource) => void): Promise<boolean> {
    try {
      await source.waitForSync(this.#options.stop);
      inSync(source);
      return true;
    } catch (error) {
      this.#options.onFailure(error);
      return false;
    }
  }

  #report(source: ManagedSource): void {
    try {
      this.#options.onTimeout(this.#options.sources.get(source) ?? '');
    } catch {
      // A log that throws must not keep the others from being reported.
    }
  }
}
