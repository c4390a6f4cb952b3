// How many questions are on the store at once. The next ones wait in a queue; whoever would wait too long, or in a queue
// that is full, is sent away with 503: a server that says no at once is of more use than one that answers late.
import { Problem } from '../problem.ts';

export interface QuestionGateOptions {
  readonly atOnce: number;
  readonly mostWaiting: number;
  readonly waitMs: number;
}

interface Waiting {
  readonly admit: () => void;
  readonly late: NodeJS.Timeout;
}

export class QuestionGate {
  readonly #options: QuestionGateOptions;
  readonly #waiting = new Set<Waiting>();
  #asking = 0;

  constructor(options: QuestionGateOptions) {
    this.#options = options;
  }

  get asking(): number {
    return this.#asking;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  async run<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#asking >= this.#options.atOnce) await this.#wait();
    else this.#asking++;
    try {
      return await ask();
    } finally {
      this.#leave();
    }
  }

  #wait(): Promise<void> {
    const { mostWaiting, waitMs } = this.#options;
    if (this.#waiting.size >= mostWaiting) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(busy());
      }, waitMs);
      const waiting = { admit: resolve, late };
      this.#waiting.add(waiting);
    });
  }

  /** The place goes to who has waited longest, so that nobody comes in between. */
  #leave(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#asking--;
      return;
    }
    this.#waiting.delete(first);
    clearTimeout(first.late);
    first.admit();
  }
}

function busy(): Problem {
  return new Problem(503, 'busy', 'too many questions are being answered', {
    hint: 'ask again in a moment.',
    headers: { 'retry-after': '1' },
  });
}
