// What of two versions of a life is kept, where the rest of a life does not show it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPodLife, at } from '../engines/testing/record-builders.ts';
import { newerLife } from './newer-life.ts';
import type { PodLife } from './pod-life.ts';

const because = (reason: string) => ({ reason, message: '', at: at(20) });
const version = (resourceVersion: string, more: Partial<PodLife>) =>
  aPodLife('web-1', 20, { created: at(0), epoch: 1, resourceVersion, ...more });

/** In both orders. */
function merged(a: PodLife, b: PodLife): PodLife {
  const life = newerLife(newerLife(undefined, a), b);
  assert.deepEqual(newerLife(newerLife(undefined, b), a), life);
  return life;
}

test('of two reasons of one millisecond the one of the lower version is first, whatever they are called', () => {
  const [taint, zone] = [because('DeletionByTaintManager'), because('ZoneDrained')];
  assert.equal(
    merged(version('9', { disruption: zone }), version('10', { disruption: taint })).disruption?.reason,
    'ZoneDrained',
  );
});

test('a deletion and a last state have the version in which each was first seen', () => {
  const deletion = { requested: at(20), graceSeconds: 30 };
  const terminal = { ...because(''), phase: 'Failed' };
  const life = merged(version('9', { deletion }), version('10', { deletion, terminal }));
  assert.deepEqual(life.deletion?.seenIn, { epoch: 1, resourceVersion: '9' });
  assert.deepEqual(life.terminal?.seenIn, { epoch: 1, resourceVersion: '10' });
});

test('of one version, a watch says more than a listing', () => {
  const deletion = { requested: at(20), graceSeconds: 30 };
  const life = merged(version('9', { deletion }), version('9', { deletion, source: 'list' }));
  assert.deepEqual(life.deletion?.seenIn, { epoch: 1, resourceVersion: '9' });
});

test('what a listing showed first says so', () => {
  const deletion = { requested: at(20), graceSeconds: 30 };
  const life = merged(version('9', { deletion, source: 'list' }), version('10', { deletion }));
  assert.deepEqual(life.deletion?.seenIn, { epoch: 1, resourceVersion: '9', listed: true });
});

test('an epoch counts before a version: after etcd was restored versions begin lower', () => {
  const deletion = { requested: at(20), graceSeconds: 30 };
  const life = merged(version('90', { deletion }), version('10', { deletion, epoch: 2 }));
  assert.deepEqual(life.deletion?.seenIn, { epoch: 1, resourceVersion: '90' });
});
