// How many questions are on the store at once. The next ones wait in a queue; whoever would wait too long, or in a queue
// that is full, is sent away with 503: a server that says no at once is of more use than one that answers late.
import { Problem } from '../problem.ts';

export interface QuestionGateOptions {
  readonly atOnce: number;
  readonly mostWaiting: number;
  readonly waitMs: number;
}

/** Who waits for an answer. */
export interface Abandonable {
  /** Aborts when nobody waits for it any more. Looked at only where there is a queue. */
  readonly gone: AbortSignal;
}

interface Waiting {
  readonly admit: () => void;
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

  /** Rejects with 503 `busy`, and with the reason of `request.gone` where that aborts before its turn. */
  async run<T>(ask: () => Promise<T>, request?: Abandonable): Promise<T> {
    if (this.#asking >= this.#options.atOnce) await this.#wait(request?.gone);
    else this.#asking++;
    try {
      return await ask();
    } finally {
      this.#leave();
    }
  }

  #wait(gone: AbortSignal | undefined): Promise<void> {
    const { mostWaiting, waitMs } = this.#options;
    if (gone?.aborted === true) return Promise.reject(gone.reason);
    if (this.#waiting.size >= mostWaiting) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        this.#waiting.delete(waiting);
        clearTimeout(late);
        gone?.removeEventListener('abort', onGone);
        reject(reason);
      };
      const onGone = () => leave(gone?.reason);
      const late = setTimeout(() => leave(busy()), waitMs);
      const admit = () => {
        clearTimeout(late);
        gone?.removeEventListener('abort', onGone);
        resolve();
      };
      const waiting: Waiting = { admit };
      gone?.addEventListener('abort', onGone, { once: true });
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
    first.admit();
  }
}

function busy(): Problem {
  return new Problem(503, 'busy', 'too many questions are being answered', {
    hint: 'ask again in a moment.',
    headers: { 'retry-after': '1' },
  });
}
