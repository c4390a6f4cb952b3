// The machine's own clock, for a server that does not say what time it is (ledger-clock.ts is the rule): the wall clock,
// but never back, because intervals must not turn negative when somebody sets the time. The monotonic clock, which only
// measures, shows that it was set. A clock that jumps is believed, because what arrives cannot have happened later; but
// until it has gone on evenly for a while, nothing may be claimed to have been watched by it.
import { type EpochMillis, epochMillis } from '@podtrail/history';
import type { Clock } from '@podtrail/machinery';

/** Wall and monotonic clock may drift apart by this much between two readings. */
const JUMP_MS = 5_000;
/** A clock that was set ahead by mistake is mostly set back soon. */
const PROVING_MS = 60_000;

export class SteadyClock {
  readonly #clock: Clock;
  #last: number;
  #wall: number;
  #monotonic: number;
  #jumpedAt: number | undefined;
  #jumpMs = 0;
  #behindMs = 0;

  constructor(clock: Clock, notBefore: number) {
    this.#clock = clock;
    this.#last = notBefore;
    this.#wall = clock.now();
    this.#monotonic = clock.monotonic();
  }

  now(): EpochMillis {
    const wall = this.#clock.now();
    const monotonic = this.#clock.monotonic();
    const jump = wall - this.#wall - (monotonic - this.#monotonic);
    if (Math.abs(jump) > JUMP_MS) {
      this.#jumpMs = jump;
      this.#jumpedAt = monotonic;
    }
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.#behindMs = Math.max(0, this.#last - wall);
    this.#last = Math.max(this.#last, wall);
    return epochMillis(this.#last);
  }

  /** A sentence while the clock cannot be relied on: it has jumped lately, or is behind what was already said. */
  get doubt(): string | undefined {
    if (this.#behindMs > JUMP_MS) return `the clock of this machine is ${seconds(this.#behindMs)} behind what it said`;
    const isProving = this.#jumpedAt !== undefined && this.#clock.monotonic() - this.#jumpedAt < PROVING_MS;
    return isProving ? `the clock of this machine has jumped by ${seconds(this.#jumpMs)}` : undefined;
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
