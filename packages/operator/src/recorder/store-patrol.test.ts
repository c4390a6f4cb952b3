import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Patrol } from '@podtrail/history';
import { ManualClock } from '@podtrail/machinery/testing';
import type { Housekept } from './recorder-listener.ts';
import { patrolStore } from './store-patrol.ts';

test('the store is read through a little every five minutes; damage is reported, and a failure ends nothing', async () => {
  const clock = new ManualClock(0);
  const damage = { where: 'head, tenure 7', what: 'is damaged' };
  const patrols: Patrol[] = [];
  const failures: Housekept[] = [];
  let rounds = 0;
  const engine = {
    patrol: async (slices: number, now: number): Promise<Patrol> => {
      assert.ok(slices > 0);
      assert.equal(now, clock.now());
      if (++rounds === 2) throw new Error('disk');
      return { isFinished: rounds === 3, damages: rounds === 3 ? [damage] : [] };
    },
  };
  const stop = new AbortController();
  const options = {
    ...{ engine, clock },
    onPatrolled: (patrol: Patrol) => void patrols.push(patrol),
    onFailure: (failure: Housekept) => void failures.push(failure),
  };
  const done = patrolStore(options, stop.signal);
  await clock.advance(3 * 300_000);
  stop.abort();
  await done;
  assert.equal(rounds, 3);
  assert.deepEqual(
    patrols.map(({ damages }) => damages),
    [[], [damage]],
  );
  assert.deepEqual(
    failures.map(({ what, error }) => [what, String(error)]),
    [['patrol', 'Error: disk']],
  );
});
