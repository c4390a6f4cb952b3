import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../../..');

/** The compiler's complaints; empty when there are none. */
async function compile(directory: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return await new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', directory], (error, stdout) => resolve(error === null ? '' : stdout));
  });
}

test('every snippet of the README compiles as it stands, against the public surface', async (t) => {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  const snippets = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
  assert.equal(snippets.length, 4, 'informer, controller, leader election, codec');
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-readme-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  for (const [i, code] of snippets.entries()) await writeFile(join(directory, `snippet-${i}.mts`), code);
  const compilerOptions = {
    paths: { '@podtrail/machinery': [join(ROOT, 'packages/machinery/src/index.ts')] },
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [directory], exclude: [] };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config));
  assert.equal(await compile(directory), '');
  for (const code of snippets.slice(0, 3)) {
    const lines = code.split('\n').filter((line) => line !== '' && !line.startsWith('import'));
    assert.ok(lines.length <= 15, `${lines.length} lines`);
  }
});
