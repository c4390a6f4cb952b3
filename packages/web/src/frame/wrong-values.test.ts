import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../address/page-address.ts';
import { wrongValues } from './wrong-values.ts';

test('a value that is none of those that there are is named', () => {
  const said = (path: string, query: string) => wrongValues(parseAddress(path, query)).join(' ');
  assert.equal(said('/trail', 'by=nonsense'), '“nonsense” is not known (by): it is left out.');
  assert.match(said('/feed', 'kind=zzz'), /“zzz”/);
  assert.match(said('/feed', 'cause=Evicted,zzz'), /“Evicted,zzz”/);
  assert.equal(said('/feed', 'kind=moves&cause=Evicted,Rollout'), '');
});
