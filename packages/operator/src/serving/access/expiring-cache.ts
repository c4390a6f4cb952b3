// Decisions that somebody else made, kept for seconds: bounded in number and in age, asked for once however many wait.
// A decision that failed is not kept. Used by everything in here that asks the API server about a caller.
import type { Clock } from '@podtrail/machinery';

export interface Decision<T> {
  readonly value: T;
  readonly forMs: number;
}

export interface ExpiringCacheOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly most: number;
}

interface Entry<T> {
  readonly value: Promise<T>;
  /** Monotonic; undefined while it is being decided. */
  until: number | undefined;
}

export class ExpiringCache<T> {
  readonly #options: ExpiringCacheOptions;
  /** The oldest first: that one goes when there are too many. */
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: ExpiringCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** What is kept, or being decided. */
  known(key: string): Promise<T> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    return entry.until === undefined || this.#options.clock.monotonic() < entry.until ? entry.value : undefined;
  }

  get(key: string, decide: () => Promise<Decision<T>>): Promise<T> {
    const { clock, most } = this.#options;
    const known = this.known(key);
    if (known !== undefined) return known;
    this.#entries.delete(key);
    const asked = clock.monotonic();
    const entry: Entry<T> = {
      until: undefined,
      value: decide().then(
        ({ value, forMs }) => {
          // From when it was asked for: what was true then is not younger.
          entry.until = asked + forMs;
          return value;
        },
        (error: unknown) => {
          if (this.#entries.get(key) === entry) this.#entries.delete(key);
          throw error;
        },
      ),
    };
    this.#entries.set(key, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= most) break;
      this.#entries.delete(oldest);
    }
    return entry.value;
  }
}
