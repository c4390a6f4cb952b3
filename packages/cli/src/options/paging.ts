// How many records of a listing are wanted, after which, and what is said when there are more: `--limit` and `--cursor`.
import type { Paged } from '@podtrail/history/wire';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';

const DEFAULT_LIMIT = 1000;

export interface PagingOptions {
  readonly limit: number;
  readonly cursor?: string;
}

/** Adds both flags. */
export function withPaging(
  command: Command,
  limits = 'print at most this many, the oldest first; 0 prints all',
): Command {
  const limit = new Option('--limit <n>', limits);
  limit.default(DEFAULT_LIMIT).argParser((text) => {
    if (!/^\d{1,9}$/.test(text))
      throw new UsageError(`--limit ${text} is not a number from 0 to 999999999`, 'write --limit 100; 0 prints all.');
    return Number(text);
  });
  return command
    .addOption(limit)
    .addOption(new Option('--cursor <text>', 'continue after the page that printed this cursor'));
}

export async function notePaging(cli: Cli, { items, cursor }: Paged<unknown>): Promise<void> {
  if (cursor === undefined) return;
  await cli.note(`${items.length} shown; more: add --cursor ${cursor}`);
}
