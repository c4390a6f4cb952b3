// Chance with a seed (mulberry32): the same seed draws the same numbers. Not for secrets.

export class SeededRandom {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.next() * choices.length)];
  }

  /** The wait until the next of things that happen at random, `mean` apart. */
  waitFor(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  /** The letters of generated names: no vowels, nothing that looks like something else. */
  suffix(length: number): string {
    let text = '';
    for (let n = 0; n < length; n++) text += SUFFIX_LETTERS[Math.floor(this.next() * SUFFIX_LETTERS.length)];
    return text;
  }

  /** Eight hexadecimal digits. */
  hex8(): string {
    return Math.floor(this.next() * 4_294_967_296)
      .toString(16)
      .padStart(8, '0');
  }

  /** A source of its own for one part of a simulation, so that parts do not disturb each other. */
  fork(): SeededRandom {
    return new SeededRandom(Math.floor(this.next() * 4_294_967_296));
  }
}

const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
