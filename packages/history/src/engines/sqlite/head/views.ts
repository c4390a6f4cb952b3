// The connections that snapshots read through, kept for the next. Snapshots of one state share one: it remembers more, and
// while nothing is committed the log does not grow, however long they follow each other. What SQLite keeps for an old
// state is bounded here: so many at once, and, when the log has grown long, a moment in which none is open, because only
// then it begins at its start again.

import type { Weeks } from '../week/weeks.ts';
import type { View } from './view.ts';

const MOST_OPEN = 8;
/** After so long without such a moment, and if the log is long, the next snapshot waits until all others are closed. */
const LONGEST_BUSY_MS = 5_000;

export interface ViewsOptions {
  /** Another connection to the store. */
  readonly connect: () => View;
  readonly weeks: Weeks;
  /** Another number whenever anybody has committed. */
  readonly version: () => number;
  /** Whether the log has grown far beyond what it is kept at. */
  readonly isLogLong: () => boolean;
  readonly now?: () => number;
}

interface Use {
  /** Of the store when it began; undefined where that is not known. */
  readonly version: number | undefined;
  count: number;
}

export class Views {
  readonly #options: ViewsOptions;
  readonly #now: () => number;
  /** The one that was used last is at the end: it remembers the most. */
  readonly #idle: View[] = [];
  readonly #open = new Map<View, Use>();
  #busySince = 0;
  #layout = -1;

  constructor(options: ViewsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** A view of the present state, until it is given back; undefined while the caller has to wait for others to be. */
  take(): View | undefined {
    // Whoever is alone, as nearly everybody, need not know.
    const version = this.#open.size === 0 ? undefined : this.#options.version();
    for (const [view, use] of this.#open) {
      if (version === undefined || use.version !== version) continue;
      use.count++;
      return view;
    }
    if (this.#open.size >= MOST_OPEN) return undefined;
    const isBusy = this.#open.size > 0 && this.#now() - this.#busySince > LONGEST_BUSY_MS;
    // One long reading must not make all others wait unless it has to be.
    return isBusy && this.#options.isLogLong() ? undefined : this.#begin(version);
  }

  /** For one read: it is over before anybody could wait for it. */
  once<T>(body: (view: View) => T): T {
    const view = this.#begin(undefined);
    try {
      return body(view);
    } finally {
      this.give(view);
    }
  }

  give(view: View): void {
    const use = this.#open.get(view);
    if (use === undefined || --use.count > 0) return;
    this.#open.delete(view);
    view.end();
    this.#idle.push(view);
  }

  /** For the connection that the store was opened with. */
  add(view: View): void {
    this.#idle.push(view);
  }

  close(): void {
    for (const view of [...this.#idle, ...this.#open.keys()]) view.close();
  }

  /** `version` was read before: if somebody commits in between, the view is newer, and is only not shared. */
  #begin(version: number | undefined): View {
    const view = this.#idle.pop() ?? this.#options.connect();
    try {
      view.begin();
    } catch (error) {
      this.#idle.push(view);
      throw error;
    }
    if (this.#open.size === 0) this.#busySince = this.#now();
    this.#open.set(view, { version, count: 1 });
    if (view.layout !== this.#layout) this.#forgetFiles(view.layout);
    return view;
  }

  /** Closes week files that no open view lists: a writer, here or elsewhere, has replaced or removed them. */
  #forgetFiles(layout: number): void {
    this.#layout = layout;
    this.#options.weeks.forgetUnlisted(new Set([...this.#open.keys()].flatMap(({ files }) => [...files])));
  }
}
