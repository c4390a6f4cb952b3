import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../engines/testing/record-builders.ts';
import { lifecycle } from './lifecycle.ts';
import { aLife, because, END } from './testing/case-builders.ts';

const lines = (life: Parameters<typeof lifecycle>[0]) =>
  lifecycle(life).map(({ name, afterMs, detail }) => `${name} ${afterMs ?? '-'} ${detail}`.trim());

test('the milestones of a whole life, with how long each took', () => {
  const life = aLife({
    unschedulable: because('Unschedulable', 5, '0/3 nodes are available'),
    scheduled: at(20),
    networkUp: at(22),
    ready: at(30),
    disruption: because('EvictionByEvictionAPI', END),
    notReady: at(END + 2),
    terminal: { phase: 'Failed', ...because('', END + 3) },
  });
  assert.deepEqual(lines(life), [
    'created -',
    'unschedulable 5000 Unschedulable: 0/3 nodes are available',
    'scheduled 15000 on worker-2',
    'network-up 2000',
    'ready 8000',
    `disrupted ${(END - 30) * 1000} EvictionByEvictionAPI`,
    'deletion-requested 0 30 s of grace',
    'not-ready 2000',
    'terminal 1000 Failed',
    'gone 2000',
  ]);
});

test('a pod that was never scheduled has only what it had', () => {
  const { ready: _ready, scheduled: _scheduled, deletion: _deletion, gone: _gone, ...pending } = aLife();
  assert.deepEqual(lines(pending), ['created -']);
});
