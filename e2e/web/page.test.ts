// The page in a real browser, on the demo: what holds for every view. `npm run e2e -- web`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { AxeResults } from 'axe-core';
import { SKIP } from './browser.ts';
import { useDemo } from './demo-stage.ts';
import { DEMO_SEED, Served } from './served-ledger.ts';
import { viewsOf } from './views.ts';
import type { WatchedPage } from './watched-page.ts';

const WIDTHS = [390, 768, 1440];
const THEMES = ['light', 'dark'] as const;
const WIDTHS_OF_PAGE = '[document.documentElement.scrollWidth, document.documentElement.clientWidth]';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const stage = useDemo();

function nothingWrong({ problems, foreign }: WatchedPage, what = ''): void {
  assert.deepEqual({ problems, foreign }, { problems: [], foreign: [] }, what);
}

test('the page opens from the URL that works once, asks nobody else, and no other browser can use that URL', {
  skip: SKIP,
}, async (t) => {
  t.diagnostic(`seed ${DEMO_SEED}, Chromium ${stage.browser.version}`);
  // Its own server: the URL of the demo is used up by the cookie of the other tests.
  const served = await Served.store(stage.demo.store);
  t.after(() => served.end());
  await using watched = await stage.browser.open();
  const { page } = watched;
  await watched.goto(served.url);
  assert.equal(page.url(), `${served.origin}/`, 'no token is left in the URL');
  assert.equal(await page.locator('main h1').textContent(), 'Ask');
  assert.equal(await page.evaluate<string>('document.cookie'), '', 'no script can read the cookie');
  await watched.goto(served.url);
  assert.equal(page.url(), `${served.origin}/`, 'the same browser may open it again');
  nothingWrong(watched);
  await using stranger = await stage.browser.open();
  await stranger.goto(served.url);
  await stranger.page.getByRole('heading', { name: 'Who is asking?' }).waitFor();
});

test('every view is reached by its link, and by its URL, which can be loaded again; back and forward lead through them', {
  skip: SKIP,
}, async () => {
  await using watched = await stage.browser.open({ cookie: await stage.demo.cookie() });
  const { page } = watched;
  await watched.goto(`${stage.demo.origin}/`);
  const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
  const titles = await links.allTextContents();
  assert.equal(titles.length, 5);
  const urls: string[] = [];
  for (const title of titles) {
    await links.filter({ hasText: title }).click();
    await page.locator('main h1', { hasText: title }).waitFor({ state: 'attached' });
    await watched.settled();
    urls.push(page.url());
    await watched.reload();
    assert.equal(await page.locator('main h1').textContent(), title, 'loaded again');
    assert.equal(page.url(), urls.at(-1));
  }
  assert.equal(new Set(urls).size, 5);
  for (const title of titles.toReversed().slice(1)) {
    await page.goBack();
    await page.locator('main h1', { hasText: title }).waitFor({ state: 'attached' });
  }
  await page.goForward();
  await page.locator('main h1', { hasText: titles[1] ?? '' }).waitFor({ state: 'attached' });
  for (const { path, name } of viewsOf(stage.demo)) {
    await watched.goto(`${stage.demo.origin}${path}`);
    const before = await page.locator('main').innerText();
    assert.ok(before.trim() !== '', name);
  }
  nothingWrong(watched);
});

test('nothing scrolls sideways at 390, 768 and 1440 pixels, in both themes', { skip: SKIP }, async () => {
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      await using watched = await stage.browser.open({ width, theme, cookie: await stage.demo.cookie() });
      for (const { path, name } of viewsOf(stage.demo)) {
        await watched.goto(`${stage.demo.origin}${path}`);
        const [is, most] = await watched.page.evaluate<[number, number]>(WIDTHS_OF_PAGE);
        assert.ok(is <= most, `${name} at ${width} pixels, ${theme}: ${is} is wider than ${most}`);
      }
      nothingWrong(watched);
    }
  }
});

