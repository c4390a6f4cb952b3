// who, for the many rows of a log: the answers of an address are the same from one boundary to the next, so they are
// worked out once for a window of time and then only looked up. `podtrail attribute` is the caller. Only time that has
// been reported to the end is kept, because there hardly anything more comes (a correction, or a doubt that is resolved, may: then the next run knows); the rest is asked for row by row.
import type { IpSpan, LedgerReader, Moment, Snapshot } from '../engines/snapshot.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Coverage, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis, REPORTING_LAG_MS } from '../model/time.ts';
import { AddressWindow, NobodyThere } from './address-window.ts';
import type { Answer, AnsweredHolder, AnswerKind } from './answer.ts';
import { answersWithin, type SpanAnswers } from './answers-within.ts';
import { DAMAGED, eachUnlessDamaged, unlessDamaged } from './damage.ts';
import { confirmedUntil } from './judge.ts';
import { LARGEST_PAGE } from './limits.ts';
import { isShown } from './narrow.ts';
import { SeenRanges, SHOWN_WITHIN_MS } from './seen-ranges.ts';
import { readTenuresAtMany, readTenuresOfIps } from './tenure-reads.ts';
import { ALL_VISIBLE, isHolderVisible, type Visibility } from './visibility.ts';
import { type WatchedTime, watchedTime } from './watched-time.ts';
import { aboutFree, answerFrom, damagedAnswer } from './who.ts';
import { damagedDuring, duringFrom, type Overlap } from './who-during.ts';

export interface AnswerWindowsOptions<T> {
  readonly cluster: string;
  /** The asker's clock, as for `who`. */
  readonly now?: EpochMillis | undefined;
  /** What the caller makes of an answer; made once for many rows, and kept instead of the answer unless provisional. */
  format(
    answer: AnswerKind,
    holders: readonly AnsweredHolder[],
    provisional: boolean,
    /** With a stretch of time: the part of it that each of the holders may have had. */
    overlaps?: readonly Overlap[],
    /** With `free`, where `aboutFree` is wanted. */
    free?: Pick<Answer, 'reason' | 'last' | 'next'>,
    /** As Answer has it. */
    isOnly?: boolean,
  ): T;
  /** Whether more than that is wanted of addresses that nobody had: whether they are outside, and who was around. */
  readonly aboutFree?: boolean;
  /** What the asker may see; everything unless it says otherwise. */
  readonly visibility?: Visibility;
  /** For tests: how many answers may be kept. */
  readonly mostKept?: number;
}

/** What was asked for of a window. */
interface Wanted<T> {
  readonly window: AddressWindow<T>;
  readonly wantedFrom: number;
  readonly wantedTo: number;
}

/** How far the ledger of a snapshot is settled. */
interface Looked {
  readonly edition: number;
  readonly watched: WatchedTime;
}

/** An instant at which nobody had an address. */
interface FreePlace<T> {
  readonly window: AddressWindow<T>;
  readonly at: EpochMillis;
  said: T | undefined;
}

/** For what no window answers. */
type AskLeft<T> = (snapshot: Snapshot, left: readonly IpSpan[], watched: WatchedTime) => Promise<T[]>;

/** Logs are mostly in order of time: an address is read so far ahead, and the further the more often it comes. */
const FIRST_AHEAD_MS = 6 * 3_600_000;
const MOST_AHEAD_MS = 7 * 86_400_000;
const AHEAD_GROWTH = 4;
/** And so far back, for rows that come late. */
const BEHIND_MS = 10 * 60_000;
const MOST_KEPT = 400_000;
/** What a window without answers weighs. */
const WINDOW_WEIGHT = 2;

export class AnswerWindows<T> {
  readonly #reader: Pick<LedgerReader, 'snapshot'>;
  readonly #options: AnswerWindowsOptions<T>;
  readonly #mostKept: number;
  readonly #nobody: NobodyThere<T>;
  readonly #ranges = new SeenRanges();
  /** Those that were used of late, and those of before: what is not used until the next change of generations goes. */
  #young = new Map<number | IpAddress, AddressWindow<T>>();
  #old = new Map<number | IpAddress, AddressWindow<T>>();
  #weight = 0;
  #wanted: AddressWindow<T>[] = [];
  #settled = Number.POSITIVE_INFINITY;
  #past = '';
  /** Windows of another edition were read when the past was another: retention has taken something from it. */
  #edition = 0;

