// What every view does alike, in a real browser on the demo: files, times of the URL that are none, the clock of the server.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { SKIP } from './browser.ts';
import { useDemo } from './demo-stage.ts';
import { viewsOf } from './views.ts';

const stage = useDemo();
const HOUR_MS = 3_600_000;

async function saved(page: Page, button: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

test('every view that shows something saves it as CSV and as PNG', { skip: SKIP }, async () => {
  const pod = /trail (\S+) -n/.exec(stage.demo.printed)?.[1] ?? '';
  const views = viewsOf(stage.demo).filter(({ name }) => name !== 'ask');
  assert.deepEqual(
    new Set(views.map(({ name }) => name.split(/\W/)[0])),
    new Set(['ask', 'trail', 'nodes', 'feed', 'health']),
  );
  for (const { path, name } of [...views, { name: 'matches of a name', path: `/?q=${pod}` }]) {
    await using watched = await stage.open(path);
    const csv = await saved(watched.page, 'CSV');
    assert.match(csv.name, /^podtrail-.*\.csv$/, name);
    const lines = csv.bytes.toString().trimEnd().split('\r\n');
    assert.ok(lines.length > 1, `${name}: ${lines[0]}`);
    const png = await saved(watched.page, 'PNG');
    assert.match(png.name, /^podtrail-.*\.png$/, name);
    assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG', name);
    // An empty picture of that size would be a few kilobytes.
    assert.ok(png.bytes.length > 8_000, `${name}: ${png.bytes.length} bytes`);
    assert.deepEqual(watched.problems, [], name);
  }
});

test('a time in the URL that cannot be shown is said in a sentence', { skip: SKIP }, async () => {
  for (const [path, said] of [
    ['/trail?since=yesterday', /“yesterday” is no time/],
    ['/feed?since=1h&until=2020-01-01T00:00:00Z', /ends before it begins/],
    ['/nodes?at=2099-01-01T00:00:00Z', /has not come: now is shown/],
    ['/health?since=noon', /“noon” is no time/],
    ['/feed?kind=all', /“all” is not known \(kind\)/],
    ['/?ip=10.244.0.2&at=soon', /not understood/],
  ] as const) {
    await using watched = await stage.open(path);
    assert.match(await watched.page.getByRole('alert').first().innerText(), said, path);
  }
});

test('Trail says that the patterns of bars are not the hatching of times when nobody watched', {
  skip: SKIP,
}, async () => {
  await using watched = await stage.open('/trail');
  await watched.page.getByText(/Hatched grey, across all rows: nobody watched; patterns within a bar tell/).waitFor();
});

test('a browser whose clock is an hour off shows the time of the server, and says so', { skip: SKIP }, async () => {
  for (const off of [HOUR_MS, -HOUR_MS]) {
    await using watched = await stage.browser.open({ cookie: await stage.demo.cookie() });
    const { page } = watched;
    await page.addInitScript(`{ const real = Date.now; Date.now = () => real() + ${off}; }`);
    await watched.goto(`${stage.demo.origin}/health`);
    await page.locator('.badge', { hasText: '● watching' }).waitFor();
    await page.getByText(`The clock of this browser is 1 h ${off < 0 ? 'behind' : 'ahead of'}`).waitFor();
    const asked: number[] = [];
    page.on('request', (request) => {
      const until = new URL(request.url()).searchParams.get('until');
      if (request.url().includes('/api/v1/timeline') && until !== null) asked.push(Date.parse(until));
    });
    await watched.goto(`${stage.demo.origin}/trail?since=15m`);
    await page.locator('canvas[aria-label^="Timeline from"]').waitFor();
    await watched.settled();
    const last = asked.at(-1) ?? Number.NaN;
    assert.ok(Math.abs(last - Date.now()) < HOUR_MS / 4, `asked up to ${new Date(last).toISOString()}`);
    assert.deepEqual(watched.problems, []);
  }
});

test('on a phone no label touches its field, and no button what is below it', { skip: SKIP }, async () => {
  await using watched = await stage.open('/feed', { width: 390 });
  const spaces = await watched.page.evaluate<
    readonly number[]
  >(`[...document.querySelectorAll('.filter')].map((label) => {
    const words = document.createRange();
    words.selectNode(label.firstChild);
    return label.querySelector('input').getBoundingClientRect().left - words.getBoundingClientRect().right;
  })`);
  assert.ok(spaces.length > 0 && spaces.every((space) => space >= 4), spaces.join(' '));
  await watched.goto(`${stage.demo.origin}/health`);
  const below = await watched.page.evaluate<number>(`(() => {
    const head = document.querySelector('.health-head');
    const { bottom } = head.querySelector('button').getBoundingClientRect();
    return head.nextElementSibling.querySelector('.badge').getBoundingClientRect().top - bottom;
  })()`);
  assert.ok(below >= 4, String(below));
});
