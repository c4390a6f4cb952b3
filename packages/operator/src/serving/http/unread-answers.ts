// Answers that were given to the system and not taken by their clients: memory that clients decide about. Bounded for each
// caller and in all. Small ones are not counted: a connection has one at a time, and connections are bounded.
import { Problem } from '../problem.ts';

export interface UnreadLimits {
  /** Bytes, of all callers. */
  readonly mostUnread: number;
  /** Of one caller; a single answer may be larger. */
  readonly mostUnreadOfOne: number;
}

interface Unread {
  readonly caller: string;
  readonly bytes: number;
  /** Ends its connection. */
  readonly drop: () => void;
}

/** What is smaller is not worth counting. */
export const SMALL_ANSWER = 16 * 1024;

export class UnreadAnswers {
  readonly #limits: UnreadLimits;
  readonly #onDrop: () => void;
  /** The oldest first. */
  readonly #answers = new Set<Unread>();
  readonly #ofCallers = new Map<string, number>();
  #bytes = 0;

  /** `onDrop`: an answer was dropped for those of others. */
  constructor(limits: UnreadLimits, onDrop: () => void = () => {}) {
    this.#limits = limits;
    this.#onDrop = onDrop;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Before an answer of that size is sent. Throws 503 `busy` where this caller has too much that it does not take; where
   * all have, the caller with the most loses its oldest answer. Call the result when it was taken, or its connection ended.
   */
  add(caller: string, bytes: number, drop: () => void): () => void {
    const { mostUnread, mostUnreadOfOne } = this.#limits;
    const own = this.#ofCallers.get(caller) ?? 0;
    if (own > 0 && own + bytes > mostUnreadOfOne) throw busy('you do not take the answers that you have asked for');
    while (this.#bytes > 0 && this.#bytes + bytes > mostUnread) {
      const [most, ofMost] = this.#most();
      if (ofMost <= own + bytes) throw busy('too many answers are not taken by those who have asked');
      for (const one of this.#answers) {
        if (one.caller !== most) continue;
        this.#remove(one);
        one.drop();
        this.#onDrop();
        break;
      }
    }
    const unread = { caller, bytes, drop };
    this.#answers.add(unread);
    this.#count(caller, bytes);
    return () => this.#remove(unread);
  }

  #most(): readonly [caller: string, bytes: number] {
    let most: readonly [string, number] = ['', 0];
    for (const one of this.#ofCallers) if (one[1] > most[1]) most = one;
    return most;
  }

  #remove(unread: Unread): void {
    if (this.#answers.delete(unread)) this.#count(unread.caller, -unread.bytes);
  }

  #count(caller: string, bytes: number): void {
    this.#bytes += bytes;
    const own = (this.#ofCallers.get(caller) ?? 0) + bytes;
    if (own === 0) this.#ofCallers.delete(caller);
    else this.#ofCallers.set(caller, own);
  }
}

function busy(why: string): Problem {
  return new Problem(503, 'busy', why, {
    hint: 'read the answers on your connections, then ask again.',
    headers: { 'retry-after': '5' },
  });
}