test('axe finds nothing in any view, in either theme', { skip: SKIP }, async (t) => {
  let rules = 0;
  for (const theme of THEMES) {
    await using watched = await stage.browser.open({ theme, cookie: await stage.demo.cookie() });
    const { page } = watched;
    for (const { path, name } of viewsOf(stage.demo)) {
      await watched.goto(`${stage.demo.origin}${path}`);
      await page.evaluate(AXE);
      const { violations, passes } = await page.evaluate(() =>
        (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
      );
      rules += passes.length;
      const found = violations.map(
        ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
      );
      assert.deepEqual(found, [], `${name}, ${theme}`);
    }
    nothingWrong(watched);
  }
  t.diagnostic(`${rules} rules passed`);
});

test('when the server dies the page says so and keeps what it shows; when it comes back, the page goes on', {
  skip: SKIP,
}, async (t) => {
  let served = await Served.store(stage.demo.store);
  t.after(() => served.end());
  await using watched = await stage.browser.open({ cookie: await served.cookie() });
  const { page } = watched;
  await watched.goto(`${served.origin}/health`);
  await served.end('SIGKILL');
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Ask' }).click();
  await page.locator('#question').fill('10.244.0.2');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').first().waitFor();
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Trail' }).click();
  await page.getByRole('heading', { name: 'Trail' }).waitFor();
  await page.getByRole('alert').first().waitFor();
  assert.equal(await page.getByText('follows now').count(), 0, 'nothing new comes');
  await page.goBack();
  await page.locator('#question').waitFor();
  served = await Served.store(stage.demo.store, { port: served.port });
  // Another server, other secrets: the page shows how to sign in, and its token makes it go on.
  await page.getByRole('heading', { name: 'Who is asking?' }).waitFor();
  await page.getByLabel('Token').fill(served.bearer);
  await page.getByRole('button', { name: 'Use it' }).click();
  await page.getByRole('heading', { name: 'Who is asking?' }).waitFor({ state: 'detached' });
  await watched.settled();
  assert.match(await page.locator('main').innerText(), /10\.244\.0\.2/);
  assert.deepEqual(watched.foreign, []);
});

test('a server that hangs is noticed: what is shown is dimmed and said to be old, and then that nobody answers', {
  skip: SKIP,
}, async () => {
  const [, ip = '', at = ''] = /who (\S+) --at (\S+)/.exec(stage.demo.printed) ?? [];
  await using watched = await stage.browser.open({ cookie: await stage.demo.cookie() });
  const { page } = watched;
  await page.clock.install();
  await watched.goto(`${stage.demo.origin}/health`);
  await page.getByText('● watching').waitFor();
  await page.route('**/api/v1/**', () => {});
  // It asks again after five seconds, and waits for four.
  await page.clock.fastForward(6_000);
  await page.clock.fastForward(5_000);
  await page.getByRole('status').filter({ hasText: 'what is shown is older' }).first().waitFor();
  await page.locator('.stale').first().waitFor();
  await page.clock.fastForward(30_000);
  await page.getByText('podtrail does not answer').first().waitFor();
  await page.getByText('? no answer').waitFor();
  await page.unrouteAll();
  await watched.goto(`${stage.demo.origin}/?ip=${ip}&at=${at}`);
  await page.route('**/api/v1/**', () => {});
  await page.locator('#question').fill('10.0.0.99');
  await page.keyboard.press('Enter');
  await page.clock.fastForward(1_000);
  await page.getByRole('status').filter({ hasText: 'what is shown is older' }).waitFor();
  await page.locator('.stale .headline', { hasText: ip }).waitFor();
  nothingWrong(watched);
});

test('while causes of ends are loading, Trail says so; how it is coloured is in its URL', { skip: SKIP }, async () => {
  await using watched = await stage.open('/nodes');
  const { page } = watched;
  const asked = Promise.withResolvers<URL>();
  const go = Promise.withResolvers<void>();
  await page.route('**/api/v1/moves?*', async (route) => {
    asked.resolve(new URL(route.request().url()));
    await go.promise;
    await route.continue();
  });
  await page.goto(`${stage.demo.origin}/trail?node=node-04`);
  await page.getByLabel('Colour').selectOption('cause');
  await page.waitForURL(/colour=cause/);
  assert.equal((await asked.promise).searchParams.get('fromNode'), 'node-04', 'only those of the node');
  await page.getByText('Why pods ended is still loading').waitFor();
  await page.getByRole('list', { name: 'Causes of ends' }).getByText('Not loaded yet').waitFor();
  go.resolve();
  await page.getByText('Why pods ended is still loading').waitFor({ state: 'detached' });
  await watched.reload();
  await page.getByRole('list', { name: 'Causes of ends' }).waitFor();
  nothingWrong(watched);
});

test('on a phone the evidence comes into sight, and Escape closes it', { skip: SKIP }, async () => {
  await using watched = await stage.browser.open({ cookie: await stage.demo.cookie(), width: 390, height: 844 });
  const { page } = watched;
  await watched.goto(`${stage.demo.origin}/trail?node=node-04`);
  await page.getByRole('region', { name: 'Timeline' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/selected=/);
  await page.locator('.evidence strong.name').waitFor();
  // As soon as it is scrolled to; a top of 0 may be a part of a pixel less.
  await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const { top } = document.querySelector('.evidence').getBoundingClientRect();
      if (top > -1 && top < innerHeight / 2) resolve();
      else requestAnimationFrame(look);
    };
    look();
  })`);
  await page.keyboard.press('Escape');
  await page.locator('.evidence').waitFor({ state: 'detached' });
  await page.locator('.timeline:focus').waitFor();
  nothingWrong(watched);
});
