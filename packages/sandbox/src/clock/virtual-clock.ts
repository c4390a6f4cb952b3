// The time of a sandbox. Everything simulated sets its timers here and nowhere else, so that a day passes in seconds,
// or at the pace of the machine, or step by step in a test, with the same result. It never runs an act inside another.
import { type Timer, TimerQueue } from './timer-queue.ts';
import { machineWall, type Wall } from './wall.ts';

export interface RunOptions {
  /** How long to work before others get the event loop, in milliseconds of the machine. */
  readonly sliceMs?: number;
  /** Called after each slice; what it returns is awaited, so that a slow reader can hold the run back. */
  readonly onSlice?: (now: number) => unknown;
  /** Ends the run early. */
  readonly signal?: AbortSignal;
}

export interface FollowOptions {
  /** Virtual seconds per second of the machine. */
  readonly speed?: number;
  /**
   * The virtual time that it is now. If the clock shows less, what lies between runs at once; if it shows more, it
   * stands still until this time has reached it, and never runs ahead.
   */
  readonly from?: number;
  /** Called when an act throws; without it the error is thrown out of the machine's timer. */
  readonly onError?: (error: unknown) => void;
}

const SLICE_MS = 10;
/** How many acts run between two looks at the machine's clock. */
const ACTS_PER_LOOK = 64;
/** While time follows the machine it is looked after at least this often, so that a slept laptop catches up. */
const LONGEST_NAP_MS = 1000;

/** How time passes: `still` until someone advances it; `following` the machine from an anchor on. */
type Pace =
  | { readonly kind: 'still' }
  | { readonly kind: 'following'; readonly virtual: number; readonly wall: number; readonly speed: number };

export class VirtualClock {
  readonly #wall: Wall;
  readonly #queue = new TimerQueue();
  /** Invariant: never goes back, and no timer that is due earlier is still waiting once an act has seen it. */
  #now: number;
  #pace: Pace = { kind: 'still' };
  #running = false;
  #callOff: (() => void) | undefined;
  #wakeAt = Number.POSITIVE_INFINITY;
  #onError: ((error: unknown) => void) | undefined;

  constructor(start: number, wall: Wall = machineWall) {
    this.#now = start;
    this.#wall = wall;
  }

  now(): number {
    if (this.#pace.kind === 'following' && !this.#running) this.#now = Math.max(this.#now, this.#followed());
    return this.#now;
  }

  at(time: number, act: () => void): Timer {
    const timer = this.#queue.add(Math.max(time, this.#now), act);
    if (this.#pace.kind === 'following' && !this.#running && timer.at < this.#wakeAt) this.#arm();
    return timer;
  }

  in(delayMs: number, act: () => void): Timer {
    return this.at(this.now() + delayMs, act);
  }

  /** Runs everything that is due until `time`, which is then the time. */
  advanceTo(time: number): void {
    this.#work(time, Number.POSITIVE_INFINITY);
  }

  advanceBy(ms: number): void {
    this.advanceTo(this.#now + ms);
  }

  /**
   * As fast as it goes until `target`, letting others work too. A target that moves, like the machine's own time, is
   * reached when all its past has been lived: what it moves on meanwhile is for `follow`.
   */
  async runUntil(target: number | (() => number), options: RunOptions = {}): Promise<void> {
    const { sliceMs = SLICE_MS, onSlice, signal } = options;
    const aim = typeof target === 'number' ? () => target : target;
    for (let reached = false; !reached && signal?.aborted !== true; ) {
      const time = aim();
      this.#work(time, this.#wall.now() + sliceMs);
      reached = this.#now >= time;
      await this.#wall.breathe();
      await onSlice?.(this.#now);
    }
  }

  /** From now on time passes by itself. Returns what makes it stand still. */
  follow(options: FollowOptions = {}): () => void {
    this.stop();
    this.#onError = options.onError;
    const virtual = options.from ?? this.#now;
    this.#pace = { kind: 'following', virtual, wall: this.#wall.now(), speed: options.speed ?? 1 };
    this.#arm();
    return () => this.stop();
  }

  /** Time stands still until someone moves it; nothing of the machine is held any longer. */
  stop(): void {
    this.#now = this.now();
    this.#pace = { kind: 'still' };
    this.#callOff?.();
    this.#callOff = undefined;
    this.#wakeAt = Number.POSITIVE_INFINITY;
  }

  /** Runs what is due until `time` or until the machine's clock shows `deadline`. */
  #work(time: number, deadline: number): void {
    if (this.#running) throw new Error('the clock is advanced by an act that it runs: set a timer instead');
    this.#running = true;
    try {
      for (let acts = 1; ; acts++) {
        const timer = this.#queue.takeDue(time);
        if (timer === undefined) break;
        if (timer.at > this.#now) this.#now = timer.at;
        timer.act?.();
        if (acts % ACTS_PER_LOOK === 0 && this.#wall.now() >= deadline) return;
      }
      if (time > this.#now) this.#now = time;
    } finally {
      this.#running = false;
    }
  }

  #followed(): number {
    const pace = this.#pace;
    if (pace.kind === 'still') return this.#now;
    return pace.virtual + (this.#wall.now() - pace.wall) * pace.speed;
  }

  #arm(): void {
    const pace = this.#pace;
    if (pace.kind === 'still') return;
    this.#callOff?.();
    const next = this.#queue.peek()?.at ?? Number.POSITIVE_INFINITY;
    this.#wakeAt = next;
    const nap = Math.min(Math.max(0, (next - this.#followed()) / pace.speed), LONGEST_NAP_MS);
    this.#callOff = this.#wall.after(nap, () => this.#wake());
  }

  #wake(): void {
    this.#callOff = undefined;
    try {
      this.#work(this.#followed(), this.#wall.now() + SLICE_MS);
    } catch (error) {
      if (this.#onError === undefined) throw error;
      this.#onError(error);
    } finally {
      this.#arm();
    }
  }
}
