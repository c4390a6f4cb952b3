// The feed as the view uses it: reads back from the end of the span, follows the news where the span ends now, and asks
// again after a failure that may pass. What was shown stays until there is something else.

import type { ChangeDocument, MoveDocument } from '@podtrail/history/wire';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import type { ServerEvent } from '../../api/event-stream.ts';
import { followLive, type LiveState } from '../../api/live.ts';
import { type ApiProblem, asProblem } from '../../api/problem.ts';
import { token } from '../../api/session.ts';
import { serverNow } from '../../times/server-clock.ts';
import { isLive, resolveSpan } from '../../times/span.ts';
import { USUAL_SPAN } from '../../times/usual-span.ts';
import { type FeedFilter, isWanted } from './feed-filter.ts';
import { changeItem, type FeedItem, moveItem } from './feed-item.ts';
import { type AskFeed, FIRST_SLICE_MS, readOlder, readSlice } from './feed-reader.ts';
import { emptyFeed, type FeedState, showWaiting, watchedTo, withNews, withPage } from './feed-state.ts';

export interface Feed {
  readonly state: FeedState | undefined;
  readonly problem: ApiProblem | undefined;
  readonly isLoading: boolean;
  readonly isSlow: boolean;
  /** The rows are those of another question. */
  readonly isStale: boolean;
  /** Undefined where the span has an end. */
  readonly live: LiveState | undefined;
  readonly from: number;
  readonly to: number;
  readonly readMore: () => void;
  readonly showNews: () => void;
  readonly reload: () => void;
}

const SLOW_MS = 200;
const RETRY_MS = 2_000;
/** Records come late: so far back is asked again. */
const LATE_MS = 5 * 60_000;

const askFeed: AskFeed = (name, parameters, signal) => ask(name, parameters, signal);

export interface FeedAsked {
  readonly filter: FeedFilter;
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly cluster: string | undefined;
  /** Whether somebody reads, so that new rows wait. */
  readonly isRead: () => boolean;
}

export function useFeed({ filter, since, until, cluster, isRead }: FeedAsked): Feed {
  const key = JSON.stringify([filter, since, until, cluster]);
  const [state, setState] = useState<FeedState>();
  const [meta, setMeta] = useState<Pick<Feed, 'problem' | 'isLoading' | 'isSlow'> & { readonly shown?: string }>({
    ...{ problem: undefined, isLoading: true, isSlow: false },
  });
  const [turn, setTurn] = useState(0);
  const [live, setLive] = useState<LiveState>();
  const range = useRef({ from: 0, to: 0 });
  const current = useRef(state);
  current.current = state;
  const more = useRef(() => {});
  const bearer = token.value;

  useEffect(() => {
    const end = new AbortController();
    const span = resolveSpan({ since, until }, serverNow(), USUAL_SPAN.feed);
    const change = (next: (state: FeedState) => FeedState) =>
      setState((state) => (state === undefined ? state : next(state)));
    let retry: ReturnType<typeof setTimeout> | undefined;
    let isBusy = false;

    /** One at a time: two would read the same. */
    const run = async (read: () => Promise<void>, again: () => void) => {
      if (isBusy) return;
      isBusy = true;
      setMeta((meta) => ({ ...meta, isLoading: true }));
      const slow = setTimeout(() => setMeta((meta) => ({ ...meta, isSlow: true })), SLOW_MS);
      try {
        await read();
        if (!end.signal.aborted) setMeta({ problem: undefined, isLoading: false, isSlow: false, shown: key });
      } catch (error) {
        if (end.signal.aborted) return;
        const problem = asProblem(error);
        setMeta((meta) => ({ ...meta, problem, isLoading: false, isSlow: false }));
        if (problem.isPassing) retry = setTimeout(again, RETRY_MS);
      } finally {
        clearTimeout(slow);
        isBusy = false;
      }
    };

    const first = () =>
      void run(async () => {
        const page = await readOlder(askFeed, filter, span, FIRST_SLICE_MS, cluster, end.signal);
        range.current = span;
        setState(withPage(emptyFeed(span.to), page));
        if (isLive({ until })) follow();
      }, first);

    more.current = () =>
      void run(async () => {
        const { reached, sliceMs } = current.current ?? emptyFeed(span.to);
        const older = { from: span.from, to: reached };
        const page = await readOlder(askFeed, filter, older, sliceMs, cluster, end.signal);
        change((state) => withPage(state, page));
      }, more.current);

    const follow = () => {
      const forget = followLive({ cluster, onEvent, onPoll }, end.signal).subscribe(setLive);
      end.signal.addEventListener('abort', forget);
    };

    const onEvent = (event: ServerEvent) => {
      const item = newsOf(event);
      if (item !== undefined && isWanted(item, filter)) change((state) => withNews(state, [item], isRead()));
      if (event.event === 'coverage') {
        const { to } = JSON.parse(event.data) as { readonly to: string | null };
        change((state) => watchedTo(state, to));
      }
    };

    let isPolling = false;
    const onPoll = async () => {
      if (isPolling) return;
      isPolling = true;
      try {
        const now = serverNow();
        const recent = { from: Math.max(span.from, (polled ?? span.to) - LATE_MS), to: now };
        const read = await readSlice(askFeed, filter, recent, cluster, false, end.signal);
        // More than a page: begin again, with what is newest.
        if (read === undefined) setTurn((turn) => turn + 1);
        else {
          polled = now;
          change((state) => withNews(watchedTo(state, read.coverage?.to ?? null), read.items, isRead()));
          setMeta((meta) => (meta.problem?.isPassing ? { ...meta, problem: undefined } : meta));
        }
      } catch (error) {
        const problem = asProblem(error);
        if (!end.signal.aborted) setMeta((meta) => ({ ...meta, problem }));
      } finally {
        isPolling = false;
      }
    };
    let polled: number | undefined;

    first();
    return () => {
      end.abort();
      clearTimeout(retry);
      setLive(undefined);
    };
  }, [key, turn, bearer]);

  return {
    ...{ state, problem: meta.problem, isLoading: meta.isLoading, isSlow: meta.isSlow },
    isStale: state !== undefined && (meta.shown !== key || meta.problem !== undefined),
    ...{ live, from: range.current.from, to: range.current.to },
    readMore: () => more.current(),
    showNews: () => setState((state) => (state === undefined ? state : showWaiting(state))),
    reload: () => setTurn((turn) => turn + 1),
  };
}

function newsOf({ event, data }: ServerEvent): FeedItem | undefined {
  if (event === 'move') return moveItem(JSON.parse(data) as MoveDocument);
  return event === 'change' ? changeItem(JSON.parse(data) as ChangeDocument) : undefined;
}
