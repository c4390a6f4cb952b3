// When nobody was watching, and why.
import type { Cluster, Paged, Snapshot } from '../engines/snapshot.ts';
import { HistoryError } from '../errors.ts';
import type { EpochMillis } from '../model/time.ts';
import { type AskedSpan, clusterDocument, spanDocument } from './asked.ts';
import { type Paging, pagingDocument } from './paging.ts';
import type { GapsDocument } from './schemas.ts';
import { readWatching, type Unwatched, type Watching, watchingDocument } from './watching.ts';

export interface GapsAsked {
  readonly span: AskedSpan;
  readonly paging: Paging;
  readonly now: EpochMillis;
}

export interface GapsFound {
  readonly gaps: Paged<Unwatched>;
  /** With all gaps of the span. */
  readonly watching: Watching;
  readonly document: GapsDocument;
}

export async function askGaps(snapshot: Snapshot, cluster: Cluster, question: GapsAsked): Promise<GapsFound> {
  const { span, paging, now } = question;
  const watching = await readWatching(snapshot, span, now);
  const gaps = pageOf(watching.gaps, paging);
  const coverage = watchingDocument({ ...watching, gaps: gaps.items });
  return {
    gaps,
    watching,
    document: { query: { ...clusterDocument(cluster), ...spanDocument(span) }, ...pagingDocument(gaps), coverage },
  };
}

export function isGapsCursor(cursor: string): boolean {
  return /^\d{1,16}$/.test(cursor);
}

/** From the first that lies after the cursor's time. Those that begin at the same time are on one page. */
function pageOf(all: readonly Unwatched[], { limit, cursor }: Paging): Paged<Unwatched> {
  if (cursor !== undefined && !isGapsCursor(cursor)) {
    throw new HistoryError('bad-cursor', `${cursor} is no cursor`, {
      hint: 'pass one as it was given, or leave it out to start at the first page.',
    });
  }
  const rest = cursor === undefined ? all : all.filter(({ from }) => from > Number(cursor));
  const last = limit === 0 ? undefined : rest[limit - 1]?.from;
  const items = last === undefined ? rest : rest.filter(({ from }) => from <= last);
  return { items, cursor: items.length < rest.length ? String(last) : undefined };
}
