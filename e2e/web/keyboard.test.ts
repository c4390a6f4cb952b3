// The whole page without a mouse: every view is reached, read and used by keys, and what has the focus is seen to have it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { SKIP } from './browser.ts';
import { useDemo } from './demo-stage.ts';
import type { WatchedPage } from './watched-page.ts';

const stage = useDemo();

// Scripts of the page are text: Node has no types of a document.
/** Says what has the focus, and whether that is seen: an outline, or the caret of a field. */
const FOCUSED = `(() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { width, height } = one.getBoundingClientRect();
  const name = one.getAttribute('aria-label') ?? (one.innerText || one.id || one.tagName);
  return { tag: one.tagName, name: name.trim().slice(0, 60), id: one.id,
    isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width > 0 && height > 0 };
})()`;

interface Focused {
  readonly tag: string;
  readonly name: string;
  readonly id: string;
  readonly isSeen: boolean;
}

const focused = (page: Page) => page.evaluate<Focused>(FOCUSED);

/** Goes on by Tab until something of that name has the focus. Everything on the way must be seen to have it. */
async function tabTo(page: Page, name: string | RegExp, most = 120): Promise<Focused> {
  const passed: string[] = [];
  for (let i = 0; i < most; i++) {
    await page.keyboard.press('Tab');
    const one = await focused(page);
    passed.push(one.name);
    assert.ok(one.tag === 'BODY' || one.isSeen, `the focus is not seen on ${one.tag} ${one.name}`);
    if (typeof name === 'string' ? one.name === name : name.test(one.name)) return one;
  }
  assert.fail(`Tab does not reach ${name}: ${passed.join(', ')}`);
}

async function viewByKeys(watched: WatchedPage, title: string): Promise<void> {
  const { page } = watched;
  // From the top: the link that skips the navigation comes first, as on every page.
  await page.evaluate('document.activeElement.blur()');
  await page.reload();
  await watched.settled();
  await tabTo(page, 'Skip to the content');
  await tabTo(page, title);
  await page.keyboard.press('Enter');
  await page.locator('main h1', { hasText: title }).waitFor({ state: 'attached' });
  await watched.settled();
}

/** `?` lists the keys of the view; Escape leads back. */
async function helpHas(page: Page, ...keys: readonly string[]): Promise<void> {
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keys' });
  await dialog.waitFor();
  const listed = await dialog.locator('kbd').allInnerTexts();
  for (const key of keys) assert.ok(listed.includes(key), `${key} is in ${listed.join(' ')}`);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

async function changesUrl(page: Page, key: string): Promise<URL> {
  const before = page.url();
  await Promise.all([page.waitForURL((url) => url.href !== before), page.keyboard.press(key)]);
  return new URL(page.url());
}

async function copiesLink(page: Page): Promise<void> {
  await page.keyboard.press('c');
  await page.getByRole('status').filter({ hasText: 'The link is copied' }).waitFor({ state: 'attached' });
  assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^http/);
}

