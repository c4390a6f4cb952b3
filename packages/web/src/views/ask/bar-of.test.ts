import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnsweredHolderDocument, TrailDocument, WhoDocument } from '@podtrail/history/wire';
import { barOf, knownUntil, neighboursOf } from './bar-of.ts';

const T = Date.UTC(2026, 10, 15, 10);
const minute = (n: number) => new Date(T + n * 60_000).toISOString();
const boundary = (n: number) =>
  ({ at: minute(n), notBefore: minute(n), notAfter: minute(n), source: 'watch' }) as const;

function life(name: string, from: number, to: number | null): AnsweredHolderDocument {
  return {
    ...{ kind: 'Pod', namespace: 'shop', name, pod: name, uid: name, node: 'n', workload: null, hostNetwork: false },
    ...{ start: boundary(from), end: to === null ? null : boundary(to) },
  };
}

function trail(...stays: readonly AnsweredHolderDocument[]): TrailDocument {
  const ending = { cause: null, certainty: null, sentence: null, successor: null, life: null };
  return {
    ...{ query: {}, more: false, cursor: null, coverage: { from: null, to: null, gaps: [] } },
    stays: stays.map((stay) => ({ ...stay, ip: '10.1.2.3', ...ending })),
  } as unknown as TrailDocument;
}

function held(holder: AnsweredHolderDocument, at: number): WhoDocument {
  return {
    ...{ query: { cluster: 'c', clusterId: 'i', ip: '10.1.2.3', at: minute(at) }, answer: 'held', provisional: false },
    ...{ holders: [holder], coverage: { scope: 'cluster', from: null, to: null, gaps: [] }, evidence: [] },
  };
}

test('before and after are the nearest others', () => {
  const holder = life('b', 10, 20);
  const around = trail(life('old', 0, 2), life('a', 3, 9), holder, life('c', 25, null), life('d', 40, null));
  const { before, after } = neighboursOf(held(holder, 15), around);
  assert.equal(before?.name, 'a');
  assert.equal(after?.name, 'c');
});

test('one that ends later but began earlier is the one before', () => {
  const holder = life('b', 10, 20);
  const around = trail(life('long', 0, 9), life('short', 3, 4), holder);
  assert.equal(neighboursOf(held(holder, 15), around).before?.name, 'long');
});

test('of an instant after the last record, who had it last is the one before, not one that ended earlier', () => {
  const unknown = {
    ...held(life('x', 0, 1), 90),
    answer: 'unknown',
    reason: 'gap',
    holders: [],
  } as unknown as WhoDocument;
  const { before, after } = neighboursOf(unknown, trail(life('earlier', 0, 9), life('open', 10, null)));
  assert.deepEqual([before?.name, after], ['open', undefined]);
});

test('who came after is known up to now, the end of the record, or 12 hours after; of now nothing after it is', () => {
  const answer = held(life('b', 0, null), 0);
  const until = (to: number | null, now: number) => {
    const around = trail();
    const coverage = { ...around.coverage, to: to === null ? null : minute(to) };
    const known = knownUntil(answer, { ...around, coverage }, T + now * 60_000);
    return known === undefined ? undefined : (known - T) / 60_000;
  };
  assert.equal(until(5_000, 5_000), 720);
  assert.deepEqual([until(60, 60), until(90, 60)], [60, 60]);
  assert.equal(until(30, 60), 30, 'nobody has watched since');
  assert.deepEqual([until(0, 0), until(-5, 60), until(null, 60)], [undefined, undefined, undefined]);
});

test('where nobody knows who held it, nobody knows who came after', () => {
  const unknown = { ...held(life('x', 0, 1), 0), answer: 'unknown', reason: 'before-first-record', holders: [] };
  const around = trail();
  const later = { ...around, coverage: { ...around.coverage, from: minute(900), to: minute(720) } };
  assert.equal(knownUntil(unknown as unknown as WhoDocument, later, T + 5_000 * 60_000), undefined);
});

test('who had it long before is not on the bar, where its name would stand beside the instant', () => {
  const free = { ...held(life('x', 0, 1), 60 * 20), answer: 'free', holders: [] };
  const bar = (last: AnsweredHolderDocument) =>
    barOf({ ...free, last } as unknown as WhoDocument, undefined, T + 60 * 20 * 60_000);
  assert.equal(bar(life('old', 0, 10)), undefined);
  assert.deepEqual(
    bar(life('near', 0, 60 * 19))?.marks.map(({ label }) => label),
    ['shop/near'],
  );
});

test('the bar has the instant in its middle and room beside the edges', () => {
  const holder = life('b', 10, 20);
  const bar = barOf(held(holder, 15), trail(life('a', 0, 9), holder), T + 60 * 60_000);
  assert.ok(bar !== undefined);
  assert.equal((bar.from + bar.to) / 2, T + 15 * 60_000);
  assert.ok(bar.from < T && bar.to > T + 20 * 60_000);
  assert.deepEqual(
    bar.marks.map(({ label, kind }) => `${kind} ${label}`),
    ['holder shop/b', 'neighbour shop/a'],
  );
});

test('a holder of weeks does not make the bar so long that nothing is seen', () => {
  const holder = life('b', -60 * 24 * 30, null);
  const bar = barOf(held(holder, 15), undefined, T + 15 * 60_000);
  assert.ok(bar !== undefined && bar.to - bar.from <= 24 * 3_600_000);
});

test('what has not come is not drawn', () => {
  const bar = barOf(held(life('b', 0, null), 60), undefined, T + 61 * 60_000);
  assert.ok(bar !== undefined && bar.to < T + 65 * 60_000 && bar.to > T + 60 * 60_000);
});

test('a mark without an end goes on', () => {
  const bar = barOf(held(life('b', 10, null), 15), undefined, T + 30 * 60_000);
  assert.equal(bar?.marks[0]?.end, null);
});

test('nothing to draw is no bar', () => {
  const free = { ...held(life('b', 0, 1), 15), answer: 'free', holders: [] } as unknown as WhoDocument;
  assert.equal(barOf(free, undefined, T), undefined);
});
