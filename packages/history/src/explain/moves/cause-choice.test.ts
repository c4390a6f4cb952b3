import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAUSES } from '../cause.ts';
import { chosenCauses } from './cause-choice.ts';

test('without a choice all causes are wanted', () => {
  assert.equal(chosenCauses(undefined), undefined);
});

test('causes that are named are wanted as they were given: the cursors of before stay those of the question', () => {
  for (const given of [['Preempted', 'Evicted', 'Preempted'], []] as const)
    assert.deepEqual(chosenCauses(given), given);
});

test('with causes that are not wanted alone, all others are', () => {
  const chosen = chosenCauses(['!Completed', '!JobCompleted']);
  assert.deepEqual(
    chosen,
    CAUSES.filter((cause) => cause !== 'Completed' && cause !== 'JobCompleted'),
  );
});

test('a cause that is named both ways is not wanted', () => {
  assert.deepEqual(chosenCauses(['Evicted', 'Rollout', '!Rollout']), ['Evicted']);
  assert.deepEqual(chosenCauses(['Rollout', '!Rollout']), []);
});
