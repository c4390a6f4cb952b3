// Keeps what repeats from flooding a log: the first time is logged, and then each time that the count has doubled.

export class LogSampler {
  readonly #counts = new Map<string, number>();

  /** How often it has happened now, if that is to be logged; else undefined. */
  again(what: string): number | undefined {
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    return Number.isInteger(Math.log2(count)) ? count : undefined;
  }

  /** It works again: the next time is the first. */
  over(what: string): void {
    this.#counts.delete(what);
  }
}
