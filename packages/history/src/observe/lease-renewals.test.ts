import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis } from '../model/time.ts';
import { LeaseRenewals } from './lease-renewals.ts';

const at = (second: number) => epochMillis(second * 1000);

/** Each is read a moment after it was made. */
function read(...seconds: number[]): LeaseRenewals {
  const renewals = new LeaseRenewals();
  for (const second of seconds) renewals.read(at(second), at(second + 0.5));
  return renewals;
}

test('renewals every ten seconds, and a little more, are of one kubelet', () => {
  const renewals = read(100, 110.4, 120.5, 120.5, 131.2);
  assert.equal(renewals.covers(at(101), at(131)), true);
  assert.equal(renewals.covers(at(99), at(131)), false);
  assert.equal(renewals.covers(at(101), at(132)), false);
  assert.equal(renewals.startedSince(at(90)), undefined);
});

test('one that comes early is the first of another kubelet', () => {
  const renewals = read(100, 107.8, 117.9);
  assert.equal(renewals.covers(at(101), at(110)), false);
  assert.equal(renewals.covers(at(108), at(117)), true);
  assert.equal(renewals.startedSince(at(101)), at(107.8));
  assert.equal(renewals.startedSince(at(108)), undefined);
});

test('after a pause nobody knows whose the next one is', () => {
  const renewals = read(100, 141, 151.1);
  assert.equal(renewals.covers(at(101), at(145)), false);
  assert.equal(renewals.startedSince(at(101)), undefined);
  assert.equal(renewals.covers(at(141), at(151)), true);
});

test('a renewal from the future is of a clock that says nothing', () => {
  const renewals = read(100, 110.1);
  renewals.read(at(125), at(111));
  assert.equal(renewals.covers(at(101), at(110)), false);
});
