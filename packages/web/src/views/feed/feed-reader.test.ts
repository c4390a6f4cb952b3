import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangesDocument, MoveDocument, MovesDocument } from '@podtrail/history/wire';
import { aMove, NOW, watched } from '../../testing/records.ts';
import { feedFilter } from './feed-filter.ts';
import { type AskFeed, FIRST_SLICE_MS, readOlder } from './feed-reader.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const never = new AbortController().signal;

/** A server that has these moves, and what it was asked. */
function server(moves: readonly MoveDocument[]) {
  const asked: string[] = [];
  const ask: AskFeed = async (name, { since, until, limit, cursor }) => {
    const [from, to] = [Date.parse(String(since)), Date.parse(String(until))];
    asked.push(`${name} ${(NOW - to) / 1000} ${(NOW - from) / 1000}`);
    const paging = { coverage: watched(NOW - 400 * DAY) };
    if (name === 'changes') return { changes: [], more: false, cursor: null, ...paging } as unknown as ChangesDocument;
    const all = moves.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < to);
    const begin = Number(cursor ?? 0);
    const end = begin + Number(limit);
    const more = all.length > end;
    const page = { moves: all.slice(begin, end), more, cursor: more ? String(end) : null, ...paging };
    return page as unknown as MovesDocument;
  };
  const read = (to: number, sliceMs = FIRST_SLICE_MS, from = NOW - DAY, parameters = {}) =>
    readOlder(ask, feedFilter(parameters), { from, to }, sliceMs, undefined, never);
  return { asked, read };
}

const every = (ms: number, count: number) => Array.from({ length: count }, (_, i) => aMove(`p${i}`, NOW - 1 - i * ms));

test('a quiet day is read in few questions, all of it', async () => {
  const { asked, read } = server(every(5 * HOUR, 4));
  const { items, reached } = await read(NOW);
  assert.deepEqual([items.length, reached], [4, NOW - DAY]);
  assert.equal(asked.length / 2, 4, asked.join('; '));
});

test('page after page, every move of a busy day is read once, the newest first', async () => {
  const moves = every(20_000, 4_000);
  const { read } = server(moves);
  const names: string[] = [];
  let page = await read(NOW);
  for (;;) {
    for (const item of page.items) if (item.kind === 'move') names.push(item.move.name);
    if (page.reached === NOW - DAY) break;
    page = await read(page.reached, page.sliceMs);
  }
  const expected = moves.filter(({ at }) => Date.parse(at) >= NOW - DAY).map(({ name }) => name);
  assert.deepEqual(names, expected);
});

test('a slice with more than a page is asked for in smaller parts, down to a second, and that by cursor', async () => {
  const { read } = server(every(1, 1_600));
  const { items, reached } = await read(NOW);
  assert.ok(reached >= NOW - 1_100 && reached < NOW, String(NOW - reached));
  assert.equal(items.length, 1_000);
});

test('who looks for one in many gets it, or the place up to which was looked', async () => {
  const { read } = server(every(60_000, 1_400));
  const { items, reached } = await read(NOW, FIRST_SLICE_MS, NOW - DAY, { q: 'p1399' });
  assert.deepEqual([items.length, reached], [1, NOW - DAY]);
});

test('the text filter is no reason to ask for ever', async () => {
  const { asked, read } = server(every(1_000, 80_000));
  const { items, reached } = await read(NOW, FIRST_SLICE_MS, NOW - DAY, { q: 'no such' });
  assert.equal(items.length, 0);
  assert.ok(reached < NOW && asked.length <= 24, String(asked.length));
});
