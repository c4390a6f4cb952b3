import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallerPlaces } from './caller-places.ts';

test('one caller cannot take all places, and a place that was given back is free again', () => {
  const places = new CallerPlaces({ most: 3, mostOfOne: 2, code: 'too-many', message: 'too many' });
  const release = places.take({ name: 'jane' });
  places.take({ name: 'jane' });
  assert.throws(() => places.take({ name: 'jane' }), { status: 429, code: 'too-many' });
  places.take({ name: 'sam' });
  assert.throws(() => places.take({ name: 'kim' }), { status: 429 });
  release();
  places.take({ name: 'kim' });
  assert.equal(places.size, 3);
});

test('a refusal says whether the caller itself has the places, and how many it may have', () => {
  const places = new CallerPlaces({ most: 3, mostOfOne: 2, code: 'too-many', message: 'too many' });
  places.take({ name: 'jane' });
  places.take({ name: 'jane' });
  assert.throws(() => places.take({ name: 'jane' }), { hint: 'you have 2, the most of one caller: end one first.' });
  places.take({ name: 'sam' });
  assert.throws(() => places.take({ name: 'sam' }), { hint: 'come again when one of the others has ended.' });
});
