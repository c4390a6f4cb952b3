// When nobody was watching, and why.
import type { Cluster, Paged, Snapshot } from '../engines/snapshot.ts';
import type { EpochMillis } from '../model/time.ts';
import { type AskedSpan, clusterDocument, spanDocument } from './asked.ts';
import { narrowedDocument, type Visibility } from './narrowed.ts';
import { checkLimit, cursorPlace, type PagedListing, type Paging, pagingDocument, questionCursor } from './paging.ts';
import type { GapsDocument } from './schemas/index.ts';
import { inOrder, readWatching, type Unwatched, type Watching, watchingDocument } from './watching.ts';

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

/** Gaps name nobody: they are the same for every asker. */
export async function askGaps(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  { span, paging, now }: GapsAsked,
): Promise<GapsFound> {
  const found = await readWatching(snapshot, span, now);
  const watching = { ...found, gaps: inOrder([...found.gaps, ...found.podsOnly]) };
  const gaps = pageOf(watching.gaps, { listing: 'gaps', cluster: cluster.id }, paging);
  const coverage = watchingDocument({ ...watching, gaps: gaps.items });
  const query = { ...clusterDocument(cluster), ...spanDocument(span) };
  const document = { query, ...narrowedDocument(visibility), ...pagingDocument(gaps), coverage };
  return { gaps, watching, document };
}

/** From the first that lies after the cursor's time. Those that begin at the same time are on one page. */
function pageOf(
  all: readonly Unwatched[],
  question: PagedListing<Unwatched>['question'],
  { limit, cursor }: Paging,
): Paged<Unwatched> {
  checkLimit(limit);
  const after = cursor === undefined ? undefined : cursorPlace(cursor, question).time;
  const rest = after === undefined ? all : all.filter(({ from }) => from > after);
  const last = limit === 0 ? undefined : rest[limit - 1]?.from;
  const items = last === undefined ? rest : rest.filter(({ from }) => from <= last);
  const isMore = last !== undefined && items.length < rest.length;
  return { items, cursor: isMore ? questionCursor({ time: last, key: '' }, question) : undefined };
}