test('Ask: slash, an address, Enter, and the evidence opens', { skip: SKIP }, async () => {
  const [, ip = '', at = ''] = /who (\S+) --at (\S+)/.exec(stage.demo.printed) ?? [];
  await using watched = await stage.open('/health');
  const { page } = watched;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('/');
  await page.locator('#question:focus').waitFor();
  assert.ok((await focused(page)).isSeen, 'the box shows that it has the focus');
  // A letter is a letter there, and no command.
  await page.keyboard.type('c?t');
  await page.locator('#question').selectText();
  await page.keyboard.type(ip);
  await page.keyboard.press('Tab');
  assert.deepEqual([(await focused(page)).id, (await focused(page)).isSeen], ['when', true]);
  await page.keyboard.type(at);
  await page.keyboard.press('Enter');
  await page.locator('.headline').waitFor();
  await watched.settled();
  await tabTo(page, /^Evidence \(/);
  await page.keyboard.press('Enter');
  await page.locator('.answer details[open]').waitFor();
  await helpHas(page, '/', '?', 'c');
  await copiesLink(page);
  assert.deepEqual(watched.problems, []);
});

test('Trail: arrows pan, plus and minus zoom, brackets select, Enter opens the evidence, t follows now', {
  skip: SKIP,
}, async () => {
  await using watched = await stage.open('/');
  const { page } = watched;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await viewByKeys(watched, 'Trail');
  const span = (url: URL) =>
    Date.parse(url.searchParams.get('until') ?? '') - Date.parse(url.searchParams.get('since') ?? '');
  const left = await changesUrl(page, 'ArrowLeft');
  const closer = await changesUrl(page, '+');
  assert.ok(span(closer) < span(left));
  const wider = await changesUrl(page, '-');
  assert.ok(span(wider) > span(closer));
  const right = await changesUrl(page, 'ArrowRight');
  assert.notEqual(right.searchParams.get('since'), wider.searchParams.get('since'));
  await changesUrl(page, 'ArrowLeft');
  assert.equal((await changesUrl(page, 't')).searchParams.get('until'), null, 'it follows now');
  await watched.settled();
  await tabTo(page, 'Timeline');
  const said = page.locator('.timeline-box [role="status"]');
  await page.keyboard.press(']');
  await said.filter({ hasText: /from \d/ }).waitFor({ state: 'attached' });
  const first = await said.innerText();
  await page.keyboard.press('ArrowDown');
  await said.filter({ hasNotText: first }).waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('[');
  await page.keyboard.press('Enter');
  await page.waitForURL(/selected=/);
  await page.locator('.evidence strong.name').waitFor();
  await helpHas(page, '/', '?', 'c', '←', '→', '+', '-', '[', ']', 't');
  await tabTo(page, 'Table');
  await page.keyboard.press('Enter');
  await page.locator('section[aria-label="Table of the timeline"]').waitFor();
  await copiesLink(page);
  assert.deepEqual(watched.problems, []);
});

test('Trail: what a key selected stays selected when newer data come, and the time stays', { skip: SKIP }, async () => {
  await using watched = await stage.open('/trail?since=30m');
  const { page } = watched;
  await watched.settled();
  await tabTo(page, 'Timeline');
  await page.keyboard.press('ArrowDown');
  await page
    .locator('.timeline-box [role="status"]')
    .filter({ hasText: /from \d/ })
    .waitFor({ state: 'attached' });
  assert.equal(new URL(page.url()).searchParams.get('since'), '30m', 'it follows now as before');
  await page.waitForResponse(/\/api\/v1\/timeline/);
  await watched.settled();
  await page.keyboard.press('Enter');
  await page.waitForURL(/selected=/);
  assert.deepEqual(watched.problems, []);
});

test('Nodes: brackets step, t is now, the arrows move the slider, a tile opens by Enter and closes by Escape', {
  skip: SKIP,
}, async () => {
  await using watched = await stage.open('/');
  const { page } = watched;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await viewByKeys(watched, 'Nodes');
  assert.ok((await changesUrl(page, '[')).searchParams.has('at'));
  await changesUrl(page, '[');
  await changesUrl(page, ']');
  assert.ok(!(await changesUrl(page, 't')).searchParams.has('at'));
  await watched.settled();
  await tabTo(page, 'INPUT');
  for (let i = 0; i < 5 && !(await page.evaluate<boolean>('document.activeElement.type === "range"')); i++)
    await tabTo(page, 'INPUT');
  assert.ok((await changesUrl(page, 'ArrowLeft')).searchParams.has('at'), 'the slider has the arrows');
  await watched.settled();
  await tabTo(page, /^node-|pods/);
  const { id } = await focused(page);
  await page.keyboard.press('Enter');
  await page.waitForURL(/node=/);
  await page.locator('#node-title:focus').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#node-title').waitFor({ state: 'detached' });
  assert.equal((await focused(page)).id, id, 'the focus is back on the tile');
  await helpHas(page, '/', '?', 'c', '[', ']', 't');
  await copiesLink(page);
  assert.deepEqual(watched.problems, []);
});

test('Moves and changes, and Health: every control is reached and works by Enter', { skip: SKIP }, async () => {
  await using watched = await stage.open('/');
  const { page } = watched;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await viewByKeys(watched, 'Moves and changes');
  await tabTo(page, 'Moves');
  await page.keyboard.press('Enter');
  await page.waitForURL(/kind=moves/);
  await tabTo(page, 'Evidence', 200);
  await helpHas(page, '/', '?', 'c');
  await copiesLink(page);
  await viewByKeys(watched, 'Health');
  await tabTo(page, '7 days');
  await page.keyboard.press('Enter');
  await page.waitForURL(/since=7d/);
  await helpHas(page, '/', '?', 'c');
  await copiesLink(page);
  await page.keyboard.press('/');
  await page.locator('#question:focus').waitFor();
  assert.deepEqual(watched.problems, []);
});
