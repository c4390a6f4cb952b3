// The command that makes room on a full disk, for the person who reads the error: written so that a shell takes it as it
// is, with a time that is sure to free something.
import { resolve } from 'node:path';
import type { Head } from './head/head.ts';
import type { HeadReader } from './head/head-read.ts';
import { WEEK_MS, weekStart } from './week/week.ts';

/** Within a transaction. Undefined when there is nothing that could go. */
export function pruneAdvice(head: Head, reader: HeadReader): string | undefined {
  let longest: { readonly name: string; readonly from: number; readonly before: number } | undefined;
  for (const { name, number, expiredTo, weeks } of head.clusters().values()) {
    const coverage = reader.coverage.of(number);
    const from = Math.max(coverage[0]?.from ?? Number.POSITIVE_INFINITY, expiredTo ?? 0);
    const to = coverage.reduce((last, stretch) => Math.max(last, stretch.to), 0);
    if (from >= to || (longest !== undefined && longest.from <= from)) continue;
    // Half of it; a whole week where there is one, because a file frees more than rows do.
    const [week] = weeks;
    const weekEnd = week === undefined ? 0 : weekStart(week.week) + WEEK_MS;
    const middle = from + Math.ceil((to - from) / 2);
    longest = { name, from, before: weekEnd > middle && weekEnd < to ? weekEnd : middle };
  }
  if (longest === undefined) return undefined;
  const before = new Date(Math.ceil(longest.before / 1000) * 1000).toISOString();
  const store = quoted(`sqlite:${resolve(head.path)}`);
  return `podtrail store retain --before ${before} --cluster ${quoted(longest.name)} --store ${store}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
