// The answers that are kept for one address, and those for addresses that nobody held. Looking one up allocates nothing.
import type { IpAddress } from '../model/ip-address.ts';
import type { EpochMillis } from '../model/time.ts';
import type { AnsweredHolder, AnswerKind } from './answer.ts';
import { judge } from './judge.ts';
import type { WatchedTime } from './watched-time.ts';

const NONE: readonly never[] = [];

export class AddressWindow<T> {
  readonly ip: IpAddress;
  /** Known in [from, to). */
  from = 0;
  to = 0;
  /** Sorted. `answers[i]` holds from `bounds[i - 1]` to `bounds[i]`; undefined where nobody can have held it. */
  #bounds: readonly number[] = NONE;
  answers: readonly (T | undefined)[] = NONE;
  edition = 0;
  /** What is said of it where nobody had it, by the place among the bounds; undefined: not asked yet. */
  #free: (T | undefined)[] | undefined;
  /** Instants that are asked for and not known yet; the first is greater than the last when there are none. */
  wantedFrom = Number.POSITIVE_INFINITY;
  wantedTo = Number.NEGATIVE_INFINITY;
  /** [from, to) that is being read. */
  readFrom = 0;
  readTo = 0;
  /** How much is read beyond what is asked for; 0 before the first time. */
  ahead = 0;
  /** So much happened to it that it is asked for row by row. */
  isTooFull = false;

  constructor(ip: IpAddress) {
    this.ip = ip;
  }

  /** Instants with the same place have the same answer. */
  placeOf(at: number): number {
    return placeOf(this.#bounds, at);
  }

  /** Whether an instant that is not before the place belongs to it. */
  isIn(place: number, at: number): boolean {
    return at < (this.#bounds[place] ?? Number.POSITIVE_INFINITY);
  }

  freeIn(place: number): T | undefined {
    return this.#free?.[place];
  }

  keepFree(place: number, said: T): void {
    this.#free ??= [];
    this.#free[place] = said;
  }

  set(from: number, to: number, bounds: readonly number[], answers: readonly (T | undefined)[], edition: number): void {
    this.from = from;
    this.to = to;
    this.#bounds = bounds;
    this.answers = answers;
    this.#free = undefined;
    this.edition = edition;
    this.readTo = 0;
  }

  giveUp(): void {
    this.isTooFull = true;
    this.set(0, 0, NONE, NONE, this.edition);
  }
}

/** What is said of an address that nobody can have held: it depends on what was being watched, and on nothing else. */
export class NobodyThere<T> {
  readonly #answers = new Map<AnswerKind, T>();
  readonly #format: (answer: AnswerKind, holders: readonly AnsweredHolder[]) => T;
  #bounds: readonly number[] = NONE;
  #said: readonly T[] = NONE;
  #kinds: readonly AnswerKind[] = NONE;
  /** Where the last one was found: logs go on in time. */
  #place = 0;

  constructor(format: (answer: AnswerKind, holders: readonly AnsweredHolder[]) => T) {
    this.#format = format;
  }

  /** `changes` are the instants at which it may change, in any order. */
  set(watched: WatchedTime, changes: readonly number[], now: EpochMillis | undefined): void {
    const bounds = [...new Set(changes)].sort((a, b) => a - b);
    const before = (bounds[0] ?? 0) - 1;
    this.#kinds = [before, ...bounds].map((at) => judge([], watched, at as EpochMillis, now).answer);
    this.#said = this.#kinds.map((kind) => this.#answer(kind));
    this.#bounds = bounds;
    this.#place = 0;
  }

  at(at: number): T {
    const bounds = this.#bounds;
    const place = this.#place;
    const isHere =
      (place === 0 || (bounds[place - 1] as number) <= at) && at < (bounds[place] ?? Number.POSITIVE_INFINITY);
    if (!isHere) this.#place = placeOf(bounds, at);
    return this.#said[this.#place] as T;
  }

  isFree(at: number): boolean {
    this.at(at);
    return this.#kinds[this.#place] === 'free';
  }

  /** Undefined when it changes between the two. */
  during(from: number, to: number): T | undefined {
    const said = this.at(from);
    return to < (this.#bounds[this.#place] ?? Number.POSITIVE_INFINITY) ? said : undefined;
  }

  #answer(answer: AnswerKind): T {
    let known = this.#answers.get(answer);
    if (known === undefined) this.#answers.set(answer, (known = this.#format(answer, NONE)));
    return known;
  }
}

/** How many bounds are not later than the instant. */
function placeOf(bounds: readonly number[], at: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bounds[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
