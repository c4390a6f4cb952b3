// The data of the timeline: asked for what is shown and some more around it, asked again when that is not enough, and
// every few seconds while it goes on with time.
import type { MovesDocument } from '@podtrail/history/wire';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Parameters } from '../../address/page-address.ts';
import { type Asked, useQuestion } from '../../api/use-question.ts';
import type { TimelineMove } from '../../timeline/connectors.ts';
import { needsLoading, spanToLoad } from '../../timeline/level-of-detail.ts';
import type { TimeView } from '../../timeline/time-view.ts';
import { type TimelineData, timelineData } from '../../timeline/timeline-data.ts';
import type { TimelineDocument } from '../../timeline/timeline-document.ts';
import { laneKind, movesQuestion, timelineQuestion } from './trail-question.ts';
import { everyMs, type SpanOfTrail } from './trail-span.ts';

/** An answer to the same question as before that takes longer is late. */
const LATE_MS = 6_000;
const NO_MOVES: readonly TimelineMove[] = [];

export interface TimelineAsked {
  readonly asked: Asked<TimelineDocument>;
  readonly data: TimelineData | undefined;
  readonly moves: readonly TimelineMove[];
  /** Of ends before that the causes are not loaded. */
  readonly causesFrom: number;
  /** Why causes are missing, in words. */
  readonly causesNote: string | undefined;
  /** What is there is of another time or subject. */
  readonly isStale: boolean;
}

export function useTimeline(parameters: Parameters, { view, now, isLive }: SpanOfTrail): TimelineAsked {
  const [wanted, setWanted] = useState<TimeView>(() => spanToLoad(view, now));
  const asked = useQuestion<TimelineDocument>('timeline', timelineQuestion(parameters, wanted));
  const { document } = asked;
  const data = useMemo(() => {
    if (document === undefined) return undefined;
    performance.mark('timeline:data');
    return timelineData(document);
  }, [document]);
  const isCovered = !needsLoading(view, loadedOf(document), now);
  const wantedAt = useRef(now);

  const { namespace, cluster, subject, node, by } = parameters;
  const moves = useQuestion<MovesDocument>(
    'moves',
    document === undefined || document.detail === 'density' ? undefined : movesQuestion(parameters, document.query),
  );
  useEffect(() => {
    const isWanted = !needsLoading(view, { ...wanted, detail: document?.detail ?? 'intervals' }, now);
    const isDue = isLive && now - wantedAt.current >= everyMs(view);
    // What is under way is let end: a server that takes longer than the next turn would never be listened to.
    if (isWanted && (!isDue || asked.isLoading || moves.isLoading)) return;
    wantedAt.current = now;
    setWanted(spanToLoad(view, now));
  }, [view, now, isLive, document]);

  const key = [laneKind(parameters), subject, namespace, node, cluster, by].join(' ');
  const shownKey = useRef(key);
  if (!asked.isStale) shownKey.current = key;
  const movesKey = useRef('');
  const isMovesStale = moves.isStale || moves.document === undefined;
  if (!isMovesStale) movesKey.current = key;
  const found = movesKey.current === key ? moves.document : undefined;
  const isLate = asked.isLoading && now - wantedAt.current > LATE_MS;
  return {
    ...{ asked, data, moves: found?.moves ?? NO_MOVES, causesFrom: causesFrom(found) },
    causesNote:
      moves.problem !== undefined
        ? 'Why pods ended did not come.'
        : found === undefined && moves.isLoading
          ? 'Why pods ended is still loading …'
          : undefined,
    isStale:
      document !== undefined && (asked.problem !== undefined || !isCovered || shownKey.current !== key || isLate),
  };
}

/** The newest come first, and not all of them where there are too many. */
function causesFrom(document: MovesDocument | undefined): number {
  if (document === undefined) return Number.POSITIVE_INFINITY;
  const oldest = document.more ? document.moves.at(-1)?.at : document.query.since;
  return Date.parse(oldest ?? '') || 0;
}

function loadedOf(document: TimelineDocument | undefined) {
  if (document === undefined) return undefined;
  return { from: document.base, to: Date.parse(document.query.until), detail: document.detail };
}
