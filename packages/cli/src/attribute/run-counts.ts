// Counts rows and their answers here, where that costs next to nothing, and passes them on to the run now and then.
// TextToText counts each row; the order in which the run sees rows, answers and problems is that of the log.
import type { Attribution } from '@podtrail/history/wire';
import type { Tail } from './tail.ts';
import { type Count, USUAL_ANSWERS } from './tally.ts';

export class RunCounts {
  readonly #count: Count;
  readonly #ends: number;
  #newRows = 0;
  readonly #newAnswers: Float64Array;

  constructor(count: Count, ends: number) {
    this.#count = count;
    this.#ends = ends;
    this.#newAnswers = new Float64Array(ends * USUAL_ANSWERS.length);
  }

  /** The answers of a row, whose ends have their tails from `place` on. */
  add(tails: readonly (Tail | undefined)[], place: number): void {
    this.#newRows++;
    for (let i = 0; i < this.#ends; i++) {
      const tail = tails[place + i] as Tail;
      const { usual, counter } = tail;
      if (usual >= 0) (this.#newAnswers[i * USUAL_ANSWERS.length + usual] as number)++;
      else this.#addUnusual(i, tail.attribution);
      if (counter !== undefined) counter.rows++;
    }
  }

  /** Something is wrong with the row that was counted last. */
  async malformed(problem: string): Promise<void> {
    this.passOn();
    await this.#count.malformed(problem);
  }

  /** What was counted here and not yet for the run. */
  passOn(): void {
    this.#passOnRows();
    for (let end = 0; end < this.#ends; end++) {
      for (const [i, answer] of USUAL_ANSWERS.entries()) {
        const place = end * USUAL_ANSWERS.length + i;
        this.#count.answers(end, answer, this.#newAnswers[place] as number);
        this.#newAnswers[place] = 0;
      }
    }
  }

  #addUnusual(end: number, attribution: Attribution): void {
    this.#passOnRows();
    this.#count.answer(end, attribution);
  }

  #passOnRows(): void {
    if (this.#newRows > 0) this.#count.rows(this.#newRows);
    this.#newRows = 0;
  }
}
