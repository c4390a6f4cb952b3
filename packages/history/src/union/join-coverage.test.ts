import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Coverage } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import { judge } from '../query/judge.ts';
import { watchedTime } from '../query/watched-time.ts';
import { joinCoverage, joinExpired } from './join-coverage.ts';

const CLUSTER = { kind: 'cluster' } as const;
const SHOP = { kind: 'namespaces', namespaces: ['shop'] } as const;
const LOSS = { kind: 'pods' } as const;

/** Seconds. */
function stretch(collector: string, from: number, to: number, more: Partial<Coverage> = {}): Coverage {
  const [begin, end] = [epochMillis(from * 1000), epochMillis(to * 1000)];
  const base = { epoch: 1, scope: CLUSTER, opened: 'start', ended: true } as const;
  return { ...base, collector, from: begin, to: end, confirmed: end, ...more };
}

interface Asked {
  readonly at: number;
  readonly now?: number;
}

/** What is said of an address of which there is no record. */
function said(parts: readonly (readonly Coverage[])[], { at, now }: Asked): string {
  const watched = watchedTime(joinCoverage(parts.map((coverage) => ({ coverage }))));
  const asked = now === undefined ? undefined : epochMillis(now * 1000);
  const verdict = judge([], watched, epochMillis(at * 1000), asked);
  const answer = verdict.answer === 'unknown' ? `unknown: ${verdict.reason}` : verdict.answer;
  return verdict.provisional ? `${answer}, provisionally` : answer;
}

const A = stretch('a', 0, 100);
const LIVING = { ended: false } as const;

const CASES: readonly [string, readonly (readonly Coverage[])[], Asked, string][] = [
  [
    'what one lost sight of (services, nodes) is no loss of the other',
    [[stretch('b', 0, 10), stretch('b', 9, 60, { scope: LOSS }), stretch('b', 60, 100)], [A]],
    ...([{ at: 30 }, 'free'] as const),
  ],
  [
    'nor at the last instant of it',
    [[stretch('b', 0, 10), stretch('b', 9, 60, { scope: LOSS }), stretch('b', 60, 100)], [stretch('a', 0, 60)]],
    ...([{ at: 60 }, 'free'] as const),
  ],
  [
    'what both lost sight of stays lost',
    [
      [A, stretch('a', 20, 50, { scope: LOSS })],
      [stretch('b', 0, 100), stretch('b', 40, 70, { scope: LOSS })],
    ],
    ...([{ at: 45 }, 'unknown: not-watched'] as const),
  ],
  [
    'and what only one of them lost sight of does not',
    [
      [A, stretch('a', 20, 50, { scope: LOSS })],
      [stretch('b', 0, 100), stretch('b', 40, 70, { scope: LOSS })],
    ],
    ...([{ at: 60 }, 'free'] as const),
  ],
  [
    'a recorder of some namespaces that began later takes nothing from one of the whole cluster',
    [[A], [stretch('b', 50, 200, { scope: SHOP })]],
    ...([{ at: 70 }, 'free'] as const),
  ],
  [
    'where it watched alone, nothing is free',
    [[A], [stretch('b', 50, 200, { scope: SHOP })]],
    ...([{ at: 150 }, 'unknown: not-watched'] as const),
  ],
  [
    'one that goes on is the present, though another began later and ended',
    [[stretch('a', 0, 100, LIVING)], [stretch('b', 50, 60)]],
    ...([{ at: 102, now: 103 }, 'free, provisionally'] as const),
  ],
  [
    'or began later and fell silent',
    [[stretch('a', 0, 100, LIVING)], [stretch('b', 50, 60, { ...LIVING, confirmed: epochMillis(55_000) })]],
    ...([{ at: 90 }, 'free'] as const),
  ],
  [
    'what was believed by one that fell silent is not sure',
    [[stretch('a', 90, 100, LIVING)], [stretch('b', 0, 60, { ...LIVING, confirmed: epochMillis(55_000) })]],
    ...([{ at: 58 }, 'unknown: gap'] as const),
  ],
  [
    'what has been delivered to one of two that go on is settled',
    [
      [stretch('a', 20, 100, { ...LIVING, confirmed: epochMillis(80_000) })],
      [stretch('b', 0, 99, { ...LIVING, confirmed: epochMillis(99_000) })],
    ],
    ...([{ at: 90 }, 'free'] as const),
  ],
  ['nobody goes on', [[A], [stretch('b', 50, 60)]], { at: 102, now: 103 }, 'unknown: after-last-record'],
  ['nobody ever watched', [[], []], { at: 5 }, 'unknown: before-first-record'],
];
for (const [what, parts, asked, expected] of CASES) {
  test(`watched by several: ${what}`, () => {
    assert.equal(said(parts, asked), expected);
    assert.equal(said([...parts].reverse(), asked), expected, 'whoever of them asks');
  });
}

test('what is joined has its beginnings in order, each confirmed within itself', () => {
  const [one, two] = [stretch('a', 0, 100, LIVING), stretch('b', 50, 98, LIVING)];
  const joined = joinCoverage([{ coverage: [one] }, { coverage: [two] }]);
  const froms = joined.map(({ from }) => from);
  assert.deepEqual(
    froms,
    [...froms].sort((a, b) => a - b),
  );
  assert.ok(joined.every(({ from, confirmed, to }) => from <= confirmed && confirmed <= to));
});

test('what was removed from the own ledger is known where another one still has it, to its last instant', () => {
  const part = (coverage: readonly Coverage[], expired: readonly [number, number][]) => ({
    ...{ coverage, snapshot: undefined as never },
    expired: expired.map(([from, to]) => ({ from: epochMillis(from), to: epochMillis(to) })),
  });
  const own = part([stretch('a', 50, 100)], [[0, 50_000]]);
  assert.deepEqual(joinExpired([own, part([stretch('b', 10, 20)], [])]), [
    { from: 0, to: 10_000 },
    { from: 20_001, to: 50_000 },
  ]);
});
