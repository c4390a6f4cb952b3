// Files that are started and not imported: the threads and processes behind `new URL('./x.ts', import.meta.url)`. A
// compiler follows imports only, so these are found in the text, compiled too, and the URL is made to name the
// JavaScript. Called by scripts/build.ts.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const STARTED = /new URL\('(\.{1,2}\/[^']+)\.ts', import\.meta\.url\)/g;

/** Absolute paths, sorted; those that tests start are left out. */
export function startedPrograms(sources: string): string[] {
  const exclude = (path: string) => /(?:^|[\\/])(?:testing|dist|node_modules)$|\.test\.ts$/.test(path);
  const files = globSync('**/*.ts', { cwd: sources, exclude }).map((path) => join(sources, path));
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(STARTED)].map(([, path]) => resolve(dirname(file), `${path}.ts`)),
  );
  return [...new Set(found)].sort();
}

/** `rename` gets the absolute path of the program, and gives what stands in the URL instead. */
export function renameStarted(file: string, code: string, rename: (program: string) => string): string {
  return code.replaceAll(
    STARTED,
    (_, path: string) => `new URL('${rename(resolve(dirname(file), `${path}.ts`))}', import.meta.url)`,
  );
}
