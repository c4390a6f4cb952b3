// Finds out whether etcd was restored from a backup, so that versions are handed out a second time: by versions, by a
// comparison of metadata after a broken connection, by listings. Asked by the reflector; it never lists nor watches.
import type { Clock } from '../clock.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import type { Transport } from '../transport/transport.ts';
import type { Collection } from './collection.ts';
import type { ComparedAside, ConsistencyCheck } from './consistency-check.ts';
import { isAway } from './failure-meaning.ts';
import type { ReflectionTarget, Replacement } from './reflection-target.ts';
import type { RelistReason } from './relist.ts';
import { isOlder } from './version-order.ts';
import { probeVersion } from './version-probe.ts';

export interface RewindDetectorOptions<T extends Cacheable> {
  readonly transport: Transport;
  readonly collection: Collection;
  readonly target: ReflectionTarget<T>;
  readonly clock: Clock;
  /** Compares what is held with what is listed. Undefined: only versions are compared. */
  readonly check: Pick<ConsistencyCheck<T>, 'compareAside'> | undefined;
  /** The first listing goes on from a stored version, and nothing shows yet that it is of the same history. */
  readonly resumes: boolean;
}

/** What a listing lacked after a break: a DELETED must have arrived by the time the watch reaches that version. */
interface Owed {
  readonly version: string;
  /** UIDs by key. */
  readonly missing: ReadonlyMap<string, string>;
}

type Verdict =
  /** The watch follows one history. Left by a break (→ doubted) or by a report (→ rewound). */
  | { readonly kind: 'trusted' }
  /**
   * The server was away, and perhaps another one has come back. Left when versions and objects agree (→ trusted), when
   * they do not (→ rewound), or by a listing (→ trusted).
   */
  | {
      readonly kind: 'doubted';
      /** Wall clock of the last frame before the break: a rewind that is found late reaches back to here. */
      readonly since: number | undefined;
      /** The server's version must be asked for, also where objects cannot be compared. */
      readonly mustProbe: boolean;
      readonly owed: Owed | undefined;
    }
  /** Left by the listing that is made because of it (→ trusted). */
  | { readonly kind: 'rewound'; readonly since: number | undefined };

const STALE_LISTINGS_BEFORE_REWIND = 3;
/** A watch can be away for so long without harm. */
const LONGEST_COMPARISON_MS = 3_000;
/** After a comparison there is none for this many times as long as it took. */
const COMPARISON_SHARE = 10;

export class RewindDetector<T extends Cacheable> {
  readonly #options: RewindDetectorOptions<T>;
  #verdict: Verdict;
  #listedRewinds = 0;
  #staleListings = 0;
  /** Monotonic: comparisons take a small part of the time at most, also where connections break all the time. */
  #noComparisonBefore = 0;

  constructor(options: RewindDetectorOptions<T>) {
    this.#options = options;
    this.#verdict = options.resumes ? doubtedSince(0) : { kind: 'trusted' };
  }

  /** A rewind is known and has not been listed yet. */
  get isKnown(): boolean {
    return this.#verdict.kind === 'rewound';
  }

  /** Rewinds so far, one that is still to be listed included. */
  get count(): number {
    return this.#listedRewinds + (this.isKnown ? 1 : 0);
  }

  /** Wall clock of the last frame before the break; undefined when there was none. */
  get since(): number | undefined {
    return this.#verdict.kind === 'trusted' ? undefined : this.#verdict.since;
  }

  /** The connection broke, or an error may hide a restart. `seenAt`: wall clock of the last frame. */
  broke(seenAt: number | undefined): void {
    if (this.since !== undefined || seenAt === undefined) return;
    this.#verdict = this.isKnown ? { kind: 'rewound', since: seenAt } : { ...this.#doubt, since: seenAt };
  }

  /** Before the next watch the server's version must be asked for. */
  mustProbe(): void {
    if (!this.isKnown) this.#verdict = { ...this.#doubt, mustProbe: true };
  }

  /** `since`: the last moment, by the wall clock, of which the reporter is certain. False when it was known already. */
  report(since: number | undefined): boolean {
    const isNews = !this.isKnown;
    this.#verdict = { kind: 'rewound', since: earliest(this.since, since) };
    return isNews;
  }

  /** Whether the server has to be asked before the watch goes on. */
  mustVerify(isFresh: boolean): boolean {
    return this.#doubt.mustProbe || this.#mayCompare(isFresh);
  }

