// The time by which the ledger is written: the API server's. Every answer has its `Date`; between two of them the
// monotonic clock goes on, which nobody can set. The machine's wall clock gives the milliseconds, as long as it agrees.
// While it is not known what time it is (before the first answer, after a jump) nothing is stamped and nothing claimed.
import { type EpochMillis, epochMillis } from '@podtrail/history';
import type { Clock, ServerDate, Timer } from '@podtrail/machinery';
import { SteadyClock } from './steady-clock.ts';

/** The machine's clock may differ from the server's by so much; times in objects have whole seconds, too. */
const CLOCK_TOLERANCE_MS = 2_000;
/** Wall and monotonic clock may drift apart by this much between two readings; more is a jump. */
const JUMP_MS = 5_000;
/** A quartz is off by a twentieth of this. */
const DRIFT = 0.0005;
/** One of several API servers may be wrong; one that is wrong so many times in a row is the server now. */
const PERSISTENT = 3;
/** So many answers without a date, and the server does not report its time. */
const UNDATED = 3;
/** A server's clock that is set back by no more than this had drifted, and was not wrong for long. */
const CORRECTION_MS = 60_000;
/** Of a `Date`. */
const RESOLUTION_MS = 1_000;

/** What the server's clock is ahead of the monotonic one, at least and at most. */
interface Bounds {
  readonly lo: number;
  readonly hi: number;
  /** By the monotonic clock. */
  readonly at: number;
}

type State =
  /** Nothing is known of the server's time. Left by its first answer. */
  | { readonly kind: 'unasked' }
  /** Left by a jump of the machine's clock (`doubted`), or by an answer that says otherwise (`stepped`). */
  | { readonly kind: 'agreed'; readonly bounds: Bounds }
  /** The machine's clock jumped: it was set, or the machine slept. Left by an answer to a question sent after it. */
  | { readonly kind: 'doubted'; readonly bounds: Bounds; readonly since: number; readonly jumpMs: number }
  /** The time is known, and is not the one that was written by. Left by `corrected`. */
  | { readonly kind: 'stepped'; readonly bounds: Bounds; readonly step: Step }
  /** The server's answers have no date. The machine's own clock counts, as far as it is steady. Left by a date. */
  | { readonly kind: 'unserved' };

/** The ledger's time has to change by more than the clocks' tolerance. */
export interface Step {
  /** What was written after this is not right; undefined: it was written before this process, and is not known. */
  readonly since: EpochMillis | undefined;
  /** The machine's own clock says the same as the server. */
  readonly isAgreed: boolean;
  /** What was written lies in the future. Else the time has only gone ahead, and nothing that was written is wrong. */
  readonly isBack: boolean;
}

