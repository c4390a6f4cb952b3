// How many watches there are at once: of each caller, and of all. Each reads a list again and again for as long as it
// lasts.
import type { Caller } from '../access/access.ts';
import { Problem } from '../problem.ts';

const MOST_WATCHES = 100;
const MOST_OF_ONE = 10;

export class WatchPlaces {
  /** By caller. */
  readonly #taken = new Map<string, number>();
  #all = 0;

  get size(): number {
    return this.#all;
  }

  /** Rejects with a Problem of 429. The result gives the place back. */
  take({ name }: Caller): () => void {
    const own = this.#taken.get(name) ?? 0;
    if (own >= MOST_OF_ONE || this.#all >= MOST_WATCHES) {
      throw new Problem(429, 'too-many-watches', 'there are too many watches', { headers: { 'retry-after': '5' } });
    }
    this.#all++;
    this.#taken.set(name, own + 1);
    return () => {
      this.#all--;
      const left = (this.#taken.get(name) ?? 1) - 1;
      if (left === 0) this.#taken.delete(name);
      else this.#taken.set(name, left);
    };
  }
}
