import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SOURCES } from './bundle-page.ts';
import { pageOfSources } from './page-of-sources.ts';

test('whoever changes a source and loads the page again gets the new one; one that fails is not kept', async (t) => {
  // Inside the clone, so that packages are found.
  const temporary = join(SOURCES, '..', '..', '..', '.tmp');
  mkdirSync(temporary, { recursive: true });
  const folder = mkdtempSync(join(temporary, 'page-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const sources = join(folder, 'src');
  cpSync(SOURCES, sources, { recursive: true });
  const main = join(sources, 'main.tsx');
  const page = pageOfSources(sources);
  const first = await page();
  assert.equal(await page(), first);
  writeFileSync(main, 'document.title = "changed";');
  utimesSync(main, 1, 1);
  const second = await page();
  assert.notEqual(second.index, first.index);
  writeFileSync(main, 'const = 1');
  utimesSync(main, 2, 2);
  await assert.rejects(page(), /main\.tsx/);
  await assert.rejects(page(), /main\.tsx/);
  writeFileSync(main, 'document.title = "changed";');
  utimesSync(main, 2, 2);
  assert.equal((await page()).index, second.index, 'of the same time as the one that failed');
});
