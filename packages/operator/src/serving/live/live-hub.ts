// News of the ledger for everybody who follows it: asked for once a second for all who may see the same, and not at all
// while nobody follows. What is kept for those who come back is bounded, and so is the number of those who see different
// things.
import { randomBytes } from 'node:crypto';
import { epochMillis, type Visibility } from '@podtrail/history/wire';
import { askQuestion, type DocumentOf } from '@podtrail/history/wire/catalogue';
import type { AskedLedger } from '../api/asked-ledger.ts';
import { Problem } from '../problem.ts';

export interface LiveEvent {
  /** Drawn: a number would count what others see. */
  readonly id: string;
  readonly event: 'move' | 'coverage' | 'reset';
  /** JSON. */
  readonly data: string;
}

export interface LiveOptions {
  readonly everyMs: number;
  readonly mostKept: number;
  readonly mostGroups: number;
}

const LIVE: LiveOptions = { everyMs: 1_000, mostKept: 1_000, mostGroups: 32 };
/** Records come late: a move is looked for so long after it was. */
const WINDOW_MS = 5 * 60_000;
/** So many at once; more are not news but a listing. */
const MOST_MOVES = 1_000;

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
    const missed = after === undefined ? [] : group.since(after);
    if (missed.length > 0) listener(missed);
    return group.add(listener);
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
  /** Moves that were looked at, by pod and time, and when they were. */
  readonly #seen = new Map<string, number>();
  #covered: string | null | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFirst = true;

  constructor(ledger: AskedLedger, visibility: Visibility, cluster: string | undefined, options: LiveOptions) {
    this.#ledger = ledger;
    this.#visibility = visibility;
    this.#cluster = cluster;
    this.#options = options;
  }

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#timer === undefined) this.#plan(0);
    return () => {
      this.#listeners.delete(listener);
      if (this.isFollowed) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  since(after: string): readonly LiveEvent[] {
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
    const of = this.#cluster === undefined ? {} : { cluster: this.#cluster };
    const since = new Date(epochMillis(asker.now - WINDOW_MS)).toISOString();
    const document = await this.#ledger.ask(() =>
      askQuestion(this.#ledger.reader, asker, 'moves', { since, limit: MOST_MOVES, ...of }),
    );
    const news: LiveEvent[] = [];
    for (const move of document.moves) {
      const key = `${move.uid} ${move.at}`;
      if (!this.#seen.has(key)) news.push(event('move', move));
      this.#seen.set(key, asker.now);
    }
    for (const [key, at] of this.#seen) if (at < asker.now - WINDOW_MS) this.#seen.delete(key);
    // What was there before anybody followed is no news.
    const wasFirst = this.#isFirst;
    this.#isFirst = false;
    const said: LiveEvent[] = wasFirst
      ? []
      : document.more
        ? [event('reset', { reason: 'too much happened at once' })]
        : news;
    const to = coveredTo(document);
    if (to !== this.#covered) said.push(event('coverage', { cluster: document.query.cluster, to }));
    this.#covered = to;
    return said;
  }
}

function coveredTo({ coverage }: DocumentOf<'moves'>): string | null {
  return coverage.to;
}

function event(name: LiveEvent['event'], data: unknown): LiveEvent {
  return { id: randomBytes(9).toString('base64url'), event: name, data: JSON.stringify(data) };
}

/** Equal for those who may see the same. */
export function visibilityKey(visibility: Visibility): string {
  if (visibility.kind === 'all') return 'all';
  return JSON.stringify([...visibility.since].sort(([a], [b]) => (a < b ? -1 : 1)));
}
