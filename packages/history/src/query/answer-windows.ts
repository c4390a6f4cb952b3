// who, for the many rows of a log: the answers of an address are the same from one boundary to the next, so they are
// worked out once for a window of time and then only looked up. `podtrail attribute` is the caller. Only time that has
// been reported to the end is kept, because there hardly anything more comes (a correction, or a doubt that is resolved,
// may: then the next run knows); the rest is asked for row by row.
import type { IpSpan, LedgerReader, Moment, Snapshot } from '../engines/snapshot.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import type { AddressWindow } from './address-window.ts';
import type { AnsweredHolder, AnswerKind } from './answer.ts';
import { answersWithin, type SpanAnswers } from './answers-within.ts';
import { DAMAGED, eachUnlessDamaged, unlessDamaged } from './damage.ts';
import { type AboutFree, type AskLeft, FreePlaces } from './free-places.ts';
import { LARGEST_PAGE } from './limits.ts';
import { isShown } from './narrow.ts';
import { type Looked, SettledPast } from './settled-past.ts';
import { readTenuresAtMany, readTenuresOfIps } from './tenure-reads.ts';
import { ALL_VISIBLE, isHolderVisible, type Visibility } from './visibility.ts';
import type { WatchedTime } from './watched-time.ts';
import { answerFrom, damagedAnswer } from './who.ts';
import { damagedDuring, duringFrom, type Overlap } from './who-during.ts';
import { WindowCache } from './window-cache.ts';

export interface AnswerWindowsOptions<T> {
  readonly cluster: string;
  /** The asker's clock, as for `who`. Read for each question: a log that is written meanwhile has rows of later. */
  readonly now?: (() => EpochMillis) | undefined;
  /** What the caller makes of an answer; made once for many rows, and kept instead of the answer unless provisional. */
  format(
    answer: AnswerKind,
    holders: readonly AnsweredHolder[],
    provisional: boolean,
    /** With a stretch of time: the part of it that each of the holders may have had. */
    overlaps?: readonly Overlap[],
    /** With `free`, where `aboutFree` is wanted. */
    free?: AboutFree,
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

/** Logs are mostly in order of time: an address is read so far ahead, and the further the more often it comes. */
const FIRST_AHEAD_MS = 6 * 3_600_000;
const MOST_AHEAD_MS = 7 * 86_400_000;
const AHEAD_GROWTH = 4;
/** And so far back, for rows that come late. */
const BEHIND_MS = 10 * 60_000;

export class AnswerWindows<T> {
  readonly #reader: Pick<LedgerReader, 'snapshot'>;
  readonly #options: AnswerWindowsOptions<T>;
  readonly #windows: WindowCache<T>;
  readonly #past: SettledPast<T>;
  readonly #free: FreePlaces<T>;
  #wanted: AddressWindow<T>[] = [];

  constructor(reader: Pick<LedgerReader, 'snapshot'>, options: AnswerWindowsOptions<T>) {
    const narrowed = narrowedOptions(options);
    const { format } = narrowed;
    this.#reader = reader;
    this.#options = narrowed;
    this.#windows = new WindowCache(options.mostKept);
    this.#past = new SettledPast((answer, holders) => format(answer, holders, false));
    this.#free = new FreePlaces({
      windows: this.#windows,
      past: this.#past,
      format: (about) => format('free', [], false, undefined, about, false),
      isWanted: narrowed.aboutFree === true,
    });
  }

  /** The window of an address; an IPv4 address may be given as its 32 bits, signed. */
  of(key: number | IpAddress): AddressWindow<T> {
    return this.#windows.of(key);
  }

