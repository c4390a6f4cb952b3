// How many events one source may write about one object for one reason: a burst, then a trickle. Bounded: what was quiet
// longest is forgotten first.
import type { Clock } from '../clock.ts';
import { TokenBucket } from '../queue/token-bucket.ts';

export interface SpamLimit {
  readonly burst: number;
  readonly perSecond: number;
}

/** 25, then one in five minutes: client-go's figures, which it counts for all reasons together. */
const DEFAULT_SPAM_LIMIT: SpamLimit = { burst: 25, perSecond: 1 / 300 };

const REMEMBERED_SOURCES = 4096;

export class SpamFilter {
  readonly #clock: Clock;
  readonly #limit: SpamLimit;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Clock, limit: SpamLimit = DEFAULT_SPAM_LIMIT) {
    this.#clock = clock;
    this.#limit = limit;
  }

  allows(key: string): boolean {
    const bucket = this.#buckets.get(key) ?? new TokenBucket({ clock: this.#clock, ...this.#limit });
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > REMEMBERED_SOURCES) {
      const [quietest] = this.#buckets.keys();
      if (quietest !== undefined) this.#buckets.delete(quietest);
    }
    return bucket.tryTake();
  }
}
