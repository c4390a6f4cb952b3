// Reviews of rights, so many at once. Callers take turns by name, so that one of them, with however many tokens, does not
// keep the others waiting; what waits is bounded for each name and in all, and ends when nobody waits for it.
import { Problem } from '../problem.ts';

export interface ReviewTurnsOptions {
  readonly atOnce: number;
  /** Reviews that wait. */
  readonly mostWaiting: number;
  readonly mostWaitingOfOne: number;
}

/** Who waits for reviews. */
export interface Waiter {
  /** Aborts when nobody waits any more. Looked at only where there is a queue. */
  readonly gone: AbortSignal;
}

/** `waiting` until its last review has begun, or everybody has gone; `ending` until the last one has been answered. */
interface Sweep {
  /** How many have begun. */
  begun: number;
  underWay: number;
  readonly count: number;
  /** Never rejects. */
  readonly review: (place: number) => Promise<void>;
  readonly ended: () => void;
}

export class ReviewTurns {
  readonly #options: ReviewTurnsOptions;
  /** By name, whose turn is next first. */
  readonly #lines = new Map<string, Sweep[]>();
  #underWay = 0;
  #waiting = 0;

  constructor(options: ReviewTurnsOptions) {
    this.#options = options;
  }

  /** Reviews that have not begun. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Resolves when all of them have been answered, or after `gone` when those that had begun have been. Rejects with 503
   * `busy` where too many wait.
   */
  async run(name: string, count: number, review: (place: number) => Promise<void>, gone: AbortSignal): Promise<void> {
    const { mostWaiting, mostWaitingOfOne } = this.#options;
    const line = this.#lines.get(name) ?? [];
    const own = line.reduce((sum, sweep) => sum + sweep.count - sweep.begun, 0);
    // Whoever has none waiting may have as many as it takes.
    const isTooMuch = (own > 0 && own + count > mostWaitingOfOne) || this.#waiting + count > mostWaiting;
    if (isTooMuch) throw busy();
    if (count === 0 || gone.aborted) return;
    await new Promise<void>((resolve) => {
      const sweep: Sweep = { begun: 0, underWay: 0, count, review, ended: resolve };
      const onGone = () => this.#leave(name, sweep);
      gone.addEventListener('abort', onGone, { once: true });
      this.#waiting += count;
      line.push(sweep);
      this.#lines.set(name, line);
      this.#go();
    });
  }

  #go(): void {
    for (const [name, line] of this.#lines) {
      if (this.#underWay >= this.#options.atOnce) return;
      const sweep = line[0] as Sweep;
      this.#begin(sweep);
      if (sweep.begun === sweep.count) line.shift();
      // Behind all others; this loop comes to it again.
      this.#lines.delete(name);
      if (line.length > 0) this.#lines.set(name, line);
    }
  }

  #begin(sweep: Sweep): void {
    this.#waiting--;
    this.#underWay++;
    sweep.underWay++;
    void sweep.review(sweep.begun++).finally(() => {
      this.#underWay--;
      sweep.underWay--;
      this.#endIfDone(sweep);
      this.#go();
    });
  }

  #leave(name: string, sweep: Sweep): void {
    const line = this.#lines.get(name);
    const at = line?.indexOf(sweep) ?? -1;
    if (line === undefined || at === -1) return;
    line.splice(at, 1);
    if (line.length === 0) this.#lines.delete(name);
    this.#waiting -= sweep.count - sweep.begun;
    sweep.begun = sweep.count;
    this.#endIfDone(sweep);
  }

  #endIfDone(sweep: Sweep): void {
    if (sweep.begun === sweep.count && sweep.underWay === 0) sweep.ended();
  }
}

function busy(): Problem {
  return new Problem(503, 'busy', 'too many rights are being found out', {
    hint: 'ask again in a moment, or about one namespace: -n NAME, or namespace=NAME.',
    headers: { 'retry-after': '5' },
  });
}
