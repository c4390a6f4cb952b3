import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeReport } from './what-holds.ts';

test('handles that keep nothing alive are left out, and equal ones are counted', () => {
  const socket = { type: 'tcp', is_active: true, is_referenced: true, remoteEndpoint: { host: '127.0.0.1', port: 80 } };
  const libuv = [
    socket,
    socket,
    { type: 'process', is_active: true, is_referenced: true, pid: 12 },
    { type: 'timer', is_active: true, is_referenced: true, firesInMsFromNow: 99.6 },
    { type: 'timer', is_active: true, is_referenced: false, firesInMsFromNow: 1 },
    { type: 'idle', is_active: false, is_referenced: true },
    { type: 'loop', is_active: true },
  ];
  assert.deepEqual(describeReport({ libuv }), [
    'its event loop is kept alive by:',
    '  tcp to port 80 (2 times)',
    '  process pid 12',
    '  timer fires in 100 ms',
  ]);
});

test('the stack of what runs comes first', () => {
  assert.deepEqual(describeReport({ javascriptStack: { message: '', stack: ['at wait (x.ts:1:2)'] }, libuv: [] }), [
    'it runs:',
    '  at wait (x.ts:1:2)',
    'nothing keeps its event loop alive',
  ]);
});
