// Trail with 100,000 intervals, in a real browser on a real store: it opens, follows wheel, pointer and keys, and the table
// says the same. `npm run bench -- ui` says how fast.
// Runs alone: it draws 100,000 intervals in software.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { SKIP, WebBrowser } from './browser.ts';
import { DAY_MS, manyLedger, UNTIL } from './many-ledger.ts';
import { Served } from './served-ledger.ts';

const INTERVALS = 100_000;
const NODES = 200;

let browser: WebBrowser;
let served: Served;
let directory: string;
before(async () => {
  if (SKIP !== false) return;
  directory = await mkdtemp(join(tmpdir(), 'podtrail-many-'));
  const store = `sqlite:${join(directory, 'many.db')}`;
  await manyLedger(store, INTERVALS, NODES);
  [browser, served] = await Promise.all([WebBrowser.start(), Served.store(store)]);
});
after(async () => {
  await Promise.all([browser?.end(), served?.end()]);
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
});

const times = (page: Page) =>
  ['since', 'until'].map((name) => Date.parse(new URL(page.url()).searchParams.get(name) ?? ''));

/** Does it, and waits until the URL has another time. */
async function movesTime(page: Page, what: () => Promise<unknown>): Promise<readonly [from: number, to: number]> {
  const before = page.url();
  await Promise.all([page.waitForURL((url) => url.href !== before), what()]);
  const [from = Number.NaN, to = Number.NaN] = times(page);
  return [from, to];
}

test('100,000 intervals open, pan and zoom; the card, the table and the evidence answer', { skip: SKIP }, async () => {
  await using watched = await browser.open({ width: 1440, height: 900, cookie: await served.cookie() });
  const { page } = watched;
  const [since, until] = [UNTIL - DAY_MS, UNTIL].map((at) => new Date(at).toISOString());
  await watched.goto(`${served.origin}/trail?by=node&since=${since}&until=${until}&most=200000`);
  const summary = page.locator('canvas[role="img"]');
  assert.match((await summary.getAttribute('aria-label')) ?? '', /: 100000 intervals in 200 lanes\./);

  const stage = page.locator('.timeline-stage');
  const box = (await stage.boundingBox()) ?? assert.fail('it is shown');
  const [x, y] = [box.x + 0.6 * box.width, box.y + 0.5 * box.height];
  await page.mouse.move(x, y);
  const zoomed = await movesTime(page, () => page.mouse.wheel(0, -1_200));
  assert.ok(zoomed[1] - zoomed[0] < DAY_MS / 3, 'the wheel zooms in');
  const dragged = await movesTime(page, async () => {
    await page.mouse.down();
    await page.mouse.move(x - 300, y, { steps: 5 });
    await page.mouse.up();
  });
  assert.ok(dragged[0] > zoomed[0], 'dragging to the left shows what is later');
  assert.ok(Math.abs(dragged[1] - dragged[0] - (zoomed[1] - zoomed[0])) < 1_000, 'and as much of it');
  const back = await movesTime(page, () => page.keyboard.press('ArrowLeft'));
  assert.ok(back[0] < dragged[0], 'a key pans, too');
  const closer = await movesTime(page, () => page.keyboard.press('+'));
  assert.ok(closer[1] - closer[0] < back[1] - back[0], 'a key zooms, too');
  await watched.settled();

  await page.getByRole('button', { name: 'Table' }).click();
  const rows = page.locator('section[aria-label="Table of the timeline"] tbody tr');
  assert.equal(await rows.count(), 200, 'a page of the table');
  const label = (await summary.getAttribute('aria-label')) ?? '';
  const [, counted = ''] = /: (\d+) intervals/.exec(label) ?? [];
  await page.getByText(`, ${counted} rows`).waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('Page 2 of').waitFor();
  await rows.first().getByRole('button', { name: 'Evidence' }).click();
  // The store has where they were, and nothing of why they ended.
  await page.locator('.evidence').getByText('There is no record of this pod').waitFor();
  await page.getByRole('button', { name: 'Table' }).click();
  await watched.settled();
  assert.deepEqual({ problems: watched.problems, foreign: watched.foreign }, { problems: [], foreign: [] });
});

test('more than the server gives one by one are counts, and zooming in shows each', { skip: SKIP }, async () => {
  await using watched = await browser.open({ width: 1440, height: 900, cookie: await served.cookie() });
  const { page } = watched;
  const [since, until] = [UNTIL - DAY_MS, UNTIL].map((at) => new Date(at).toISOString());
  await watched.goto(`${served.origin}/trail?by=node&since=${since}&until=${until}`);
  await page.getByText('Too many to show each').waitFor();
  for (let i = 0; i < 5; i++) await movesTime(page, () => page.keyboard.press('+'));
  await page.getByText('Too many to show each').waitFor({ state: 'detached' });
  await watched.settled();
  assert.match((await page.locator('canvas[role="img"]').getAttribute('aria-label')) ?? '', /: \d+ intervals in/);
  assert.deepEqual(watched.problems, []);
});
