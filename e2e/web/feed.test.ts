// Moves and changes in a real browser, on the stage.demo. What a test needs to happen now is sent by a stream of the test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeDocument, MoveDocument } from '@podtrail/history/wire';
import { SKIP } from './browser.ts';
import { useDemo } from './demo-stage.ts';

const stage = useDemo();

const HOSTILE = '<img src=x onerror=alert(1)>';
const rows = '.feed-row';

async function aMove(): Promise<MoveDocument> {
  const { moves } = await stage.demo.ask<{ readonly moves: readonly MoveDocument[] }>('/api/v1/moves?limit=1');
  return moves[0] ?? assert.fail('the demo has moves');
}

const event = (name: string, id: string, data: unknown) =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

test('news come at the top, wait while somebody reads, and names and values are text', { skip: SKIP }, async () => {
  await using watched = await stage.browser.open({ cookie: await stage.demo.cookie() });
  const { page } = watched;
  const move = await aMove();
  const later = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
  const hostile = { ...move, at: later(1), uid: 'hostile', namespace: 'x', name: HOSTILE, sentence: `was ${HOSTILE}.` };
  const change: ChangeDocument = {
    ...{ change: 'changed', namespace: 'x', name: 'y', pod: 'y', uid: 'z', key: HOSTILE },
    ...{ before: { text: `a${HOSTILE}` }, after: { text: `b${HOSTILE}` } },
    evidence: { source: 'watch', epoch: 1, resourceVersion: '1', observedAt: later(2) },
  };
  const streams = [
    event('move', '1', hostile) + event('change', '2', change),
    event('move', '3', { ...move, at: later(3), uid: 'third', name: 'third' }),
  ];
  const asked: (string | undefined)[] = [];
  const second = Promise.withResolvers<void>();
  await page.route('**/api/v1/live*', async (route) => {
    asked.push(route.request().headers()['last-event-id']);
    if (asked.length === 2) await second.promise;
    const body = streams[asked.length - 1];
    if (body === undefined) return;
    await route.fulfill({ contentType: 'text/event-stream', body });
  });
  await watched.goto(`${stage.demo.origin}/feed?kind=`);
  const top = page.locator(rows).first();
  await top.getByText(HOSTILE).first().waitFor();
  assert.equal(await top.locator('del').innerText(), 'a');
  assert.equal(await top.locator('ins').innerText(), 'b');
  await page.locator(rows).nth(1).getByText(`was ${HOSTILE}.`).waitFor();
  assert.equal(await page.locator('img').count(), 0);
  await page.locator(rows).nth(10).scrollIntoViewIfNeeded();
  await page.evaluate('scrollTo(0, 600)');
  second.resolve();
  await page.getByRole('button', { name: '1 new' }).waitFor();
  assert.doesNotMatch(await top.innerText(), /third/);
  await page.getByRole('button', { name: '1 new' }).click();
  await top.getByText('third').waitFor();
  assert.deepEqual(asked.slice(0, 2), [undefined, '2'], 'the second stream goes on behind the first');
  assert.deepEqual(watched.problems, []);
});

test('a stream that is refused is said, and the page goes on by asking', { skip: SKIP }, async () => {
  await using watched = await stage.browser.open({ cookie: await stage.demo.cookie() });
  const { page } = watched;
  await page.route('**/api/v1/live*', (route) => route.abort());
  await watched.goto(`${stage.demo.origin}/feed`);
  await page.getByText('not connected').waitFor();
  await page.waitForRequest(/\/api\/v1\/moves/);
  await page.unroute('**/api/v1/live*');
  await page.locator('.badge', { hasText: 'live' }).waitFor();
});

test('on a phone the time of a row does not lie under its cause', { skip: SKIP }, async () => {
  await using watched = await stage.open('/feed?kind=moves', { width: 390, height: 844 });
  await watched.page.locator(rows).first().waitFor();
  // Scripts of the page are text: Node has no types of a document.
  const overlaps = await watched.page.evaluate<number>(`[...document.querySelectorAll('${rows}')].filter((row) => {
    const [time, cause] = [row.children[0].getBoundingClientRect(), row.children[1].getBoundingClientRect()];
    return time.right > cause.left && time.bottom > cause.top;
  }).length`);
  assert.equal(overlaps, 0);
  assert.deepEqual(watched.problems, []);
});

test('evidence of a move is one link away', { skip: SKIP }, async () => {
  await using watched = await stage.browser.open({ cookie: await stage.demo.cookie() });
  const { page } = watched;
  await watched.goto(`${stage.demo.origin}/feed?kind=moves`);
  await page.getByRole('link', { name: 'Evidence' }).first().click();
  await page.waitForURL(/\/trail\?.*selected=/);
  await watched.settled();
  assert.deepEqual(watched.problems, []);
});
