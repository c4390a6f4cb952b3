// How many questions are on the store at once. The next ones wait in a queue; whoever would wait too long, or in a queue
// that is full, is sent away with 503: a server that says no at once is of more use than one that answers late. One caller
// may have some of the places only, in the queue too, so that questions that read for long do not keep everybody else
// waiting.
import { Problem } from '../problem.ts';

export interface QuestionGateOptions {
  readonly atOnce: number;
  readonly mostWaiting: number;
  readonly waitMs: number;
  /** Places of one caller at once; undefined: all of them. */
  readonly mostOfOne?: number | undefined;
  /** Of one caller in the queue; undefined: all of it. */
  readonly mostWaitingOfOne?: number | undefined;
}

/** Who waits for an answer. */
export interface Abandonable {
  /** Aborts when nobody waits for it any more. Looked at only where there is a queue. */
  readonly gone: AbortSignal;
  /** Undefined: nobody's places are counted. */
  readonly caller?: { readonly name: string } | undefined;
}

interface Waiting {
  readonly admit: () => void;
  /** Sends it away. */
  readonly displace: () => void;
  readonly caller: string | undefined;
}

export class QuestionGate {
  readonly #options: QuestionGateOptions;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  readonly #ofCallers = new Map<string, number>();
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
    const caller = request?.caller?.name;
    if (this.#hasPlace(caller)) this.#take(caller);
    else await this.#wait(request?.gone, caller);
    try {
      return await ask();
    } finally {
      this.#leave(caller);
    }
  }

  #hasPlace(caller: string | undefined): boolean {
    const { atOnce, mostOfOne = atOnce } = this.#options;
    return this.#asking < atOnce && (caller === undefined || (this.#ofCallers.get(caller) ?? 0) < mostOfOne);
  }

  #take(caller: string | undefined): void {
    this.#asking++;
    if (caller !== undefined) this.#ofCallers.set(caller, (this.#ofCallers.get(caller) ?? 0) + 1);
  }

  #wait(gone: AbortSignal | undefined, caller: string | undefined): Promise<void> {
    const { mostWaiting, waitMs } = this.#options;
    if (gone?.aborted === true) return Promise.reject(gone.reason);
    if (!this.#mayWait(caller) || (this.#waiting.size >= mostWaiting && !this.#displaceFor(caller)))
      return Promise.reject(busy());
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
      const waiting: Waiting = { admit, displace: () => leave(busy()), caller };
      gone?.addEventListener('abort', onGone, { once: true });
      this.#waiting.add(waiting);
    });
  }

  #mayWait(caller: string | undefined): boolean {
    const { mostWaitingOfOne } = this.#options;
    return mostWaitingOfOne === undefined || caller === undefined || this.#waitingOf(caller) < mostWaitingOfOne;
  }

  #waitingOf(caller: string): number {
    let count = 0;
    for (const waiting of this.#waiting) if (waiting.caller === caller) count++;
    return count;
  }

  /** Of a full queue: whoever has none waiting takes the place of the newest of who has most, if that is several. */
  #displaceFor(caller: string | undefined): boolean {
    if (this.#options.mostWaitingOfOne === undefined || caller === undefined) return false;
    const counts = new Map<string, number>();
    let most: Waiting | undefined;
    let ofMost = 1;
    for (const waiting of this.#waiting) {
      if (waiting.caller === caller) return false;
      if (waiting.caller === undefined) continue;
      const count = (counts.get(waiting.caller) ?? 0) + 1;
      counts.set(waiting.caller, count);
      // The last one that is seen of a caller is its newest.
      if (count > ofMost || (count === ofMost && waiting.caller === most?.caller)) [most, ofMost] = [waiting, count];
    }
    most?.displace();
    return most !== undefined;
  }

  /** The place goes to who has waited longest of those who may have one, so that nobody comes in between. */
  #leave(caller: string | undefined): void {
    this.#asking--;
    if (caller !== undefined) {
      const left = (this.#ofCallers.get(caller) ?? 1) - 1;
      if (left === 0) this.#ofCallers.delete(caller);
      else this.#ofCallers.set(caller, left);
    }
    for (const waiting of this.#waiting) {
      if (!this.#hasPlace(waiting.caller)) continue;
      this.#waiting.delete(waiting);
      this.#take(waiting.caller);
      waiting.admit();
      return;
    }
  }
}

function busy(): Problem {
  return new Problem(503, 'busy', 'too many questions are being answered', {
    hint: 'ask again in a moment.',
    headers: { 'retry-after': '1' },
  });
}
