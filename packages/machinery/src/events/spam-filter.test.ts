import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../testing/manual-clock.ts';
import { SpamFilter } from './spam-filter.ts';

test('the spam filter keeps 4096 sources and forgets the quietest first', () => {
  const filter = new SpamFilter(new ManualClock(), { burst: 1, perSecond: 0 });
  assert.equal(filter.allows('loud'), true);
  assert.equal(filter.allows('quiet'), true);
  for (let i = 0; i < 4095; i++) {
    filter.allows(`other-${i}`);
    assert.equal(filter.allows('loud'), false);
  }
  assert.equal(filter.allows('quiet'), true, 'forgotten, so it has a full bucket again');
  assert.equal(filter.allows('loud'), false);
});
