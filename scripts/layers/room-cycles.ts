// Rooms are the folders of a package's `src`. Finds those that need each other, of which neither can be read or replaced
// alone; a type that is imported counts, too. Called by scripts/check-layers.ts.
import { posix } from 'node:path';

/** An import of another file of the package. */
export interface InnerImport {
  readonly from: string;
  readonly to: string;
}

/** One sentence for each import that closes a circle of rooms. */
export function findRoomCycles(directory: string, imports: readonly InnerImport[]): string[] {
  const crossing = imports.flatMap(({ from, to }) => {
    const [a, b] = [roomOf(directory, from), roomOf(directory, to)];
    return a === undefined || b === undefined || a === b ? [] : [{ from, to, a, b }];
  });
  const needs = new Map<string, Set<string>>();
  for (const { a, b } of crossing) needs.set(a, (needs.get(a) ?? new Set()).add(b));
  return crossing
    .filter(({ a, b }) => reaches(needs, b, a))
    .map(({ from, to, a, b }) => `${from} imports ${to}: ${b} needs ${a} already, and rooms may not need each other`);
}

function roomOf(directory: string, file: string): string | undefined {
  const [source, room, ...rest] = posix.relative(directory, file).split('/');
  return source === 'src' && rest.length > 0 ? room : undefined;
}

function reaches(needs: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const room of seen) for (const next of needs.get(room) ?? []) seen.add(next);
  return seen.has(to);
}