  /**
   * Asks the server, while no watch is open, and draws the conclusion. That its version is not older than ours proves
   * little, for a busy cluster soon overtakes the old versions; so what is not newer than ours must be as it is held.
   */
  async verify(position: VerifiedPosition, signal: AbortSignal): Promise<void> {
    const { version } = position;
    const found = this.#mayCompare(position.isFresh) ? await this.#compareInTime(version, signal) : undefined;
    if (found === undefined) {
      if (!this.#doubt.mustProbe) return;
      const present = await probeVersion(this.#options.transport, this.#options.collection, signal);
      this.#probed();
      if (isOlder(present, version)) this.report(undefined);
      return;
    }
    this.#probed();
    if (found.isBroken || isOlder(found.version, version)) this.report(undefined);
    else if (!this.isKnown) this.#verdict = { ...this.#doubt, owed: found };
    this.settle(position.version, position.isReplaying);
  }

  /**
   * The watch has reached `version`. Once it has delivered all that the listing after a break knew, the break did no
   * harm, or it shows now. True when it shows.
   */
  settle(version: string, isReplaying: boolean): boolean {
    if (this.#verdict.kind !== 'doubted' || this.#verdict.owed === undefined) return false;
    const { owed, mustProbe } = this.#verdict;
    if (owed.missing.size > 0) {
      if (isReplaying || isOlder(version, owed.version)) return false;
      for (const [key, object] of this.#options.target.held()) {
        if (owed.missing.get(key) === object.metadata.uid) return this.report(undefined);
      }
    }
    this.#verdict = mustProbe ? { ...this.#doubt, since: undefined, owed: undefined } : { kind: 'trusted' };
    return false;
  }

  /** The consumer of the replay has compared it with the listing. */
  replayEnded(): void {
    if (this.isKnown) this.#verdict = { kind: 'rewound', since: undefined };
    if (this.#verdict.kind !== 'doubted' || this.#verdict.owed !== undefined) return;
    this.#verdict = this.#verdict.mustProbe ? { ...this.#verdict, since: undefined } : { kind: 'trusted' };
  }

  /** Whether a listing must be taken as it is, because equal versions do not mean equal objects. */
  distrustsVersions(reason: RelistReason): boolean {
    // After a listing from the past the next one may turn out to be a rewind, too.
    return reason === 'rewound' || this.#staleListings > 0;
  }

  /** Whether a complete listing must be made again as after a rewind, because it shows one or one became known. */
  supersedes(incoming: Replacement<T>, reason: RelistReason, known: string | undefined): boolean {
    if (reason === 'rewound') return false;
    const isCompared = reason !== 'start' && known !== undefined && this.#options.check !== undefined;
    if (!this.isKnown && isCompared && incoming.contradicts(known)) this.report(undefined);
    return this.isKnown;
  }

  /**
   * A listing older than what is known would bring back deleted objects. One lagging server is waited out; when all
   * listings stay behind, the versions themselves have gone back. Undefined: not to be taken; else the reason to give.
   */
  judge(version: string, reason: RelistReason, known: string | undefined): RelistReason | undefined {
    const isStale = known !== undefined && reason !== 'rewound' && isOlder(version, known);
    if (isStale && ++this.#staleListings < STALE_LISTINGS_BEFORE_REWIND) return undefined;
    // A consistent read is never from the past, unless the past came back: meanwhile versions have overtaken the old ones.
    return this.#staleListings > 0 ? 'rewound' : reason;
  }

  /** The target is about to take a listing. */
  listed(reason: RelistReason, isReplayed: boolean): void {
    this.#staleListings = 0;
    if (reason === 'rewound') this.#listedRewinds++;
    const { since } = this;
    this.#verdict = isReplayed && since !== undefined ? doubtedSince(since) : { kind: 'trusted' };
  }

  get #doubt(): Extract<Verdict, { kind: 'doubted' }> {
    return this.#verdict.kind === 'doubted' ? this.#verdict : doubtedSince(this.since);
  }

  #probed(): void {
    if (this.#verdict.kind !== 'doubted') return;
    const { since, owed } = this.#verdict;
    const isOpen = since !== undefined || owed !== undefined;
    this.#verdict = isOpen ? { ...this.#verdict, mustProbe: false } : { kind: 'trusted' };
  }

  #mayCompare(isFresh: boolean): boolean {
    // Right after a listing there is nothing that could have been missed.
    const isFollowed = this.since === undefined || (isFresh && !this.#doubt.mustProbe);
    const { check, clock } = this.#options;
    return !isFollowed && check !== undefined && clock.monotonic() >= this.#noComparisonBefore;
  }

  /**
   * The watch waits for this comparison, so it must not take long, nor be made often. Where it cannot be had in time, as
   * with a hundred thousand pods or a server that refuses it, versions have to do, until a smaller collection or the
   * next regular comparison knows more.
   */
  async #compareInTime(version: string, signal: AbortSignal): Promise<ComparedAside | undefined> {
    const { clock, check } = this.#options;
    const begun = clock.monotonic();
    const late = new AbortController();
    const timer = clock.setTimer(LONGEST_COMPARISON_MS, () => late.abort());
    try {
      return await check?.compareAside(version, AbortSignal.any([signal, late.signal]));
    } catch (error) {
      // A server that is away could not be watched, either.
      if (signal.aborted || (!late.signal.aborted && isAway(error))) throw error;
      return undefined;
    } finally {
      timer.cancel();
      const now = clock.monotonic();
      this.#noComparisonBefore = now + (now - begun) * COMPARISON_SHARE;
    }
  }
}

export interface VerifiedPosition {
  readonly version: string;
  readonly isFresh: boolean;
  readonly isReplaying: boolean;
}

function doubtedSince(since: number | undefined): Extract<Verdict, { kind: 'doubted' }> {
  return { kind: 'doubted', since, mustProbe: false, owed: undefined };
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}
