// Pages of a listing: as many records as are wanted, and where the next ones begin.
import type { Paged } from '../engines/snapshot.ts';
import { LARGEST_PAGE, type PageRequest } from '../query/limits.ts';

export interface Paging {
  /** 0: all of them. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Page after page until there are enough of those that are wanted. */
export async function collect<T>(
  { limit, cursor: after }: Paging,
  read: (page: PageRequest) => Promise<Paged<T>>,
  wanted: (item: T) => boolean = () => true,
): Promise<Paged<T>> {
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  const items: T[] = [];
  let cursor = after;
  for (;;) {
    // Never more than are wanted, so that the page's cursor is also that of the listing.
    const page = await read({ limit: Math.min(LARGEST_PAGE, most - items.length), cursor });
    for (const item of page.items) if (wanted(item)) items.push(item);
    cursor = page.cursor;
    if (cursor === undefined || items.length >= most) return { items, cursor };
  }
}

export function pagingDocument({ cursor }: Paged<unknown>) {
  return { more: cursor !== undefined, cursor: cursor ?? null };
}
