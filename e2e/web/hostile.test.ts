// Hostile text in the ledger is text in the page: nothing of it runs, loads or overflows. `npm run e2e -- web`.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SKIP, WebBrowser } from './browser.ts';
import { HOSTILE_CLUSTER, hostileLedger } from './hostile-ledger.ts';
import { Served } from './served-ledger.ts';
import { viewsOf } from './views.ts';

let browser: WebBrowser;
let demo: Served;
let served: Served;
let directory: string;
before(async () => {
  if (SKIP !== false) return;
  directory = await mkdtemp(join(tmpdir(), 'podtrail-hostile-'));
  [browser, demo] = await Promise.all([WebBrowser.start(), Served.demo()]);
  served = await Served.store(await hostileLedger(demo, directory));
});
after(async () => {
  await Promise.all([browser?.end(), demo?.end(), served?.end()]);
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
});

/** Elements that only markup of ours could make, and ours has none of them. */
const MADE_OF_TEXT = `document.querySelectorAll('main img, main script, main [onerror], main [onload], a[href^="javascript:"]').length`;
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

test('hostile values, messages and names are shown as text in every view', { skip: SKIP }, async () => {
  const { clusters } = await served.ask<{ clusters: { name: string }[] }>('/api/v1/clusters');
  assert.equal(clusters[0]?.name, HOSTILE_CLUSTER, 'the ledger is as hostile as it should be');
  let shown = '';
  for (const width of [390, 1280]) {
    await using watched = await browser.open({ width, cookie: await served.cookie() });
    for (const { path, name } of [...viewsOf(demo), { path: '/feed?kind=changes', name: 'changes' }]) {
      await watched.goto(`${served.origin}${path}`);
      assert.equal(await watched.page.evaluate<number>(MADE_OF_TEXT), 0, name);
      const beyond = await watched.page.evaluate<number>(OVERFLOW);
      assert.ok(beyond <= 0, `${name} at ${width} pixels is ${beyond} too wide`);
      shown += await watched.page.locator('body').innerText();
    }
    assert.deepEqual({ problems: watched.problems, foreign: watched.foreign }, { problems: [], foreign: [] });
  }
  for (const text of [/<img src=x onerror=alert\(1\)>/, /constructor\.constructor/])
    assert.match(shown, text, 'what is hostile was on the page at all');
});
