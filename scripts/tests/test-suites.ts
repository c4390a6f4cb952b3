// The suites: which files belong to each, and how patient and parallel its run is. Called by scripts/run-tests.ts.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TestSuite {
  readonly patterns: readonly string[];
  /** Folders whose files belong to another suite. */
  readonly without?: readonly string[];
  /** How many files run at once; those that say that they run alone come after all others, one at a time. */
  readonly concurrency: number;
  /** Only against a file that hangs: several times what the slowest takes on a busy machine. */
  readonly fileLimitMs: number;
  /** The same for one test: one that hangs fails by its name, and the rest of its file still runs. */
  readonly testLimitMs: number;
}

export const SUITES: Readonly<Record<string, TestSuite>> = {
  unit: {
    // The recordings of real nodes are only read: they need neither Go nor a control plane.
    patterns: ['packages/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts', 'e2e/recordings/*.test.ts'],
    concurrency: 2,
    fileLimitMs: 300_000,
    testLimitMs: 200_000,
  },
  // Each file starts a control plane of its own, and mostly waits for it.
  e2e: {
    patterns: ['e2e/**/*.test.ts'],
    without: ['e2e/packed/'],
    concurrency: 2,
    fileLimitMs: 1_200_000,
    testLimitMs: 600_000,
  },
  // Needs no control plane, and npm's cache or registry for what the tarballs depend on.
  packed: { patterns: ['e2e/packed/*.test.ts'], concurrency: 1, fileLimitMs: 600_000, testLimitMs: 400_000 },
};

/**
 * Paths relative to `root` with forward slashes, sorted; with filters, only files whose path contains one of them. One
 * that is a whole word of some path means that word: `web` is the folder, and not every webhook.
 */
export function findTestFiles(root: string, suite: TestSuite, filters: readonly string[]): string[] {
  const exclude = (path: string) => path.split(/[\\/]/).includes('node_modules');
  const found = globSync([...suite.patterns], { cwd: root, exclude })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !(suite.without ?? []).some((folder) => path.startsWith(folder)));
  if (filters.length === 0) return found.sort();
  const chosen = filters.flatMap((filter) => {
    const words = found.filter((path) => hasWord(path, filter));
    return words.length > 0 ? words : found.filter((path) => path.includes(filter));
  });
  return [...new Set(chosen)].sort();
}

function hasWord(path: string, word: string): boolean {
  const [before, after] = [/^\w/.test(word) ? '(?<!\\w)' : '', /\w$/.test(word) ? '(?!\\w)' : ''];
  return new RegExp(`${before}${RegExp.escape(word)}${after}`).test(path);
}

/** What such a file says in its first lines, with the reason behind it. */
const ALONE = /^\/\/ Runs alone: \S/m;
const FIRST_LINES = 1_000;

/** Files that share the machine, and those that do not: they measure times or memory, or load every core. */
export function apart(root: string, files: readonly string[]): { together: string[]; alone: string[] } {
  const says = (file: string) => ALONE.test(readFileSync(join(root, file), 'utf8').slice(0, FIRST_LINES));
  return { together: files.filter((file) => !says(file)), alone: files.filter(says) };
}
