// How many records of a listing are wanted, after which, and what is said when there are more: `--limit` and `--cursor`.
import { LARGEST_PAGE, type Paged, type PageWish } from '@podtrail/history';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';

const DEFAULT_LIMIT = 1000;

export interface PagingOptions {
  readonly limit: number;
  readonly cursor?: string;
}

export interface Found<T> {
  readonly items: readonly T[];
  /** Where to go on; undefined when that was all. */
  readonly cursor: string | undefined;
}

/** Adds both flags. */
export function withPaging(command: Command): Command {
  const limit = new Option('--limit <n>', 'print at most this many, the oldest first; 0 prints all');
  limit.default(DEFAULT_LIMIT).argParser((text) => {
    if (!/^\d{1,9}$/.test(text))
      throw new UsageError(`--limit ${text} is not a whole number`, 'write --limit 100; 0 prints all.');
    return Number(text);
  });
  return command
    .addOption(limit)
    .addOption(new Option('--cursor <text>', 'continue after the page that printed this cursor'));
}

/** Page after page until there are enough of those that are wanted. */
export async function collect<T>(
  { limit, cursor: after }: PagingOptions,
  read: (page: PageWish) => Promise<Paged<T>>,
  wanted: (item: T) => boolean = () => true,
): Promise<Found<T>> {
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

/** The same for what is at hand as a whole: from the first that lies after the cursor's time. */
export function pageOf<T>(all: readonly T[], { limit, cursor }: PagingOptions, timeOf: (item: T) => number): Found<T> {
  if (cursor !== undefined && !/^\d{1,16}$/.test(cursor))
    throw new UsageError(
      `--cursor ${cursor} is no cursor`,
      'pass one as it was printed, or leave it out to start at the first page.',
    );
  const rest = cursor === undefined ? all : all.filter((item) => timeOf(item) > Number(cursor));
  const items = limit === 0 ? rest : rest.slice(0, limit);
  const last = items.at(-1);
  return { items, cursor: items.length < rest.length && last !== undefined ? String(timeOf(last)) : undefined };
}

/** What a document says of it. */
export function pagingJson({ cursor }: Found<unknown>) {
  return { more: cursor !== undefined, cursor: cursor ?? null };
}

export async function notePaging(cli: Cli, { items, cursor }: Found<unknown>): Promise<void> {
  if (cursor === undefined) return;
  await cli.note(`${items.length} shown; more: add --cursor ${cursor}`);
}
