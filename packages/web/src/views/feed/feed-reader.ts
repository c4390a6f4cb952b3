// Reads the feed backwards in time. The server lists the oldest first; so slices of time are asked for, each in whole,
// from now back. A slice with little in it makes the next one longer, one with too much is asked for in smaller parts.
import type { ChangesDocument, MovesDocument, WatchingDocument } from '@podtrail/history/wire';
import type { AskedParameters } from '../../api/ask.ts';
import { instantText } from '../../times/span.ts';
import { type FeedFilter, feedQuestions, isWanted } from './feed-filter.ts';
import { changeItem, type FeedItem, mergeItems, moveItem } from './feed-item.ts';

export type AskFeed = (
  name: 'moves' | 'changes',
  parameters: AskedParameters,
  signal: AbortSignal,
) => Promise<MovesDocument | ChangesDocument>;

export interface FeedPage {
  readonly items: readonly FeedItem[];
  /** Everything since then has been read. */
  readonly reached: number;
  /** How long the next slice is. */
  readonly sliceMs: number;
  readonly isNarrowed: boolean;
  /** Of the last slice, which is the oldest; its beginning and end are those of all that was recorded. */
  readonly coverage: WatchingDocument | undefined;
}

export interface FeedRange {
  readonly from: number;
  readonly to: number;
}

export const FIRST_SLICE_MS = 3_600_000;
/** A record a millisecond would be too many for a page to show. */
const LEAST_SLICE_MS = 1_000;
const SLICE_LIMIT = 500;
const WANTED_ROWS = 60;
const MOST_SLICES = 12;
const GROWTH = 4;

/** Until there are some rows, or the beginning of the range is reached, or it has asked often enough for once. */
export async function readOlder(
  ask: AskFeed,
  filter: FeedFilter,
  { from, to }: FeedRange,
  sliceMs: number,
  cluster: string | undefined,
  signal: AbortSignal,
): Promise<FeedPage> {
  let items: readonly FeedItem[] = [];
  let reached = to;
  let isNarrowed = false;
  let coverage: WatchingDocument | undefined;
  for (let turn = 0; turn < MOST_SLICES && reached > from && items.length < WANTED_ROWS; turn++) {
    const slice = { from: Math.max(from, reached - sliceMs), to: reached };
    const isLeast = slice.to - slice.from <= LEAST_SLICE_MS;
    const read = await readSlice(ask, filter, slice, cluster, isLeast, signal);
    if (read === undefined) {
      sliceMs = Math.max(LEAST_SLICE_MS, Math.ceil((slice.to - slice.from) / GROWTH));
      continue;
    }
    items = mergeItems(items, read.items);
    reached = slice.from;
    coverage = read.coverage ?? coverage;
    isNarrowed ||= read.isNarrowed;
    if (read.most * GROWTH < SLICE_LIMIT) sliceMs *= GROWTH;
  }
  return { items, reached, sliceMs, isNarrowed, coverage };
}

interface FeedSlice extends Pick<FeedPage, 'items' | 'isNarrowed' | 'coverage'> {
  /** Records of the longest answer, wanted or not. */
  readonly most: number;
}

/** Undefined: there is more in it than one page has. `isLeast`: then page after page is read. */
export async function readSlice(
  ask: AskFeed,
  filter: FeedFilter,
  slice: FeedRange,
  cluster: string | undefined,
  isLeast: boolean,
  signal: AbortSignal,
): Promise<FeedSlice | undefined> {
  const span = { since: instantText(slice.from), until: instantText(slice.to), limit: SLICE_LIMIT };
  const read = async ({ name, parameters }: ReturnType<typeof feedQuestions>[number]) => {
    const documents = [await ask(name, { ...parameters, ...span }, signal)];
    for (let last = documents[0]; isLeast && last?.more; documents.push(last))
      last = await ask(name, { ...parameters, ...span, cursor: last.cursor ?? undefined }, signal);
    return documents;
  };
  const documents = (await Promise.all(feedQuestions(filter, cluster).map(read))).flat();
  if (!isLeast && documents.some(({ more }) => more)) return undefined;
  const found = documents.map(itemsOf);
  return {
    items: mergeItems(
      [],
      found.flat().filter((item) => isWanted(item, filter)),
    ),
    most: found.reduce((most, { length }) => Math.max(most, length), 0),
    isNarrowed: documents.some(({ narrowed }) => narrowed === true),
    coverage: documents.at(-1)?.coverage,
  };
}

function itemsOf(document: MovesDocument | ChangesDocument): readonly FeedItem[] {
  return 'moves' in document ? document.moves.map(moveItem) : document.changes.map(changeItem);
}
