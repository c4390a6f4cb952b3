// Pages of a listing: as many records as are wanted, and where the next ones begin. A cursor is of one question: with
// another one it is refused, because it would skip records there.
import { createHash } from 'node:crypto';
import { decodePlace, encodePlace, isSameRecord, type Place } from '../engines/order.ts';
import type { Paged } from '../engines/snapshot.ts';
import { HistoryError } from '../errors.ts';
import { LARGEST_PAGE, type PageRequest } from '../query/limits.ts';

export interface Paging {
  /** 0: all of them. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface PagedListing<T> {
  /** What is asked, without its times: whoever asks for the last hour asks for another hour on the next page. */
  readonly question: Readonly<Record<string, unknown>>;
  readonly placeOf: (item: T) => Place;
  readonly read: (page: PageRequest) => Promise<Paged<T>>;
  /** Undefined: all records. */
  readonly wanted?: ((item: T) => boolean) | undefined;
  /**
   * Asked after each reading: whether the page ends here, with what it has. Its cursor then names the last record that was
   * read, which may be none that was given: only for who may see all of them.
   */
  readonly isEnough?: (() => boolean) | undefined;
}

/** Where some records may not be wanted, so many are read at once at least. */
const LEAST_READ = 256;

/**
 * Page after page until there are enough of those that are wanted, and one more: a cursor is given only if another wanted
 * record follows, and names the last one that was given. So neither says anything about those that are not.
 */
export async function collect<T>({ limit, cursor }: Paging, listing: PagedListing<T>): Promise<Paged<T>> {
  const { question, placeOf, read, wanted, isEnough } = listing;
  checkLimit(limit);
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  const items: T[] = [];
  let after = cursor === undefined ? undefined : placeCursor(cursor, question);
  const given = after === undefined ? undefined : decodePlace(after);
  // The cursor may be of another replica, where the same record has another place.
  const isGiven = (item: T) => given !== undefined && isSameRecord(given, placeOf(item));
  do {
    const missing = most + 1 - items.length;
    const page = await read({
      limit: Math.min(LARGEST_PAGE, wanted === undefined ? missing : Math.max(missing, LEAST_READ)),
      cursor: after,
    });
    for (const item of page.items) if ((wanted === undefined || wanted(item)) && !isGiven(item)) items.push(item);
    after = page.cursor;
    if (after !== undefined && items.length <= most && isEnough?.() === true)
      return { items, cursor: questionCursor(decodePlace(after), question) };
  } while (after !== undefined && items.length <= most);
  if (items.length <= most) return { items, cursor: undefined };
  const last = items[most - 1] as T;
  return { items: items.slice(0, most), cursor: questionCursor(placeOf(last), question) };
}

export function checkLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 0) return;
  throw new HistoryError('bad-page', `a page of ${limit} records cannot be given`, {
    hint: 'ask for a whole number of records; 0 is all of them.',
  });
}

/** The cursor of a place in the listing of a question. */
export function questionCursor(place: Place, question: PagedListing<unknown>['question']): string {
  return `${digestOf(question)}.${encodePlace(place)}`;
}

/** The place that a cursor of this question names. */
export function cursorPlace(cursor: string, question: PagedListing<unknown>['question']): Place {
  return decodePlace(placeCursor(cursor, question));
}

function placeCursor(cursor: string, question: PagedListing<unknown>['question']): string {
  const dot = cursor.indexOf('.');
  const digest = cursor.slice(0, Math.max(0, dot));
  const place = cursor.slice(dot + 1);
  if (!/^[\w-]{8}$/.test(digest)) throw badCursor('this is no cursor that a page came with');
  if (digest !== digestOf(question)) throw badCursor('this cursor belongs to another question');
  decodePlace(place);
  return place;
}

function badCursor(message: string): HistoryError {
  return new HistoryError('bad-cursor', message, {
    hint: 'pass the cursor of the page before with the same question, or leave it out to start at the first page.',
  });
}

/** The same on every replica, and for every asker. */
function digestOf(question: PagedListing<unknown>['question']): string {
  const members = Object.entries(question).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url').slice(0, 8);
}

export function pagingDocument({ cursor }: Paged<unknown>) {
  return { more: cursor !== undefined, cursor: cursor ?? null };
}
