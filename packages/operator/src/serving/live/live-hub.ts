// News of the ledger for everybody who follows it: asked for once a second for all who may see the same, and not at all
// while nobody follows. What is kept for those who come back is bounded, and so is the number of those who see different
// things. Above a number of different views each is looked at less often, so that all of them together cost the same.
import { randomBytes } from 'node:crypto';
import { changeDocument, epochMillis, readChanges, type Visibility, withSnapshot } from '@podtrail/history/wire';
import { type Asker, askQuestion, clusterOf, type DocumentOf } from '@podtrail/history/wire/catalogue';
import type { AskedLedger } from '../api/asked-ledger.ts';
import { Problem } from '../problem.ts';

export interface LiveEvent {
  /** Drawn: a number would count what others see. */
  readonly id: string;
  readonly event: 'move' | 'change' | 'coverage' | 'reset';
  /** JSON. */
  readonly data: string;
}

export interface LiveOptions {
  readonly everyMs: number;
  readonly mostKept: number;
  readonly mostGroups: number;
}

/** As many different views as there are streams. */
const LIVE: LiveOptions = { everyMs: 1_000, mostKept: 1_000, mostGroups: 256 };
/** Looks at the ledger in the time of one, of all views. */
const LOOKS_AT_ONCE = 32;
/** So many looks may fail one after the other: the store may only be busy. */
const MOST_FAILED = 3;
/** Records come late: a move or a change is looked for so long after it was. */
const WINDOW_MS = 5 * 60_000;
/** Of each kind, the oldest of the window first: of more than this, the rest comes when these have left the window. */
export const MOST_AT_ONCE = 1_000;
/** Nobody looked for so long: what happened since may have left the window. */
const LONGEST_PAUSE_MS = WINDOW_MS / 2;

/** With an error where the ledger could not be read: `reset` is the last event then, and the listener is not called again. */
type Listener = (events: readonly LiveEvent[], error?: unknown) => void;

/**
 * `none` until somebody follows. `planned` until its time comes, or the last one leaves. `underWay` until the ledger has
 * answered: then the next one is planned, or there is none.
 */
type Look = { readonly kind: 'none' | 'underWay' } | { readonly kind: 'planned'; readonly timer: NodeJS.Timeout };

export class LiveHub {
  readonly #ledger: AskedLedger;
  readonly #options: LiveOptions;
  readonly #groups = new Map<string, Group>();

  constructor(ledger: AskedLedger, options: Partial<LiveOptions> = {}) {
    this.#ledger = ledger;
    this.#options = { ...LIVE, ...options };
  }

  /** `after`: the last event that was received; what came since is delivered first. Call the result to stop. */
  follow(
    visibility: Visibility,
    cluster: string | undefined,
    after: string | undefined,
    listener: Listener,
  ): () => void {
    const key = `${cluster ?? ''}\n${visibilityKey(visibility)}`;
    const group = this.#groups.get(key) ?? this.#open(key, visibility, cluster);
    return group.follow(after, listener);
  }

  #open(key: string, visibility: Visibility, cluster: string | undefined): Group {
    const { mostGroups } = this.#options;
    for (const [old, { isFollowed }] of this.#groups) {
      if (this.#groups.size < mostGroups) break;
      if (!isFollowed) this.#groups.delete(old);
    }
    if (this.#groups.size >= mostGroups) {
      throw new Problem(503, 'busy', 'too many who may see different things follow the ledger', {
        hint: 'ask for moves instead, or try again later.',
        headers: { 'retry-after': '30' },
      });
    }
    const group = new Group(this.#ledger, visibility, cluster, this.#options, () => this.#pauseMs());
    this.#groups.set(key, group);
    return group;
  }

  /** From one look of a view to its next. */
  #pauseMs(): number {
    let followed = 0;
    for (const { isFollowed } of this.#groups.values()) if (isFollowed) followed++;
    return this.#options.everyMs * Math.max(1, Math.ceil(followed / LOOKS_AT_ONCE));
  }
}

/** Those who may see the same of one cluster. */
class Group {
  readonly #ledger: AskedLedger;
  readonly #visibility: Visibility;
  readonly #cluster: string | undefined;
  readonly #options: LiveOptions;
  readonly #pauseMs: () => number;
  readonly #listeners = new Set<Listener>();
  readonly #kept: LiveEvent[] = [];
  /** Records that were looked at, and when they were last. */
  readonly #seen = new Map<string, number>();
  #covered: string | null | undefined;
  /** Invariant: one at a time, however often somebody leaves and comes back. */
  #look: Look = { kind: 'none' };
  /** Monotonic, of the last look that was answered; undefined before the first. */
  #looked: number | undefined;
  #isOverfull = false;
  /** Looks that failed since the last one that did not. */
  #failed = 0;

