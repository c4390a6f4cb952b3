// The suites: which files belong to each, and how patient and parallel its run is. Called by scripts/run-tests.ts.
import { globSync } from 'node:fs';

export interface TestSuite {
  readonly patterns: readonly string[];
  /** Folders whose files belong to another suite. */
  readonly without?: readonly string[];
  readonly concurrency: number;
  /** Only against a file that hangs: several times what the slowest takes on a busy machine. */
  readonly fileLimitMs: number;
}

export const SUITES: Readonly<Record<string, TestSuite>> = {
  unit: {
    // The recordings of real nodes are only read: they need neither Go nor a control plane.
    patterns: ['packages/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts', 'e2e/recordings/*.test.ts'],
    concurrency: 2,
    fileLimitMs: 300_000,
  },
  // Each file starts a control plane of its own: two at once would only slow each other down on two cores.
  e2e: { patterns: ['e2e/**/*.test.ts'], without: ['e2e/packed/'], concurrency: 1, fileLimitMs: 1_200_000 },
  // Needs no control plane, and npm's cache or registry for what the tarballs depend on.
  packed: { patterns: ['e2e/packed/*.test.ts'], concurrency: 1, fileLimitMs: 600_000 },
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
