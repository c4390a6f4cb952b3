// Chance that a seed repeats.

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2654435761 + 12345) >>> 0;
    for (let i = 0; i < 4; i++) this.#next();
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  is(probability: number): boolean {
    return this.#next() < probability;
  }

  one<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)] as T;
  }

  #next(): number {
    let x = this.#state || 88675123;
    x ^= x << 13;
    x >>>= 0;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state / 2 ** 32;
  }
}
