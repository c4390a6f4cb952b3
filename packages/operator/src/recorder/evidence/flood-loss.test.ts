import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis } from '@podtrail/history';
import { FloodLoss } from './flood-loss.ts';

test('a flood that lasts is recorded again every six hours, and ends right after its last drop', () => {
  const flood = new FloodLoss('events');
  const found: string[] = [];
  const look = (second: number) =>
    found.push(
      ...flood.look(epochMillis(second * 1000)).map(({ what, reason, at }) => `${what} ${reason} ${at / 1000}`),
    );
  for (let second = 0; second <= 13 * 3600; second += 30) {
    flood.drop('shop', epochMillis(second * 1000));
    look(second);
  }
  assert.deepEqual([flood.stands('shop'), flood.stands('')], [true, false]);
  look(13 * 3600 + 60);
  assert.deepEqual(found, [
    'stream-lost Flooded 0',
    'stream-lost StillLost 21600',
    'stream-lost StillLost 43200',
    'stream-followed Calm 46800.001',
  ]);
  assert.equal(flood.stands('shop'), false);
});
