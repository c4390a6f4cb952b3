import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis } from '@podtrail/history';
import { ManualClock } from '@podtrail/machinery/testing';
import { EvidenceBudget } from './evidence-budget.ts';
import { FloodLoss } from './flood-loss.ts';

const LIMITS = { inAll: 10, ofNamespace: 6, ofObject: 3 };

/** One whose first minute, which a listing may fill, is over. */
async function settled() {
  const clock = new ManualClock();
  const budget = new EvidenceBudget(clock, LIMITS);
  budget.take({ namespace: 'x', object: 'x' });
  await clock.advance(60_000);
  const take = (namespace: string, object: string) => budget.take({ namespace, object });
  return { clock, take };
}

test('about one object so much is kept in an hour, and what is over is missing in its namespace', async () => {
  const { clock, take } = await settled();
  assert.deepEqual(
    [1, 2, 3, 4].map(() => take('shop', 'web')),
    [undefined, undefined, undefined, 'shop'],
  );
  await clock.advance(60_000);
  assert.equal(take('shop', 'web'), 'shop');
  await clock.advance(3_600_000);
  assert.equal(take('shop', 'web'), undefined);
});

test('one namespace does not use up what the others need', async () => {
  const { take } = await settled();
  const flood = Array.from({ length: 50 }, (_, i) => take('hostile', `pod-${i}`));
  assert.equal(flood.filter((flooded) => flooded === undefined).length, LIMITS.ofNamespace);
  assert.equal(flood.at(-1), 'hostile');
  assert.equal(take('shop', 'web'), undefined);
});

test('beyond the budget of all, something is missing everywhere, until the minute is over', async () => {
  const { clock, take } = await settled();
  const flood = Array.from({ length: 50 }, (_, i) => take(`namespace-${i}`, `pod-${i}`));
  assert.equal(flood.filter((flooded) => flooded === undefined).length, LIMITS.inAll);
  assert.equal(flood.at(-1), '');
  await clock.advance(60_000);
  assert.equal(take('shop', 'web'), undefined);
});

test('a flood is recorded once when it begins and once when it is over', () => {
  const loss = new FloodLoss('events');
  const at = (ms: number) => epochMillis(1_000_000 + ms);
  const brief = (ms: number) => loss.look(at(ms)).map(({ what, about, at: when }) => [what, about.namespace, when]);
  loss.drop('shop', at(0));
  loss.drop('shop', at(10));
  assert.deepEqual(brief(20), [['stream-lost', 'shop', at(0)]]);
  loss.drop('shop', at(50_000));
  assert.deepEqual(brief(70_000), []);
  assert.notEqual(loss.problem, undefined);
  assert.deepEqual(brief(110_000), [['stream-followed', 'shop', at(50_001)]]);
  assert.equal(loss.problem, undefined);
  assert.equal(loss.dropped, 3);
});

test('with floods in many namespaces something is missing everywhere, and what is remembered is bounded', () => {
  const loss = new FloodLoss('events');
  for (let i = 0; i < 1_000; i++) loss.drop(`namespace-${i}`, epochMillis(1));
  const found = loss.look(epochMillis(2));
  assert.equal(found.length, 101);
  assert.equal(found.at(-1)?.about.namespace, '');
});
