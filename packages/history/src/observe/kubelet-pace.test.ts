import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis } from '../model/time.ts';
import { KubeletPace } from './kubelet-pace.ts';

const at = (second: number) => epochMillis(second * 1000);

function started(pace: KubeletPace, uid: string, from: number, to: number): void {
  pace.waits(uid, at(from));
  pace.isUp(uid, at(to));
}

test('a kubelet is as slow as three of four of its last starts, and as what waits now', () => {
  const pace = new KubeletPace();
  assert.equal(pace.slowness(at(100)), 500);
  started(pace, 'a', 90, 91);
  started(pace, 'b', 91, 93);
  started(pace, 'c', 92, 95);
  started(pace, 'd', 93, 99);
  assert.equal(pace.slowness(at(100)), 6000);
  pace.waits('e', at(101));
  assert.equal(pace.slowness(at(110)), 9000);
  assert.equal(pace.usual(at(110)), 6000);
  pace.isGone('e');
  assert.equal(pace.slowness(at(110)), 6000);
});

test('what started more than a minute ago, waits for something else, or is said at once counts for nothing', () => {
  const pace = new KubeletPace();
  started(pace, 'old', 10, 15);
  started(pace, 'at-once', 99, 99);
  pace.waits('stuck', at(50));
  pace.isUp('never-seen-to-wait', at(99));
  assert.equal(pace.slowness(at(100)), 500);
  started(pace, 'again', 99, 100);
  pace.forget();
  assert.equal(pace.slowness(at(101)), 500);
});
