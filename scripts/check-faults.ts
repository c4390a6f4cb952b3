// `npm run faults`: lists the rows of the fault catalogue that no test covers. A test covers row N when its title
// begins `fault N:`. The catalogue is a design document beside the repository, not part of it; without it the covered
// numbers are listed. Only informs: it never fails.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CATALOGUE = '../shared/design/FAULTS.md';

export interface Fault {
  readonly number: number;
  readonly name: string;
}

/** Rows of the form `| 12 | name | …`. */
export function readFaults(markdown: string): Fault[] {
  return [...markdown.matchAll(/^\|\s*(\d+)\s*\|\s*([^|]+?)\s*\|/gm)].map(([, number, name]) => ({
    number: Number(number),
    name: name ?? '',
  }));
}

/** The numbers in string literals that begin `fault N:`. */
export function coveredFaults(source: string): number[] {
  return [...source.matchAll(/['"`]fault (\d+):/g)].map(([, number]) => Number(number));
}

if (import.meta.main) {
  const root = process.cwd();
  const exclude = (path: string) => path.split(/[\\/]/).includes('node_modules');
  const tests = globSync('{packages,e2e,bench}/**/*.test.ts', { cwd: root, exclude });
  const covered = new Set(tests.flatMap((file) => coveredFaults(readFileSync(join(root, file), 'utf8'))));
  const catalogue = join(root, process.argv[2] ?? CATALOGUE);
  if (existsSync(catalogue)) {
    const faults = readFaults(readFileSync(catalogue, 'utf8'));
    const open = faults.filter((fault) => !covered.has(fault.number));
    for (const fault of open) process.stdout.write(`fault ${fault.number} has no test: ${fault.name}\n`);
    process.stdout.write(`${faults.length - open.length} of ${faults.length} faults have a test.\n`);
  } else {
    const numbers = [...covered].sort((a, b) => a - b);
    process.stdout.write(
      `The catalogue ${process.argv[2] ?? CATALOGUE} is not here. Tests cover the faults ${numbers.join(', ') || '(none)'}.\n`,
    );
  }
}