export class LedgerClock implements Clock {
  readonly #clock: Clock;
  readonly #own: SteadyClock;
  #state: State = { kind: 'unasked' };
  /** The latest time that was stamped, or that an earlier recorder had stamped. */
  #last: number;
  /** Since when this process has written by what it now takes for the time. */
  #regime: number | undefined;
  #offset: number;
  /** The latest time that was stamped while both clocks agreed. */
  #agreed: number | undefined;
  #undated = 0;
  #against = 0;
  #created = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, notBefore: number) {
    this.#clock = clock;
    this.#own = new SteadyClock(clock, notBefore);
    this.#last = notBefore;
    this.#offset = this.#wallOffset();
  }

  /** The best that is known, for logs and ages. What goes into the ledger is stamped by `certain`. */
  now(): number {
    const { bounds } = this.#state as { bounds?: Bounds };
    return this.#clock.monotonic() + (bounds === undefined ? this.#wallOffset() : this.#serverOffset(bounds));
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimer(ms: number, fire: () => void, keepAlive?: boolean): Timer {
    return this.#clock.setTimer(ms, fire, keepAlive);
  }

  /** The time to write into the ledger; undefined while that is not known. Invariant: never goes back, but by a step. */
  certain(): EpochMillis | undefined {
    this.#watchForJumps();
    const state = this.#state;
    if (state.kind === 'unserved') return this.#stamp(this.#own.now());
    if (state.kind !== 'agreed') return undefined;
    const at = this.#stamp(this.#clock.monotonic() + this.#serverOffset(state.bounds));
    if (isNear(this.#wallOffset(), state.bounds)) this.#agreed = at;
    return at;
  }

  /** What an answer of the server said. */
  sample({ date, sentAt, receivedAt }: ServerDate): void {
    if (date === undefined) {
      if (++this.#undated >= UNDATED && this.#state.kind === 'unasked') this.#state = { kind: 'unserved' };
      return;
    }
    this.#watchForJumps();
    const sample: Bounds = { lo: date - receivedAt, hi: date + RESOLUTION_MS - sentAt, at: receivedAt };
    const state = this.#state;
    switch (state.kind) {
      case 'unasked':
      case 'unserved':
        this.#begin(sample);
        return;
      case 'stepped':
        this.#state = { ...state, bounds: sample };
        return;
      case 'doubted':
        // An answer to a question of before the jump says nothing of it.
        if (sentAt < state.since) return;
        this.#compare(state.bounds, sample, true);
        return;
      case 'agreed':
        this.#compare(state.bounds, sample, false);
    }
  }

  /** The server wrote this as the time of creation of something that is new: its clock was there already. */
  created(at: number): void {
    this.#created = Math.max(this.#created, at - this.#clock.monotonic());
  }

  get step(): Step | undefined {
    return this.#state.kind === 'stepped' ? this.#state.step : undefined;
  }

  /** What was written by the wrong time has been taken back; the ledger goes on at this time. */
  corrected(): EpochMillis {
    const { bounds } = this.#state as { bounds: Bounds };
    const at = this.#clock.monotonic() + this.#serverOffset(bounds);
    const since = this.step?.since;
    this.#state = { kind: 'agreed', bounds };
    // A clock that was set ahead is mostly set back soon: then all of that time was wrong.
    this.#regime = since !== undefined && since < at ? since : at;
    this.#last = Math.trunc(at);
    this.#agreed = undefined;
    return epochMillis(at);
  }

  /** A sentence while it is not known what time it is. */
  get doubt(): string | undefined {
    const state = this.#state;
    switch (state.kind) {
      case 'unasked':
        return 'the API server has not said what time it is';
      case 'doubted':
        return `the clock of this machine has jumped by ${seconds(state.jumpMs)}, and the API server has not said what time it is`;
      case 'stepped':
        return "the API server's time is not the one that was recorded by";
      case 'unserved': {
        const behind = this.#created - this.#wallOffset();
        if (behind > CLOCK_TOLERANCE_MS)
          return `objects were created ${seconds(behind)} after what the clock of this machine says`;
        return this.#own.doubt;
      }
      default:
        return undefined;
    }
  }

  /** Why nothing may be removed for its age; undefined when that may be. */
  get ageDoubt(): string | undefined {
    return this.#state.kind === 'unserved' ? 'the API server does not say what time it is' : this.doubt;
  }

  /** How far the machine's clock is ahead of the server's, at least; negative when behind; undefined when not known. */
  get aheadMs(): number | undefined {
    const { bounds } = this.#state as { bounds?: Bounds };
    if (bounds === undefined) return undefined;
    const wall = this.#wallOffset();
    return wall > bounds.hi ? wall - bounds.hi : wall < bounds.lo ? wall - bounds.lo : 0;
  }

  /** A sentence while the machine's clock is wrong and the server's is recorded in its place. */
  get warning(): string | undefined {
    const ahead = this.aheadMs ?? 0;
    if (Math.abs(ahead) <= CLOCK_TOLERANCE_MS) return undefined;
    const side = ahead > 0 ? 'ahead of' : 'behind';
    return `the clock of this machine is ${seconds(Math.abs(ahead))} ${side} the API server's, whose time is recorded instead`;
  }

  #begin(sample: Bounds): void {
    const at = sample.at + this.#serverOffset(sample);
    const isAhead = this.#last > at + CLOCK_TOLERANCE_MS;
    // In a process that had no server's time before, its own times are the wrong ones; else an earlier one's.
    const since = this.#state.kind === 'unserved' && this.#regime !== undefined ? epochMillis(this.#regime) : undefined;
    const step: Step = { since, isAgreed: isNear(this.#wallOffset(), sample), isBack: true };
    this.#state = isAhead ? { kind: 'stepped', bounds: sample, step } : { kind: 'agreed', bounds: sample };
  }

  #compare(before: Bounds, sample: Bounds, isDoubted: boolean): void {
    const drift = DRIFT * Math.max(0, sample.at - before.at);
    const lo = Math.max(before.lo - drift, sample.lo);
    const hi = Math.min(before.hi + drift, sample.hi);
    if (lo <= hi + CLOCK_TOLERANCE_MS) {
      this.#against = 0;
      this.#state = { kind: 'agreed', bounds: lo <= hi ? { lo, hi, at: sample.at } : sample };
      return;
    }
    const isAgreed = isNear(this.#wallOffset(), sample);
    // Another API server with a wrong clock says what neither the machine nor the one before do.
    if (!isDoubted && !isAgreed && ++this.#against < PERSISTENT) return;
    this.#against = 0;
    const at = sample.at + this.#serverOffset(sample);
    const since = epochMillis(this.#wrongSince(at, isDoubted));
    this.#state = { kind: 'stepped', bounds: sample, step: { since, isAgreed, isBack: at < this.#last } };
  }

  /** `isDoubted`: both clocks moved, as they do where they are one. Then it says nothing that they had agreed. */
  #wrongSince(at: number, isDoubted: boolean): number {
    const back = this.#last - at;
    // Ahead: nothing was watched in the time that never was.
    if (back <= 0) return this.#last;
    // A drift that is corrected: only what comes twice is taken back.
    if (back <= CORRECTION_MS) return at - back;
    const began = this.#regime ?? at;
    return Math.min(at, isDoubted ? began : Math.max(began, this.#agreed ?? began));
  }

  #serverOffset(bounds: Bounds): number {
    const wall = this.#wallOffset();
    return isNear(wall, bounds) ? wall : (bounds.lo + bounds.hi) / 2;
  }

  #stamp(time: number): EpochMillis {
    this.#last = Math.max(this.#last, Math.trunc(time));
    this.#regime ??= this.#last;
    return epochMillis(this.#last);
  }

  #watchForJumps(): void {
    const offset = this.#wallOffset();
    const jumpMs = offset - this.#offset;
    this.#offset = offset;
    if (Math.abs(jumpMs) <= JUMP_MS || (this.#state.kind !== 'agreed' && this.#state.kind !== 'doubted')) return;
    this.#state = { kind: 'doubted', bounds: this.#state.bounds, since: this.#clock.monotonic(), jumpMs };
  }

  #wallOffset(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}

function isNear(offset: number, { lo, hi }: Bounds): boolean {
  return offset >= lo - CLOCK_TOLERANCE_MS && offset <= hi + CLOCK_TOLERANCE_MS;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
