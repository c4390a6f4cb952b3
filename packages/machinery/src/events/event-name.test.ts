import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../random.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { EventNames } from './event-name.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

describe('event names', () => {
  test('names of one millisecond are all different', () => {
    const names = new EventNames(new ManualClock(), seededRandom(1));
    assert.equal(new Set(Array.from({ length: 10_000 }, () => names.next('cart'))).size, 10_000);
  });

  test('names stay different when the wall clock goes back', () => {
    const clock = new ManualClock();
    const names = new EventNames(clock, () => 0);
    const seen = new Set<string>();
    for (let i = 0; i < 100; i++) {
      clock.jumpWall(-1);
      seen.add(names.next('cart'));
    }
    assert.equal(seen.size, 100);
  });

  test('two replicas in the same millisecond choose different names', () => {
    const clock = new ManualClock();
    assert.notEqual(new EventNames(clock, seededRandom(1)).next('a'), new EventNames(clock, seededRandom(2)).next('a'));
  });

  test('whatever the object is called, the name of its event is valid', () => {
    const names = new EventNames(new ManualClock(), seededRandom(1));
    const objects = [
      'cart',
      'x'.repeat(1000),
      '2001:db8::123',
      '-a-',
      'A_B',
      '',
      '...',
      'a..b',
      `${'x'.repeat(235)}.-y`,
      'ümläut',
    ];
    for (const object of objects) {
      const name = names.next(object);
      assert.match(name, SUBDOMAIN, object);
      assert.ok(name.length <= 253, object);
    }
    assert.match(names.next('cart'), /^cart\.[0-9a-f]+$/);
    assert.match(names.next('2001:db8::123'), /^2001-db8-123\./);
    assert.match(names.next('-a-'), /^a\./);
    assert.match(names.next(''), /^event\./);
  });
});
