// The span of time that `--since` and `--until` name, and how many records of it are wanted.
import {
  type EpochMillis,
  epochMillis,
  LARGEST_PAGE,
  LONGEST_SPAN_MS,
  type Paged,
  type PageWish,
  type Span,
} from '@podtrail/history';
import { Option } from 'commander';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';
import type { SharedOptions } from './shared-flags.ts';

const DEFAULT_LIMIT = 1000;

/** The longest span that may be asked for, up to now, unless it is said otherwise. Now itself belongs to it. */
export async function spanOf(cli: Cli, options: SharedOptions): Promise<Span> {
  const since = options.since === undefined ? undefined : await cli.time('--since', options.since, options);
  const until = options.until === undefined ? undefined : await cli.time('--until', options.until, options);
  const to: EpochMillis = until ?? epochMillis(cli.now + 1);
  const from = since ?? epochMillis(Math.max(0, to - LONGEST_SPAN_MS));
  if (to - from > LONGEST_SPAN_MS) {
    const days = LONGEST_SPAN_MS / 86_400_000;
    throw new UsageError(`--since and --until are more than ${days} days apart`, 'ask for one part after the other.');
  }
  if (from >= to) throw new UsageError('--since is not before --until, so there is no time in between');
  return { from, to };
}

export function limitOption(): Option {
  const option = new Option('--limit <n>', 'print at most this many, the oldest first; 0 prints all').default(
    DEFAULT_LIMIT,
  );
  return option.argParser((text) => {
    if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--limit ${text} is not a whole number`);
    return Number(text);
  });
}

export interface Found<T> {
  readonly items: readonly T[];
  /** There is more than was asked for. */
  readonly more: boolean;
}

/** Page after page until there are enough of those that are wanted. */
export async function collect<T>(
  limit: number,
  read: (page: PageWish) => Promise<Paged<T>>,
  wanted: (item: T) => boolean = () => true,
): Promise<Found<T>> {
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  const items: T[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await read({ limit: Math.min(LARGEST_PAGE, most - items.length), cursor });
    for (const item of page.items) if (wanted(item)) items.push(item);
    cursor = page.cursor;
    if (cursor === undefined || items.length >= most) return { items, more: cursor !== undefined };
  }
}
