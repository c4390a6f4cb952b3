// What our conformance.json files say about client-go's tests, and everything that is wrong with them. Called by
// scripts/check-conformance.ts.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestTitle, testTitles } from './our-tests.ts';
import type { UpstreamTests } from './upstream-tests.ts';

const SOURCES = 'packages/machinery/src';
export const UPSTREAM = `${SOURCES}/conformance-upstream.json`;

export type Entry = {
  readonly upstream: string;
  readonly file: string;
  /** Where ours asks for more, or for something else on purpose. */
  readonly note?: string;
} & ({ readonly ours: string | readonly string[] } | { readonly absent: string });

export interface Upstream {
  readonly module: string;
  readonly version: string;
  readonly tests: UpstreamTests;
}

export interface Comparison {
  readonly upstream: Upstream;
  readonly entries: ReadonlyMap<string, Entry>;
  /** One sentence each; empty when all is well. */
  readonly faults: readonly string[];
}

export function keyOf(file: string, upstream: string): string {
  return `${file} ${upstream}`;
}

export function oursOf(entry: Entry): readonly string[] {
  if (!('ours' in entry)) return [];
  return typeof entry.ours === 'string' ? [entry.ours] : entry.ours;
}

export function storedUpstream(root: string): Upstream {
  return JSON.parse(readFileSync(join(root, UPSTREAM), 'utf8')) as Upstream;
}

export function compare(root: string): Comparison {
  const upstream = storedUpstream(root);
  const known = new Set(Object.entries(upstream.tests).flatMap(([file, names]) => names.map((n) => keyOf(file, n))));
  const entries = new Map<string, Entry>();
  const faults: string[] = [];
  const titles = new Map<string, readonly TestTitle[]>();
  for (const path of globSync(`${SOURCES}/*/conformance.json`, { cwd: root }).sort()) {
    for (const entry of JSON.parse(readFileSync(join(root, path), 'utf8')) as Entry[]) {
      const key = keyOf(entry.file, entry.upstream);
      const fault = (what: string) => faults.push(`${path}: ${entry.upstream} (${entry.file}) ${what}`);
      if (entries.has(key)) fault('is there twice');
      if (!known.has(key)) fault('is no test of client-go that is compared');
      if ('ours' in entry === 'absent' in entry) fault('needs either "ours" or "absent"');
      if ('absent' in entry && entry.absent.trim() === '') fault('is absent without a reason');
      for (const ours of oursOf(entry))
        if (!exists(root, ours, titles)) fault(`names a test that is not there: ${ours}`);
      entries.set(key, entry);
    }
  }
  for (const key of known) if (!entries.has(key)) faults.push(`nothing is said about ${key}`);
  return { upstream, entries, faults };
}

/** "reflector/x.test.ts: title", where the file is one under the machinery's sources. */
function exists(root: string, ours: string, read: Map<string, readonly TestTitle[]>): boolean {
  const [, file, title] = /^(\S+\.test\.ts): (.+)$/s.exec(ours) ?? [];
  if (file === undefined || title === undefined || dirname(file) === '.') return false;
  let titles = read.get(file);
  if (titles === undefined) {
    const path = join(root, SOURCES, file);
    titles = globSync(path).length === 0 ? [] : testTitles(path, readFileSync(path, 'utf8'));
    read.set(file, titles);
  }
  return titles.some((known) => known.matches(title));
}
