// News of the ledger for everybody who follows it: asked for once a second for all who may see the same, and not at all
// while nobody follows. What is kept for those who come back is bounded, and so is the number of those who see different
// things.
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

const LIVE: LiveOptions = { everyMs: 1_000, mostKept: 1_000, mostGroups: 32 };
/** Records come late: a move or a change is looked for so long after it was. */
const WINDOW_MS = 5 * 60_000;
/** Of each kind, the oldest of the window first: of more than this, the rest comes when these have left the window. */
export const MOST_AT_ONCE = 1_000;
/** Nobody looked for so long: what happened since may have left the window. */
const LONGEST_PAUSE_MS = WINDOW_MS / 2;

type Listener = (events: readonly LiveEvent[]) => void;

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
    const group = new Group(this.#ledger, visibility, cluster, this.#options);
    this.#groups.set(key, group);
    return group;
  }
}

/** Those who may see the same of one cluster. */
class Group {
  readonly #ledger: AskedLedger;
  readonly #visibility: Visibility;
  readonly #cluster: string | undefined;
  readonly #options: LiveOptions;
  readonly #listeners = new Set<Listener>();
  readonly #kept: LiveEvent[] = [];
  /** Records that were looked at, and when they were last. */
  readonly #seen = new Map<string, number>();
  #covered: string | null | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Monotonic, of the last look that was answered; undefined before the first. */
  #looked: number | undefined;
  #isOverfull = false;

  constructor(ledger: AskedLedger, visibility: Visibility, cluster: string | undefined, options: LiveOptions) {
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
    if (this.#timer === undefined) this.#plan(0);
    return () => {
      this.#listeners.delete(listener);
      if (this.isFollowed) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
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
    this.#timer = setTimeout(() => {
      void this.#look().finally(() => {
        if (this.isFollowed) this.#plan(this.#options.everyMs);
        else this.#timer = undefined;
      });
    }, ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    let news: LiveEvent[];
    try {
      news = await this.#news();
    } catch {
      // The ledger cannot answer now; the next look says what came meanwhile.
      return;
    }
    if (news.length === 0) return;
    this.#kept.push(...news);
    this.#kept.splice(0, Math.max(0, this.#kept.length - this.#options.mostKept));
    for (const listener of [...this.#listeners]) listener(news);
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
