// e2e/allowed-skips.json: the tests that may be skipped, each with its reason. A skip that is not listed there fails
// the run, so that a test cannot disappear quietly. Called by scripts/run-tests.ts.
import { readFileSync } from 'node:fs';
import type { SkippedTest } from './tally.ts';

export interface AllowedSkip {
  /** The full title: names of the suites and of the test, joined by " > ". */
  readonly test: string;
  readonly reason: string;
}

/** Throws a sentence when the file is not such a list. A missing file allows nothing. */
export function readAllowedSkips(path: string): AllowedSkip[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return parseAllowedSkips(text, path);
}

export function parseAllowedSkips(text: string, path: string): AllowedSkip[] {
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!Array.isArray(entries)) throw new Error(`${path} must hold a list of { "test", "reason" }`);
  return entries.map((entry: unknown, index) => {
    if (!isAllowedSkip(entry)) throw new Error(`${path}: entry ${index + 1} needs a "test" and a "reason" with words`);
    return { test: entry.test, reason: entry.reason };
  });
}

/** One line for each skipped test: the reason it gave itself, else the listed one. */
export function describeSkip(skip: SkippedTest, allowed: readonly AllowedSkip[]): string {
  const reason = skip.reason ?? allowed.find((entry) => entry.test === skip.title)?.reason ?? 'no reason given';
  return `skipped: ${skip.title} (${skip.file}): ${reason}`;
}

export function unlistedSkips(skipped: readonly SkippedTest[], allowed: readonly AllowedSkip[]): SkippedTest[] {
  const titles = new Set(allowed.map((entry) => entry.test));
  return skipped.filter((skip) => !titles.has(skip.title));
}

function isAllowedSkip(entry: unknown): entry is AllowedSkip {
  if (typeof entry !== 'object' || entry === null || !('test' in entry) || !('reason' in entry)) return false;
  return [entry.test, entry.reason].every((field) => typeof field === 'string' && field.trim() !== '');
}
