import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from './signal.ts';

test('who subscribes gets the value that is there, and each that differs, until he ends it', () => {
  const one = signal(1);
  const seen: number[] = [];
  const end = one.subscribe((value) => seen.push(value));
  one.value = 1;
  one.value = 2;
  end();
  one.value = 3;
  assert.deepEqual(seen, [1, 2]);
  assert.deepEqual([one.value, one.peek()], [3, 3]);
});

test('who ends another subscription while he is called does not disturb the others', () => {
  const one = signal('a');
  const seen: string[] = [];
  let end = () => {};
  one.subscribe((value) => value === 'b' && end());
  end = one.subscribe(() => {});
  one.subscribe((value) => seen.push(value));
  one.value = 'b';
  assert.deepEqual(seen, ['a', 'b']);
});
