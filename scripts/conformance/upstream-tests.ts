// The names of client-go's tests, read from its sources: `TestX`, or `TestX/row` for tests that are compared by rows.
// Called by scripts/check-conformance.ts and by the test in e2e/ that has Go's module cache at hand.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BY_ROWS, COMPARED, FOLDERS, NOT_COMPARED } from './compared-files.ts';

/** Test names by file, both in the order of the document and of the file. */
export type UpstreamTests = Readonly<Record<string, readonly string[]>>;

/** Throws a sentence when a test file is neither compared nor left out with a reason. */
export function readUpstreamTests(moduleFolder: string): UpstreamTests {
  const compared = COMPARED.flatMap(({ files }) => files);
  const known = new Set([...compared, ...Object.keys(NOT_COMPARED)]);
  const found = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*_test.go`, { cwd: moduleFolder }));
  const unknown = found.map((file) => file.replaceAll('\\', '/')).filter((file) => !known.has(file));
  if (unknown.length > 0) throw new Error(`neither compared nor left out: ${unknown.sort().join(', ')}`);
  return Object.fromEntries(
    compared.map((file) => [file, testNames(readFileSync(join(moduleFolder, file), 'utf8'), BY_ROWS)]),
  );
}

/** `TestMain` is Go's set-up hook, not a test. */
export function testNames(goSource: string, byRows: ReadonlySet<string>): string[] {
  return goSource.split(/^(?=func )/m).flatMap((body) => {
    const name = /^func (Test\w+)\(t \*testing\.T\)/.exec(body)?.[1];
    if (name === undefined) return [];
    if (!byRows.has(name)) return [name];
    const rows = rowNames(body);
    if (rows.length === 0) throw new Error(`${name} is compared by rows, but none was found`);
    return rows.map((row) => `${name}/${row}`);
  });
}

/** The `name` of each row of the table, which ends where the loop over it begins, and literal subtests. */
function rowNames(body: string): string[] {
  const table = body.split(/^\tfor /m, 1)[0] ?? '';
  const rows = table.matchAll(/^\s*name:\s*("(?:[^"\\\n]|\\.)*")/gm);
  const subtests = body.matchAll(/^\tt\.Run\(("(?:[^"\\\n]|\\.)*")/gm);
  return [...rows, ...subtests].map((match) => JSON.parse(match[1] ?? '""') as string);
}