  constructor(
    ledger: AskedLedger,
    visibility: Visibility,
    cluster: string | undefined,
    options: LiveOptions,
    pauseMs: () => number,
  ) {
    this.#pauseMs = pauseMs;
    this.#ledger = ledger;
    this.#visibility = visibility;
    this.#cluster = cluster;
    this.#options = options;
  }

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  follow(after: string | undefined, listener: Listener): () => void {
    if (!this.isFollowed) this.#forgetIfStale();
    // Who begins learns at once how far the cluster is watched.
    const latest = this.#kept.findLast((one) => one.event === 'coverage');
    const missed = after !== undefined ? this.#since(after) : latest === undefined ? [] : [latest];
    if (missed.length > 0) listener(missed);
    this.#listeners.add(listener);
    if (this.#look.kind === 'none') this.#plan(0);
    return () => {
      this.#listeners.delete(listener);
      if (this.isFollowed || this.#look.kind !== 'planned') return;
      clearTimeout(this.#look.timer);
      this.#look = { kind: 'none' };
    };
  }

  get #isStale(): boolean {
    return this.#looked !== undefined && this.#ledger.monotonic() - this.#looked >= LONGEST_PAUSE_MS;
  }

  /** Who comes back after a pause in which nobody looked is sent `reset`: some of it may never have been seen. */
  #forgetIfStale(): void {
    if (!this.#isStale) return;
    this.#looked = undefined;
    this.#covered = undefined;
    this.#kept.length = 0;
    this.#seen.clear();
  }

  #since(after: string): readonly LiveEvent[] {
    const at = this.#kept.findIndex(({ id }) => id === after);
    return at === -1
      ? [event('reset', { reason: 'this event is not remembered; ask for what is there now' })]
      : this.#kept.slice(at + 1);
  }

  #plan(ms: number): void {
    const timer = setTimeout(() => {
      this.#look = { kind: 'underWay' };
      void this.#deliverNews().finally(() => {
        if (this.isFollowed) this.#plan(this.#pauseMs());
        else this.#look = { kind: 'none' };
      });
    }, ms);
    timer.unref();
    this.#look = { kind: 'planned', timer };
  }

  async #deliverNews(): Promise<void> {
    let news: LiveEvent[];
    try {
      news = await this.#news();
      this.#failed = 0;
    } catch (error) {
      // The next look says what came meanwhile, unless that lasts.
      if (++this.#failed >= MOST_FAILED) this.#giveUp(error);
      return;
    }
    if (news.length === 0) return;
    this.#kept.push(...news);
    this.#kept.splice(0, Math.max(0, this.#kept.length - this.#options.mostKept));
    for (const listener of [...this.#listeners]) listener(news);
  }

  #giveUp(error: unknown): void {
    this.#failed = 0;
    const reset = event('reset', { reason: 'the ledger could not be read for a while; ask for what is there now' });
    this.#kept.push(reset);
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener([reset], error);
  }

  async #news(): Promise<LiveEvent[]> {
    const asker = this.#ledger.asker(this.#visibility);
    const [moves, changes] = await this.#ledger.ask(() => Promise.all([this.#moves(asker), this.#changes(asker)]));
    const found = [
      ...moves.moves.map((move) => ({ key: `move ${move.uid} ${move.at}`, name: 'move' as const, record: move })),
      ...changes.items.map((record) => ({ key: changeKey(record), name: 'change' as const, record })),
    ];
    const unseen = found.filter(({ key }) => !this.#seen.has(key));
    for (const { key } of found) this.#seen.set(key, asker.now);
    for (const [key, at] of this.#seen) if (at < asker.now - WINDOW_MS) this.#seen.delete(key);
    // What was there before anybody followed is no news.
    const news = this.#looked === undefined ? [] : unseen.map(({ name, record }) => event(name, record));
    // The ledger could not answer for long, and those who follow do not know it.
    if (this.#isStale) news.unshift(event('reset', { reason: 'nobody looked for a while; ask for what is there now' }));
    this.#looked = this.#ledger.monotonic();
    const isOverfull = moves.more || changes.more;
    if (isOverfull && !this.#isOverfull) {
      news.push(event('reset', { reason: 'too much happens at once: events come late; ask for what is there now' }));
    }
    this.#isOverfull = isOverfull;
    const { to } = moves.coverage;
    if (to !== this.#covered) news.push(event('coverage', { cluster: moves.query.cluster, to }));
    this.#covered = to;
    return news;
  }

  async #moves(asker: Asker): Promise<DocumentOf<'moves'>> {
    const since = new Date(epochMillis(asker.now - WINDOW_MS)).toISOString();
    const of = this.#cluster === undefined ? {} : { cluster: this.#cluster };
    return await askQuestion(this.#ledger.reader, asker, 'moves', { since, limit: MOST_AT_ONCE, ...of });
  }

  /** Those of all pods that may be seen. The catalogue asks for the changes of one pod or workload. */
  async #changes({ visibility, now }: Asker) {
    const { id } = clusterOf(await this.#ledger.clusters(), this.#cluster);
    const span = { from: epochMillis(now - WINDOW_MS), to: epochMillis(now + 1) };
    const found = await withSnapshot(this.#ledger.reader, id, (snapshot) =>
      readChanges(snapshot, visibility, {
        ...{ subject: undefined, key: undefined, span, paging: { limit: MOST_AT_ONCE } },
        question: { listing: 'live', cluster: id },
      }),
    );
    return { items: found.items.map(changeDocument), more: found.cursor !== undefined };
  }
}

/** One record: of changes that are counted only, the first of them. */
function changeKey({ uid, key, evidence }: ReturnType<typeof changeDocument>): string {
  return `change ${uid} ${evidence.epoch} ${evidence.resourceVersion} ${evidence.observedAt} ${key}`;
}

function event(name: LiveEvent['event'], data: unknown): LiveEvent {
  return { id: randomBytes(9).toString('base64url'), event: name, data: JSON.stringify(data) };
}

/** Equal for those who may see the same. */
export function visibilityKey(visibility: Visibility): string {
  if (visibility.kind === 'all') return 'all';
  return JSON.stringify([...visibility.since].sort(([a], [b]) => (a < b ? -1 : 1)));
}
