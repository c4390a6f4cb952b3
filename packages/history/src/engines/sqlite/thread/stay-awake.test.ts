import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Request } from './messages.ts';
import { StayAwake } from './stay-awake.ts';

describe('the thread of a store', () => {
  let now: number;
  let turns: (() => void)[];
  let awake: StayAwake;
  beforeEach(() => {
    now = 100;
    turns = [];
    awake = new StayAwake({ now: () => now, turn: (body) => void turns.push(body) });
  });
  const READ: Request = [1, 1, 'coverage', 'c1'];
  const POINTS: Request = [2, 1, 'points', { id: 'c1', name: 'one' }, {}];
  const BEGIN: Request = 1;
  const END: Request = -1;
  /** Turns of the event loop until it sleeps, each of which takes so long. */
  const turnsOf = (ms: number) => {
    let taken = 0;
    for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
      now += ms;
      taken++;
      turn();
    }
    return taken;
  };

  test('stays awake for a moment after a read, and then sleeps', () => {
    awake.after([BEGIN, READ]);
    assert.equal(awake.isAwake, true);
    assert.equal(turnsOf(0.04), 4);
    assert.equal(awake.isAwake, false);
  });

  test('goes to sleep at once after points, also when their snapshot ends', () => {
    awake.after([BEGIN, POINTS]);
    awake.after([END]);
    assert.equal(awake.isAwake, false);
    assert.equal(turns.length, 0);
  });

  test('stays awake longer when the snapshot of a read ends', () => {
    awake.after([BEGIN, READ]);
    now += 0.1;
    awake.after([END]);
    assert.equal(turns.length, 1);
    assert.equal(turnsOf(0.04), 4);
  });

  test('goes to sleep after what is written', () => {
    awake.after([READ, { id: 3, kind: 'close' }]);
    assert.equal(awake.isAwake, false);
  });
});
