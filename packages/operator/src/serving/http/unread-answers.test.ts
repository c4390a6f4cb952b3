import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnreadAnswers } from './unread-answers.ts';

const BUSY = { status: 503, code: 'busy' };

test('one caller has so many bytes that it does not take, and others have theirs', () => {
  const unread = new UnreadAnswers({ mostUnread: 100, mostUnreadOfOne: 40 });
  const taken = unread.add('evil', 30, assert.fail);
  assert.throws(() => unread.add('evil', 11, assert.fail), BUSY);
  unread.add('jane', 30, assert.fail);
  taken();
  taken();
  unread.add('evil', 40, assert.fail);
  assert.equal(unread.bytes, 70);
});

test('a single answer may be larger than what one caller has', () => {
  const unread = new UnreadAnswers({ mostUnread: 100, mostUnreadOfOne: 40 });
  unread.add('jane', 400, assert.fail)();
  assert.equal(unread.bytes, 0);
});

test('where all have too many the caller with the most loses its oldest answer', () => {
  const unread = new UnreadAnswers({ mostUnread: 100, mostUnreadOfOne: 60 });
  const dropped: string[] = [];
  const add = (caller: string, bytes: number) => unread.add(caller, bytes, () => dropped.push(`${caller} ${bytes}`));
  add('sam', 20);
  const taken = add('evil', 25);
  add('evil', 26);
  add('jane', 40);
  assert.deepEqual(dropped, ['evil 25']);
  taken();
  assert.equal(unread.bytes, 86);
  assert.throws(() => add('rob', 70), BUSY);
  assert.deepEqual(dropped, ['evil 25']);
});
