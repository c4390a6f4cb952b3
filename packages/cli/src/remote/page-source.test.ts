import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Problem } from '@podtrail/operator/serving';
import { pageSource } from './page-source.ts';

/** As code of an installed command names itself. */
const INSTALLED = 'file:///usr/lib/node_modules/podtrail/lib/main.js';

function anEmptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'podtrail-page-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('in a clone the page is made of its sources, once for all who ask', async () => {
  const page = pageSource();
  const [one, two] = await Promise.all([page(), page()]);
  assert.match(one.index, /src="\/assets\/page-\w+\.js"/);
  assert.equal(one.assets, (await page()).assets);
  assert.equal(one.assets, two.assets);
});

test('an installed command reads the page that lies beside it', async (t) => {
  const folder = anEmptyFolder(t);
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<p>');
  writeFileSync(join(folder, 'assets', 'page-A.js'), '1');
  const { index, assets } = await pageSource(INSTALLED, pathToFileURL(`${folder}/`))();
  assert.equal(index, '<p>');
  assert.deepEqual(
    [...assets].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]),
    [['assets/page-A.js', '1']],
  );
});

test('without its files it is a problem that says so, and found once they are there', async (t) => {
  const folder = anEmptyFolder(t);
  const page = pageSource(INSTALLED, pathToFileURL(`${folder}/`));
  await assert.rejects(page(), (error) => error instanceof Problem && error.status === 503 && error.code === 'no-page');
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<p>');
  assert.equal((await page()).index, '<p>');
});
