// Moves and changes: one feed, newest first, live where the span ends now. Rows that somebody reads do not move: new ones
// wait behind a button.
import { useRef } from 'preact/hooks';
import { address } from '../../address/location.ts';
import type { LiveState } from '../../api/live.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { NothingListed } from '../../parts/empty-listing.tsx';
import { SaveButtons } from '../../parts/save-buttons.tsx';
import { ProblemNote, Skeleton, Waiting } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { feedCommand } from './feed-command.ts';
import { feedCsv } from './feed-csv.ts';
import { feedFilter, hasMoves, isFiltered } from './feed-filter.ts';
import { FeedFilters } from './feed-filters.tsx';
import { FeedRow } from './feed-row.tsx';
import { type Feed, useFeed } from './use-feed.ts';

export function FeedView() {
  const { parameters } = address.value;
  const filter = feedFilter(parameters);
  const { since, until, cluster } = parameters;
  const list = useRef<HTMLOListElement>(null);
  const isRead = () => scrollY > 40 || list.current?.contains(document.activeElement) === true;
  const feed = useFeed({ filter, since, until, cluster, isRead });
  const { state, problem, isSlow, isStale, from, to } = feed;
  const isShown = problem !== undefined && problem.status !== 401;
  return (
    <>
      <FeedFilters filter={filter} />
      <div class="row bar">
        {feed.live !== undefined && <LiveBadge state={feed.live} />}
        {hasMoves(filter) && (
          <CopyButton text={() => feedCommand(filter, { from, to }, cluster)}>Copy as command</CopyButton>
        )}
        <SaveButtons name="feed" csv={state && (() => feedCsv(state.items))} />
      </div>
      <div class="feed-news" role="status">
        {state !== undefined && state.waiting.length > 0 && (
          <button
            type="button"
            class="primary"
            onClick={() => {
              feed.showNews();
              scrollTo({ top: 0 });
            }}
          >
            {state.waiting.length} new
          </button>
        )}
      </div>
      {isShown && <ProblemNote problem={problem} onRetry={feed.reload} />}
      {isSlow && !isShown && state === undefined && <Skeleton lines={8} />}
      {isSlow && !isShown && isStale && <Waiting />}
      {state !== undefined && (
        <div class={isStale ? 'stale' : undefined} aria-busy={isStale}>
          <ol class="feed" ref={list} aria-label="Moves and changes, newest first">
            {state.items.map((item) => (
              <FeedRow key={item.key} item={item} />
            ))}
          </ol>
          <Older feed={feed} isFiltered={isFiltered(filter)} />
        </div>
      )}
    </>
  );
}

function Older({ feed, isFiltered }: { readonly feed: Feed; readonly isFiltered: boolean }) {
  const { state, from, to, isLoading, readMore } = feed;
  if (state === undefined) return null;
  const { items, reached, coverage, isNarrowed } = state;
  if (reached > from)
    return (
      <p class="row">
        <button type="button" onClick={readMore} disabled={isLoading}>
          {isLoading ? 'Loading …' : 'Older'}
        </button>
        <span class="muted small">
          All since <Time at={reached} /> is shown.
        </span>
      </p>
    );
  if (items.length === 0) return <NothingListed {...{ coverage, from, to, isFiltered, isNarrowed }} />;
  return (
    <p class="muted small">
      This is all since <Time at={from} />
      {isNarrowed && ', of the namespaces in which you may list pods'}.
      {coverage?.from != null && Date.parse(coverage.from) > from && (
        <>
          {' '}
          The first record is of <Time at={coverage.from} />.
        </>
      )}
    </p>
  );
}

const LIVE: Readonly<Record<LiveState, readonly [tone: string, shape: string, word: string, title: string]>> = {
  connecting: ['unknown', '◌', 'connecting', 'Waiting for the first news'],
  live: ['free', '●', 'live', 'New rows come by themselves'],
  polling: ['held', '◐', 'polling', 'Something in between holds the stream back: the page asks every 5 seconds'],
  down: ['failed', '○', 'not connected', 'The page tries again every 2 seconds'],
};

function LiveBadge({ state }: { readonly state: LiveState }) {
  const [tone, shape, word, title] = LIVE[state];
  return (
    <span class={`badge ${tone}`} title={title} role="status">
      <span aria-hidden="true">{shape}</span> {word}
    </span>
  );
}
