// Keeps what repeats from flooding a log: the first time is told, and then each time that the number has doubled.

export class Thinning {
  readonly #counts = new Map<string, number>();

  /** How often it has happened now, if that is to be told; else undefined. */
  again(what: string): number | undefined {
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    return Number.isInteger(Math.log2(count)) ? count : undefined;
  }

  /** It is well again: the next time is the first. */
  over(what: string): void {
    this.#counts.delete(what);
  }
}