  /** Says that `answer` will be called with this; `read` then sees to it. */
  want(window: AddressWindow<T>, from: number, to = from): void {
    const past = this.#past;
    if ((window.from <= from && to < window.to && window.edition === past.edition) || to >= past.until) return;
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
      const looked = await this.#past.look(snapshot, this.#options.now?.());
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
      if (window.readTo > this.#past.until) {
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
    await this.#free.readUnknown(snapshot, moments, watched);
  }

  /**
   * What holds at every instant from `from` to `to`, both included; undefined where no window can tell, or where it
   * changes in between: such moments are for `askEach`, such stretches for `askEachDuring`.
   */
  answer(window: AddressWindow<T>, from: number, to = from): T | undefined {
    const past = this.#past;
    if (from < window.from || to >= window.to || window.edition !== past.edition) return undefined;
    const place = window.placeOf(from);
    if (!window.isIn(place, to)) return undefined;
    const said = window.answers[place];
    if (said !== undefined || past.nobody.during(from, to) === undefined) return said;
    return this.#free.said(window, place, from);
  }

  /** As `whoDuring` asks, for the stretches that no window answers; both ends belong to them. */
  async askEachDuring(stretches: readonly IpSpan[]): Promise<T[]> {
    return await this.#askLeft(stretches, (snapshot, left, watched) => this.#askDuring(snapshot, left, watched));
  }

  async #askDuring(snapshot: Snapshot, stretches: readonly IpSpan[], watched: WatchedTime): Promise<T[]> {
    const { format, visibility } = this.#options;
    const now = this.#options.now?.();
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
    const free = await this.#free.about(snapshot, moments, answers, watched);
    return answers.map(({ answer, holders, provisional, isOnly }, i) => {
      const overlaps = holders.map(({ overlap }) => overlap);
      const said = format(answer, holders, provisional, overlaps, free[i], isOnly);
      const { ip, from, to } = stretches[i] as IpSpan;
      if (free[i] !== undefined && !provisional) this.#free.keep(ip, from, to, said);
      return said;
    });
  }

  /** As `who` asks, for the moments that no window answers. */
  async askEach(moments: readonly Moment[]): Promise<T[]> {
    const instants = moments.map(({ ip, at }) => ({ ip, from: at, to: at }));
    const at = ({ ip, from }: IpSpan): Moment => ({ ip, at: from });
    return await this.#askLeft(instants, (snapshot, left, watched) => this.#askAt(snapshot, left.map(at), watched));
  }

  async #askAt(snapshot: Snapshot, moments: readonly Moment[], watched: WatchedTime): Promise<T[]> {
    const { format, visibility } = this.#options;
    const now = this.#options.now?.();
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
    const free = await this.#free.about(snapshot, moments, answers, watched);
    return answers.map(({ answer, holders, provisional, isOnly }, i) => {
      const said = format(answer, holders, provisional, undefined, free[i], isOnly);
      const { ip, at } = moments[i] as Moment;
      if (free[i] !== undefined && !provisional) this.#free.keep(ip, at, at, said);
      return said;
    });
  }

  async #askLeft(stretches: readonly IpSpan[], ask: AskLeft<T>): Promise<T[]> {
    if (stretches.length === 0) return [];
    return await this.#ask(async (snapshot) => {
      const { watched } = await this.#past.look(snapshot, this.#options.now?.());
      return await this.#free.withRest(snapshot, stretches, watched, ask);
    });
  }

  #ask<A>(ask: (snapshot: Snapshot) => Promise<A>): Promise<A> {
    return withSnapshot(this.#reader, this.#options.cluster, ask);
  }

  /** What is to be read for a window; undefined when nothing of it is settled, or there is too much of it. */
  #spanFor(window: AddressWindow<T>, wantedFrom: number, wantedTo: number): IpSpan | undefined {
    const { ip, ahead } = window;
    const isKnown = window.from < window.to && window.edition === this.#past.edition;
    // Going on in time it leaves behind what it had; going back it keeps that, so that a log in no order comes to rest.
    const goesOn = isKnown && wantedFrom >= window.from;
    const from = goesOn ? Math.max(window.from, wantedFrom - BEHIND_MS) : wantedFrom - BEHIND_MS;
    const to = Math.min(Math.max(isKnown ? window.to : from, wantedTo + (ahead || FIRST_AHEAD_MS)), this.#past.until);
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
      this.#windows.grow(window.answers.length - before);
    };
    const now = this.#options.now?.();
    const format = (answer: AnswerKind, holders: readonly AnsweredHolder[], isOnly: boolean) =>
      this.#options.format(answer, holders, false, undefined, undefined, isOnly);
    const found = tenures && answersWithin(snapshot, { span, tenures, watched, now, format });
    if (found instanceof Promise) return unlessDamaged(() => found).then(keep);
    keep(found);
    return undefined;
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
