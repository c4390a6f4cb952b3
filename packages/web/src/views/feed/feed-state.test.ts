import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aMove, NOW } from '../../testing/records.ts';
import { moveItem } from './feed-item.ts';
import { emptyFeed, type FeedState, MOST_ROWS, showWaiting, withNews, withPage } from './feed-state.ts';

const item = (name: string, at = NOW) => moveItem(aMove(name, at));
const read = (...names: readonly string[]): FeedState =>
  withPage(emptyFeed(NOW), {
    items: names.map((name, i) => item(name, NOW - 10 * i)),
    ...{ reached: NOW - 1_000, sliceMs: 1, isNarrowed: false, coverage: undefined },
  });
const names = (state: FeedState, of: 'items' | 'waiting' = 'items') =>
  state[of].map((one) => (one.kind === 'move' ? one.move.name : ''));

test('news come in at the top for who is there', () => {
  const state = withNews(read('a', 'b'), [item('new', NOW + 1)], false);
  assert.deepEqual([names(state), names(state, 'waiting')], [['new', 'a', 'b'], []]);
});

test('news wait while somebody reads, and nothing moves', () => {
  let state = withNews(read('a', 'b'), [item('new', NOW + 1)], true);
  state = withNews(state, [item('new', NOW + 1), item('newer', NOW + 2)], true);
  assert.deepEqual(
    [names(state), names(state, 'waiting')],
    [
      ['a', 'b'],
      ['newer', 'new'],
    ],
  );
  const shown = showWaiting(state);
  assert.deepEqual([names(shown), names(shown, 'waiting')], [['newer', 'new', 'a', 'b'], []]);
});

test('a row that is shown is brought up to date, and does not wait', () => {
  const better = moveItem(aMove('a', NOW, { cause: 'Taint' }));
  const state = withNews(read('a'), [better], true);
  assert.deepEqual([state.items, state.waiting], [[better], []]);
});

test('what is older than what was read comes with its page, not as news', () => {
  const state = withNews(read('a'), [item('old', NOW - 5_000)], false);
  assert.deepEqual(names(state), ['a']);
});

test('an older page goes below, and does not overwrite what came since', () => {
  const page = { items: [item('old', NOW - 2_000)], reached: NOW - 3_000, sliceMs: 9 };
  const state = withPage(read('a'), { ...page, isNarrowed: true, coverage: undefined });
  assert.deepEqual(
    [names(state), state.reached, state.sliceMs, state.isNarrowed],
    [['a', 'old'], NOW - 3_000, 9, true],
  );
});

test('who follows for days keeps the newest, and may read the others again', () => {
  const news = Array.from({ length: MOST_ROWS + 500 }, (_, i) => item(`n${i}`, NOW + i));
  const state = withNews(read('a'), news, false);
  assert.equal(state.items.length, MOST_ROWS);
  assert.equal(state.reached, state.items.at(-1)?.at);
});
