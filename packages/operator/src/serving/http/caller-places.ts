// How many of something there are at once: of each caller, and of all. For what lasts, as streams do, which a rate does not
// bound.
import type { Caller } from '../access/access.ts';
import { Problem } from '../problem.ts';

export interface CallerPlacesOptions {
  readonly most: number;
  readonly mostOfOne: number;
  /** Of the Problem of 429. */
  readonly code: string;
  readonly message: string;
}

export class CallerPlaces {
  readonly #options: CallerPlacesOptions;
  /** By caller. */
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(options: CallerPlacesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#all;
  }

  /** Throws a Problem of 429. The result gives the place back. */
  take({ name }: Pick<Caller, 'name'>): () => void {
    const { most, mostOfOne, code, message } = this.#options;
    const own = this.#taken.get(name) ?? 0;
    if (own >= mostOfOne || this.#all >= most) {
      throw new Problem(429, code, message, {
        hint:
          own >= mostOfOne
            ? `you have ${own}, the most of one caller: end one first.`
            : 'come again when one of the others has ended.',
        headers: { 'retry-after': '5' },
      });
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
