// What is said of addresses that nobody had: whether they are outside, and who was around. AnswerWindows asks it where
// its caller wants that; it is read once for all rows that fall between the same two changes, and kept in their window.
// It never says who had an address.
import type { IpSpan, Moment, Snapshot } from '../engines/snapshot.ts';
import type { EpochMillis } from '../model/time.ts';
import type { AddressWindow } from './address-window.ts';
import type { Answer, AnswerKind } from './answer.ts';
import { SeenRanges } from './seen-ranges.ts';
import type { SettledPast } from './settled-past.ts';
import type { WatchedTime } from './watched-time.ts';
import { aboutFree } from './who.ts';
import type { WindowCache } from './window-cache.ts';

/** Nothing, where it is not wanted or the address was not free. */
export type AboutFree = Pick<Answer, 'reason' | 'last' | 'next'> | undefined;

/** For what no window answers. */
export type AskLeft<T> = (snapshot: Snapshot, left: readonly IpSpan[], watched: WatchedTime) => Promise<T[]>;

/** An instant at which nobody had an address. */
interface FreePlace<T> {
  readonly window: AddressWindow<T>;
  readonly at: EpochMillis;
  said: T | undefined;
}

export interface FreePlacesParts<T> {
  readonly windows: WindowCache<T>;
  readonly past: SettledPast<T>;
  /** Of one that was free and is not provisional. */
  readonly format: (about: AboutFree) => T;
  readonly isWanted: boolean;
}

export class FreePlaces<T> {
  readonly #windows: WindowCache<T>;
  readonly #past: SettledPast<T>;
  readonly #format: (about: AboutFree) => T;
  readonly #isWanted: boolean;
  readonly #ranges = new SeenRanges();

  constructor({ windows, past, format, isWanted }: FreePlacesParts<T>) {
    this.#windows = windows;
    this.#past = past;
    this.#format = format;
    this.#isWanted = isWanted;
  }

  /** What is said of an instant at which nobody can have had the address; undefined where that is not known yet. */
  said(window: AddressWindow<T>, place: number, at: number): T | undefined {
    const said = this.#past.nobody.at(at);
    if (!this.#isWanted || !this.#past.nobody.isFree(at)) return said;
    return this.#past.isLate(at) ? undefined : window.freeIn(place);
  }

  /** Reads what is not known of these moments yet. */
  async readUnknown(snapshot: Snapshot, moments: readonly Moment[], watched: WatchedTime): Promise<void> {
    if (this.#isWanted) await this.#read(snapshot, this.#unknown(moments), watched);
  }

  /**
   * Where a window says that nobody had the address, only what is said of such addresses is read, once for all rows that
   * fall between the same two changes. `ask` is for the rest.
   */
  async withRest(
    snapshot: Snapshot,
    stretches: readonly IpSpan[],
    watched: WatchedTime,
    ask: AskLeft<T>,
  ): Promise<T[]> {
    if (!this.#isWanted) return await ask(snapshot, stretches, watched);
    const groups = new Map<string, FreePlace<T>>();
    const keys = stretches.map(({ ip, from, to }) => {
      const window = this.#windows.find(ip);
      if (window === undefined || !this.#isFreeDuring(window, from, to)) return undefined;
      const key = `${ip} ${this.#past.isLate(from) ? `at ${from}` : window.placeOf(from)}`;
      if (!groups.has(key)) groups.set(key, { window, at: from, said: undefined });
      return key;
    });
    const left = stretches.filter((_, i) => keys[i] === undefined);
    const [, rest] = await Promise.all([
      this.#read(snapshot, [...groups.values()], watched),
      left.length === 0 ? [] : ask(snapshot, left, watched),
    ]);
    let next = 0;
    return keys.map((key) => (key === undefined ? rest[next++] : groups.get(key)?.said) as T);
  }

  /** Of those answers that are free, if that is wanted. */
  async about(
    snapshot: Snapshot,
    moments: readonly Moment[],
    answers: readonly { readonly answer: AnswerKind }[],
    watched: WatchedTime,
  ): Promise<readonly AboutFree[]> {
    const found: AboutFree[] = moments.map(() => undefined);
    if (!this.#isWanted) return found;
    const places = moments.flatMap((_, i) => (answers[i]?.answer === 'free' ? [i] : []));
    const free = places.map((i) => moments[i] as Moment);
    const about = await aboutFree(snapshot, free, watched, this.#ranges);
    for (const [n, i] of places.entries()) found[i] = about[n];
    return found;
  }

  /** The next rows about it need not ask again. */
  keep(ip: IpSpan['ip'], from: number, to: number, said: T): void {
    this.#keep(this.#windows.find(ip), from, to, said);
  }

  #keep(window: AddressWindow<T> | undefined, from: number, to: number, said: T): void {
    if (window === undefined || this.#past.isLate(from) || !this.#isFreeDuring(window, from, to)) return;
    window.keepFree(window.placeOf(from), said);
  }

  /** Of these moments, those at which nobody had the address and of which nothing more is known, each place once. */
  #unknown(moments: readonly Moment[]): FreePlace<T>[] {
    const found: FreePlace<T>[] = [];
    let last: { readonly window: AddressWindow<T>; readonly place: number } | undefined;
    for (const { ip, at } of moments) {
      const window = this.#windows.find(ip);
      if (window === undefined || this.#past.isLate(at) || !this.#isFreeDuring(window, at, at)) continue;
      const place = window.placeOf(at);
      if (window.freeIn(place) !== undefined || (last?.window === window && last.place === place)) continue;
      found.push({ window, at, said: undefined });
      last = { window, place };
    }
    return found;
  }

  /** What is said of addresses that nobody had, kept for the next rows about them. */
  async #read(snapshot: Snapshot, places: readonly FreePlace<T>[], watched: WatchedTime): Promise<void> {
    if (places.length === 0) return;
    const moments = places.map(({ window, at }) => ({ ip: window.ip, at }));
    const about = await aboutFree(snapshot, moments, watched, this.#ranges);
    for (const [i, place] of places.entries()) {
      place.said = this.#format(about[i]);
      this.#keep(place.window, place.at, place.at, place.said);
    }
  }

  #isFreeDuring(window: AddressWindow<T>, from: number, to: number): boolean {
    if (from < window.from || to >= window.to || window.edition !== this.#past.edition) return false;
    const place = window.placeOf(from);
    if (!window.isIn(place, to) || window.answers[place] !== undefined) return false;
    return this.#past.nobody.during(from, to) !== undefined && this.#past.nobody.isFree(from);
  }
}
