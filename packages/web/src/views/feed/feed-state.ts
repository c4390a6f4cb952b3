// The rows of the feed and the news that wait: what somebody reads does not move. Pure; views/feed/use-feed.ts keeps it.
import type { WatchingDocument } from '@podtrail/history/wire';
import { type FeedItem, mergeItems } from './feed-item.ts';
import { type FeedPage, FIRST_SLICE_MS } from './feed-reader.ts';

export interface FeedState {
  /** Newest first. */
  readonly items: readonly FeedItem[];
  /** News that are not shown yet. */
  readonly waiting: readonly FeedItem[];
  /** Everything since then has been read. */
  readonly reached: number;
  readonly sliceMs: number;
  readonly isNarrowed: boolean;
  readonly coverage: WatchingDocument | undefined;
}

/** Who follows for days keeps the newest; the others are read again on request. */
export const MOST_ROWS = 2_000;

export function emptyFeed(to: number): FeedState {
  const nothing = { items: [], waiting: [], isNarrowed: false, coverage: undefined };
  return { ...nothing, reached: to, sliceMs: FIRST_SLICE_MS };
}

export function withPage(state: FeedState, page: FeedPage): FeedState {
  const { reached, sliceMs, coverage = state.coverage } = page;
  const items = mergeItems(page.items, state.items);
  return { ...state, items, reached, sliceMs, coverage, isNarrowed: state.isNarrowed || page.isNarrowed };
}

/** `isRead`: somebody reads further down, so that new rows wait. Rows that are shown are brought up to date in any case. */
export function withNews(state: FeedState, news: readonly FeedItem[], isRead: boolean): FeedState {
  const fresh = news.filter(({ at }) => at >= state.reached);
  if (!isRead) return cut({ ...state, items: mergeItems(state.items, fresh) });
  const shown = new Set(state.items.map(({ key }) => key));
  const items = mergeItems(
    state.items,
    fresh.filter(({ key }) => shown.has(key)),
  );
  const waiting = mergeItems(
    state.waiting,
    fresh.filter(({ key }) => !shown.has(key)),
  );
  return { ...state, items, waiting: waiting.slice(0, MOST_ROWS) };
}

export function showWaiting(state: FeedState): FeedState {
  return cut({ ...state, items: mergeItems(state.items, state.waiting), waiting: [] });
}

export function watchedTo(state: FeedState, to: string | null): FeedState {
  return state.coverage === undefined ? state : { ...state, coverage: { ...state.coverage, to } };
}

function cut(state: FeedState): FeedState {
  const last = state.items[MOST_ROWS - 1];
  if (last === undefined || state.items.length === MOST_ROWS) return state;
  // Rows of the same millisecond stay together: reading goes on before it.
  const items = state.items.filter(({ at }) => at >= last.at);
  return { ...state, items, reached: last.at };
}
