// Pages of gaps: all of them, each once, whatever made them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Snapshot } from '../engines/snapshot.ts';
import type { Coverage } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import { ALL_VISIBLE } from '../query/visibility.ts';
import { askGaps } from './gaps.ts';
import { leavesOpen } from './leaves-open.ts';
import { readWatching, watchingDocument } from './watching.ts';

function stretch(from: number, to: number, scope: Coverage['scope'] = { kind: 'cluster' }): Coverage {
  const times = { from: epochMillis(from), to: epochMillis(to), confirmed: epochMillis(to) };
  return { scope, epoch: 1, collector: 'c', ...times, ended: true, opened: 'start' };
}

const PODS_ONLY = stretch(7200, 7300, { kind: 'pods' });

/** Watched in four stretches, the last in part; two ranges have expired. */
const snapshot = {
  cluster: 'c',
  coverage: async () => [stretch(1000, 2000), stretch(3000, 4000), stretch(5000, 6000), stretch(7000, 8000), PODS_ONLY],
  expired: async () => [
    { from: epochMillis(4000), to: epochMillis(4500) },
    { from: epochMillis(6500), to: epochMillis(6600) },
  ],
} as unknown as Snapshot;

test('pages of any size give every gap once, in the order of their beginnings', async () => {
  const span = { from: epochMillis(0), to: epochMillis(8000), hasSince: true, hasUntil: true };
  const cluster = { id: 'c', name: 'c' };
  const ask = (limit: number, cursor: string | undefined) =>
    askGaps(snapshot, ALL_VISIBLE, cluster, { span, paging: { limit, cursor }, now: epochMillis(8000) });
  const all = (await ask(0, undefined)).gaps.items;
  assert.deepEqual(
    all.map(({ from, reason }) => `${from} ${reason}`),
    [
      '0 before-first-record',
      '2000 start',
      '4000 removed',
      '4000 start',
      '6000 start',
      '6500 removed',
      '7200 pods-only',
    ],
  );
  for (const limit of [1, 2, 3, 4, 5, 6, 7]) {
    const given: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await ask(limit, cursor);
      given.push(...page.gaps.items);
      cursor = page.gaps.cursor;
    } while (cursor !== undefined);
    assert.deepEqual(given, all, `pages of ${limit}`);
  }
});

test('an instant before the first record lies in a gap, and leaves open what another replica may know', async () => {
  const now = epochMillis(8000);
  const at = (instant: number) => {
    const when = epochMillis(instant);
    return { from: when, to: epochMillis(instant + 1), at: when };
  };
  const before = await readWatching(snapshot, at(500), now);
  assert.deepEqual(before.gaps, [{ from: 500, to: 1000, reason: 'before-first-record' }]);
  assert.equal(leavesOpen({ coverage: watchingDocument(before) }), true);
  const then = await readWatching(snapshot, at(1500), now);
  assert.deepEqual(then.gaps, []);
  assert.equal(leavesOpen({ coverage: watchingDocument(then) }), false);
});

test('a time without a beginning that ended before the first record is a gap, and else begins with that', async () => {
  const upTo = async (to: number) => {
    const span = { from: epochMillis(0), to: epochMillis(to), hasSince: false, hasUntil: true };
    return (await readWatching(snapshot, span, epochMillis(8000))).gaps.map(({ reason }) => reason);
  };
  assert.deepEqual(await upTo(1000), ['before-first-record']);
  assert.deepEqual(await upTo(1001), []);
});

test('where only pods were watched is no gap for listings of pods', async () => {
  const span = { from: epochMillis(7000), to: epochMillis(8000) };
  assert.deepEqual((await readWatching(snapshot, span, epochMillis(8000))).gaps, []);
});
