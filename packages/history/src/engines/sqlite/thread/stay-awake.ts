// How long the store's thread stays awake after an answer. Whoever reads one record after the other would wait each time
// until the thread is woken, which on an idle machine takes longer than the answer. Called by store-thread.ts; answers
// nothing itself.
import { isOfSnapshots, type Request } from './messages.ts';

const AWAKE_MS = 0.15;

export interface StayAwakeSeams {
  now(): number;
  /** In the next turn of the event loop. */
  turn(body: () => void): void;
}

const REAL: StayAwakeSeams = { now: () => performance.now(), turn: (body) => void setImmediate(body) };

export class StayAwake {
  readonly #seams: StayAwakeSeams;
  #until = 0;
  #isAwake = false;

  constructor(seams: StayAwakeSeams = REAL) {
    this.#seams = seams;
  }

  get isAwake(): boolean {
    return this.#isAwake;
  }

  /** After the answers to a message of requests. */
  after(requests: readonly Request[]): void {
    if (!requests.every(isOfSnapshots)) return;
    // The end of a snapshot says nothing new: whoever read from it may open the next one.
    if (!this.#isAwake && !requests.some(isFollowedSoon)) return;
    this.#until = this.#seams.now() + AWAKE_MS;
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#turn();
  }

  #turn(): void {
    this.#seams.turn(() => {
      this.#isAwake = this.#seams.now() < this.#until;
      if (this.#isAwake) this.#turn();
    });
  }
}

/** A server asks for points in batches: the next one is on its way already, or needs no hurry, and cores are short. */
function isFollowedSoon(request: Request): boolean {
  return Array.isArray(request) && request[2] !== 'points';
}