  constructor(reader: Pick<LedgerReader, 'snapshot'>, options: AnswerWindowsOptions<T>) {
    this.#reader = reader;
    this.#options = narrowedOptions(options);
    this.#mostKept = options.mostKept ?? MOST_KEPT;
    this.#nobody = new NobodyThere((answer, holders) => this.#options.format(answer, holders, false));
  }

  /** The window of an address; an IPv4 address may be given as its 32 bits, signed. */
  of(key: number | IpAddress): AddressWindow<T> {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const window = this.#old.get(key) ?? new AddressWindow<T>(typeof key === 'number' ? ipv4Text(key) : key);
    this.#young.set(key, window);
    this.#weight += window.answers.length + WINDOW_WEIGHT;
    if (this.#weight > this.#mostKept / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    return window;
  }

  /** Says that `answer` will be called with this; `read` then sees to it. */
  want(window: AddressWindow<T>, at: number): void {
    if ((window.from <= at && at < window.to && window.edition === this.#edition) || at >= this.#settled) return;
    if (window.readFrom <= at && at < window.readTo) return;
    if (window.wantedFrom > window.wantedTo) this.#wanted.push(window);
    if (at < window.wantedFrom) window.wantedFrom = at;
    if (at > window.wantedTo) window.wantedTo = at;
  }

  /** The same for `answerDuring`. */
  wantDuring(window: AddressWindow<T>, from: number, to: number): void {
    if ((window.from <= from && to < window.to && window.edition === this.#edition) || to >= this.#settled) return;
    if (window.readFrom <= from && to < window.readTo) return;
    if (window.wantedFrom > window.wantedTo) this.#wanted.push(window);
    if (from < window.wantedFrom) window.wantedFrom = from;
    if (to > window.wantedTo) window.wantedTo = to;
  }

  /** Reads what is wanted by now. The next call need not wait for this one. */
  async read(): Promise<void> {
    const windows = this.#wanted;
    this.#wanted = [];
    let wanted: readonly Wanted<T>[] | undefined;
    await this.#ask(async (snapshot) => {
      const looked = await this.#look(snapshot);
      // Only now: what is wanted of these windows until then is read with the rest, and not apart from it.
      wanted ??= windows.map(takeWanted);
      await this.#read(snapshot, wanted, looked);
    });
  }

  async #read(snapshot: Snapshot, wanted: readonly Wanted<T>[], { edition, watched }: Looked): Promise<void> {
    const windows: AddressWindow<T>[] = [];
    const asked: IpSpan[] = [];
    const moments: Moment[] = [];
    for (const { window, wantedFrom, wantedTo } of wanted) {
      const { ip } = window;
      const span = this.#spanFor(window, wantedFrom, wantedTo);
      if (span === undefined) continue;
      window.readFrom = span.from;
      window.readTo = span.to;
      windows.push(window);
      asked.push(span);
      moments.push({ ip, at: epochMillis(wantedFrom) });
      if (wantedTo !== wantedFrom) moments.push({ ip, at: epochMillis(wantedTo) });
    }
    if (asked.length === 0) return;
    const found = await eachUnlessDamaged(asked, (some) => readTenuresOfIps(snapshot, some, LARGEST_PAGE));
    const late: Promise<void>[] = [];
    for (let i = 0; i < asked.length; i++) {
      const window = windows[i] as AddressWindow<T>;
      // A gap has taken back what was settled: those rows are asked for one by one.
      if (window.readTo > this.#settled) {
        window.readTo = 0;
        continue;
      }
      // What is damaged somewhere in the window may be whole at a moment of it: that is asked for row by row.
      const tenures = found[i] === DAMAGED ? undefined : (found[i] as readonly Tenure[] | undefined);
      const filling = this.#fill(snapshot, window, asked[i] as IpSpan, tenures, edition, watched);
      if (filling !== undefined) late.push(filling);
    }
    await Promise.all(late);
    // Now, while other rows are written, rather than when the first row waits for it.
    if (this.#options.aboutFree === true) await this.#readFree(snapshot, this.#unknownFree(moments), watched);
  }

  /** Undefined where no window can tell: such moments are for `askEach`. */
  answer(window: AddressWindow<T>, at: number): T | undefined {
    if (at < window.from || at >= window.to || window.edition !== this.#edition) return undefined;
    const place = window.placeOf(at);
    return window.answers[place] ?? this.#ofNobody(window, place, at);
  }

  #ofNobody(window: AddressWindow<T>, place: number, at: number): T | undefined {
    const said = this.#nobody.at(at);
    if (this.#options.aboutFree !== true || !this.#nobody.isFree(at)) return said;
    return this.#isLate(at) ? undefined : window.freeIn(place);
  }

  /**
   * What holds at every instant from `from` to `to`, both included; undefined where no window can tell, or where it
   * changes in between: such stretches are for `askEachDuring`.
   */
  answerDuring(window: AddressWindow<T>, from: number, to: number): T | undefined {
    if (from < window.from || to >= window.to || window.edition !== this.#edition) return undefined;
    const place = window.placeOf(from);
    if (!window.isIn(place, to)) return undefined;
    const said = window.answers[place];
    if (said !== undefined || this.#nobody.during(from, to) === undefined) return said;
    return this.#ofNobody(window, place, from);
  }

  /** As `whoDuring` asks, for the stretches that no window answers; both ends belong to them. */
  async askEachDuring(stretches: readonly IpSpan[]): Promise<T[]> {
    return await this.#withFree(stretches, (snapshot, left, watched) => this.#askDuring(snapshot, left, watched));
  }

  async #askDuring(snapshot: Snapshot, stretches: readonly IpSpan[], watched: WatchedTime): Promise<T[]> {
    const { now, format, visibility } = this.#options;
    const spans = stretches.map(({ ip, from, to }) => ({ ip, from, to: epochMillis(to + 1) }));
    const found = await eachUnlessDamaged(spans, (some) => readTenuresOfIps(snapshot, some, LARGEST_PAGE));
    const answers = await Promise.all(
      stretches.map(async (stretch, i) => {
        const question = { ...stretch, now };
        const tenures = found[i];
        // Too many to tell; for who may not see them all, that there are so many is none of the answer.
        const isHidden = tenures === undefined && visibility?.kind === 'namespaces';
        const isRead = tenures !== DAMAGED && !isHidden;
        const read = isRead ? unlessDamaged(() => duringFrom(snapshot, question, tenures, watched)) : undefined;
        return (await read) ?? damagedDuring(snapshot.cluster, question);
      }),
    );
    const moments = stretches.map(({ ip, from }) => ({ ip, at: from }));
    const free = await this.#aboutFree(snapshot, moments, answers, watched);
    return answers.map(({ answer, holders, provisional, isOnly }, i) => {
      const overlaps = holders.map(({ overlap }) => overlap);
      const said = format(answer, holders, provisional, overlaps, free[i], isOnly);
      const { ip, from, to } = stretches[i] as IpSpan;
      if (free[i] !== undefined && !provisional) this.#keepFree(this.#find(ip), from, to, said);
      return said;
    });
  }

  /** As `who` asks, for the moments that no window answers. */
  async askEach(moments: readonly Moment[]): Promise<T[]> {
    const instants = moments.map(({ ip, at }) => ({ ip, from: at, to: at }));
    const at = ({ ip, from }: IpSpan): Moment => ({ ip, at: from });
    return await this.#withFree(instants, (snapshot, left, watched) => this.#askAt(snapshot, left.map(at), watched));
  }

  async #askAt(snapshot: Snapshot, moments: readonly Moment[], watched: WatchedTime): Promise<T[]> {
    const { now, format, visibility } = this.#options;
    const possible = await eachUnlessDamaged(moments, (some) => readTenuresAtMany(snapshot, some));
    const answers = await Promise.all(
      moments.map(async (moment, i) => {
        const question = { ...moment, now, visibility };
        const tenures = possible[i] ?? [];
        const read =
          tenures === DAMAGED ? undefined : unlessDamaged(() => answerFrom(snapshot, question, tenures, watched));
        return (await read) ?? damagedAnswer(snapshot.cluster, question);
      }),
    );
    const free = await this.#aboutFree(snapshot, moments, answers, watched);
    return answers.map(({ answer, holders, provisional, isOnly }, i) => {
      const said = format(answer, holders, provisional, undefined, free[i], isOnly);
      const { ip, at } = moments[i] as Moment;
      if (free[i] !== undefined && !provisional) this.#keepFree(this.#find(ip), at, at, said);
      return said;
    });
  }

  /**
   * Where a window says that nobody had the address, only what is said of such addresses is read, once for all rows that
   * fall between the same two changes. `ask` is for the rest.
   */
  async #withFree(stretches: readonly IpSpan[], ask: AskLeft<T>): Promise<T[]> {
    if (stretches.length === 0) return [];
    return await this.#ask(async (snapshot) => {
      const { watched } = await this.#look(snapshot);
      if (this.#options.aboutFree !== true) return await ask(snapshot, stretches, watched);
      const groups = new Map<string, FreePlace<T>>();
      const keys = stretches.map(({ ip, from, to }) => {
        const window = this.#find(ip);
        if (window === undefined || !this.#isFreeDuring(window, from, to)) return undefined;
        const key = `${ip} ${this.#isLate(from) ? `at ${from}` : window.placeOf(from)}`;
        if (!groups.has(key)) groups.set(key, { window, at: from, said: undefined });
        return key;
      });
      const left = stretches.filter((_, i) => keys[i] === undefined);
      const [, rest] = await Promise.all([
        this.#readFree(snapshot, [...groups.values()], watched),
        left.length === 0 ? [] : ask(snapshot, left, watched),
      ]);
      let next = 0;
      return keys.map((key) => (key === undefined ? rest[next++] : groups.get(key)?.said) as T);
    });
  }

  #ask<A>(ask: (snapshot: Snapshot) => Promise<A>): Promise<A> {
    return withSnapshot(this.#reader, this.#options.cluster, ask);
  }

  /** Of these moments, those at which nobody had the address and of which nothing more is known, each place once. */
  #unknownFree(moments: readonly Moment[]): FreePlace<T>[] {
    const found: FreePlace<T>[] = [];
    let last: { readonly window: AddressWindow<T>; readonly place: number } | undefined;
    for (const { ip, at } of moments) {
      const window = this.#find(ip);
      if (window === undefined || this.#isLate(at) || !this.#isFreeDuring(window, at, at)) continue;
      const place = window.placeOf(at);
      if (window.freeIn(place) !== undefined || (last?.window === window && last.place === place)) continue;
      found.push({ window, at, said: undefined });
      last = { window, place };
    }
    return found;
  }

  /** What is said of addresses that nobody had, kept for the next rows about them. */
  async #readFree(snapshot: Snapshot, places: readonly FreePlace<T>[], watched: WatchedTime): Promise<void> {
    if (places.length === 0) return;
    const { format } = this.#options;
    const moments = places.map(({ window, at }) => ({ ip: window.ip, at }));
    const about = await aboutFree(snapshot, moments, watched, this.#ranges);
    for (const [i, place] of places.entries()) {
      place.said = format('free', [], false, undefined, about[i], false);
      this.#keepFree(place.window, place.at, place.at, place.said);
    }
  }

  #isFreeDuring(window: AddressWindow<T>, from: number, to: number): boolean {
    if (from < window.from || to >= window.to || window.edition !== this.#edition) return false;
    const place = window.placeOf(from);
    if (!window.isIn(place, to) || window.answers[place] !== undefined) return false;
    return this.#nobody.during(from, to) !== undefined && this.#nobody.isFree(from);
  }

  /** Whether what is said of an address that nobody had at that instant holds for that instant only. */
  #isLate(at: number): boolean {
    return at > this.#settled - SHOWN_WITHIN_MS;
  }

  #find(ip: IpAddress): AddressWindow<T> | undefined {
    const bits = ipv4Bits(ip);
    const byBits = bits === undefined ? undefined : (this.#young.get(bits) ?? this.#old.get(bits));
    return byBits ?? this.#young.get(ip) ?? this.#old.get(ip);
  }

  /** Of those that are free, if that is wanted. */
  async #aboutFree(
    snapshot: Snapshot,
    moments: readonly Moment[],
    answers: readonly { readonly answer: AnswerKind }[],
    watched: WatchedTime,
  ): Promise<readonly (Pick<Answer, 'reason' | 'last' | 'next'> | undefined)[]> {
    const found: (Pick<Answer, 'reason' | 'last' | 'next'> | undefined)[] = moments.map(() => undefined);
    if (this.#options.aboutFree !== true) return found;
    const places = moments.flatMap((_, i) => (answers[i]?.answer === 'free' ? [i] : []));
    const free = places.map((i) => moments[i] as Moment);
    const about = await aboutFree(snapshot, free, watched, this.#ranges);
    for (const [n, i] of places.entries()) found[i] = about[n];
    return found;
  }

  /** The next rows about it need not ask again. */
  #keepFree(window: AddressWindow<T> | undefined, from: number, to: number, said: T): void {
    if (window === undefined || this.#isLate(from) || !this.#isFreeDuring(window, from, to)) return;
    window.keepFree(window.placeOf(from), said);
  }

  /** What is to be read for a window; undefined when nothing of it is settled, or there is too much of it. */
  #spanFor(window: AddressWindow<T>, wantedFrom: number, wantedTo: number): IpSpan | undefined {
    const { ip, ahead } = window;
    const isKnown = window.from < window.to && window.edition === this.#edition;
    // Going on in time it leaves behind what it had; going back it keeps that, so that a log in no order comes to rest.
    const goesOn = isKnown && wantedFrom >= window.from;
    const from = goesOn ? Math.max(window.from, wantedFrom - BEHIND_MS) : wantedFrom - BEHIND_MS;
    const to = Math.min(Math.max(isKnown ? window.to : from, wantedTo + (ahead || FIRST_AHEAD_MS)), this.#settled);
    window.ahead = Math.min((ahead || FIRST_AHEAD_MS) * AHEAD_GROWTH, MOST_AHEAD_MS);
    return to <= wantedFrom || window.isTooFull ? undefined : { ip, from: epochMillis(from), to: epochMillis(to) };
  }

  #fill(
    snapshot: Snapshot,
    window: AddressWindow<T>,
    span: IpSpan,
    tenures: readonly Tenure[] | undefined,
    edition: number,
    watched: WatchedTime,
  ): Promise<void> | undefined {
    const keep = (found: SpanAnswers<T> | undefined): void => {
      const before = window.answers.length;
      if (found === undefined) window.giveUp();
      else window.set(span.from, span.to, found.bounds, found.answers, edition);
      this.#weight += window.answers.length - before;
    };
    const { now } = this.#options;
    const format = (answer: AnswerKind, holders: readonly AnsweredHolder[], isOnly: boolean) =>
      this.#options.format(answer, holders, false, undefined, undefined, isOnly);
    const found = tenures && answersWithin(snapshot, { span, tenures, watched, now, format });
    if (found instanceof Promise) return unlessDamaged(() => found).then(keep);
    keep(found);
    return undefined;
  }

  /** How far the ledger is complete, and whether its past is still what it was. */
  async #look(snapshot: Snapshot): Promise<Looked> {
    const { now } = this.#options;
    const [coverage, expired] = await Promise.all([snapshot.coverage(), snapshot.expired()]);
    const watched = watchedTime(coverage, expired);
    const present = watched.stretches.at(-1);
    // What pods have perhaps not said yet is provisional, and asked for row by row.
    const known = confirmedUntil(watched);
    const confirmed = known === undefined ? (present?.confirmed ?? 0) : known - REPORTING_LAG_MS;
    // An instant that has not come yet is asked for row by row, too, whatever the store claims.
    const settled = Math.min(confirmed, watched.last ?? 0, (now ?? Number.POSITIVE_INFINITY) + 1);
    const past = JSON.stringify([expired, coverage.map((c) => (c === present ? { ...c, to: 0, confirmed: 0 } : c))]);
    if (past !== this.#past || settled < this.#settled) this.#edition++;
    this.#past = past;
    this.#settled = settled;
    this.#nobody.set(watched, changesOf(coverage, expired), now);
    return { edition: this.#edition, watched };
  }
}

/** Who sees some namespaces only never learns that an address was free, and so not who was around. */
function narrowedOptions<T>(options: AnswerWindowsOptions<T>): AnswerWindowsOptions<T> {
  const { visibility = ALL_VISIBLE, format } = options;
  if (visibility.kind === 'all') return options;
  return {
    ...options,
    aboutFree: false,
    format(answer, holders, provisional, overlaps, _free, isOnly) {
      const seen = holders.map(
        (holder) => isHolderVisible(visibility, holder, holder.start) && isShown(holder, visibility),
      );
      const visible = holders.filter((_, i) => seen[i]);
      if (visible.length === 0) return format('unknown', [], false);
      const parts = overlaps?.filter((_, i) => seen[i]);
      return format(answer, visible, provisional, parts, undefined, isOnly);
    },
  };
}

function takeWanted<T>(window: AddressWindow<T>): Wanted<T> {
  const { wantedFrom, wantedTo } = window;
  window.wantedFrom = Number.POSITIVE_INFINITY;
  window.wantedTo = Number.NEGATIVE_INFINITY;
  return { window, wantedFrom, wantedTo };
}

/** Where what is said of an address that nobody held may change. */
function changesOf(coverage: readonly Coverage[], expired: readonly { from: number; to: number }[]): number[] {
  // Both ends belong to a stretch, and so does the last confirmed instant; an expired range ends before its end.
  return [
    ...coverage.flatMap(({ from, confirmed, to }) => [from, confirmed + 1, to + 1]),
    ...expired.flatMap(({ from, to }) => [from, to]),
  ];
}

function ipv4Bits(ip: IpAddress): number | undefined {
  return ip.includes(':') ? undefined : ip.split('.').reduce((bits, part) => (bits << 8) | Number(part), 0);
}

export function ipv4Text(bits: number): IpAddress {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}` as IpAddress;
}
