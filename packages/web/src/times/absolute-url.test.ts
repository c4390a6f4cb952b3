import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress, printAddress } from '../address/page-address.ts';
import { absoluteAddress } from './absolute-url.ts';
import { wrongTimes } from './wrong-times.ts';

const NOW = Date.UTC(2026, 10, 18, 12);
const copied = (path: string, query = '') => printAddress(absoluteAddress(parseAddress(path, query), NOW));

test('a copied link has absolute times also for what a view shows by itself, and every view takes what it copies', () => {
  const of = (from: string) => `since=2026-11-${from}:00:00.000Z&until=2026-11-18T12:00:00.000Z`;
  for (const [path, query, expected] of [
    ['/trail', '', of('18T06')],
    ['/trail', 'since=1h', of('18T11')],
    ['/trail', 'until=2026-11-18T10:00:00Z', 'since=2026-11-18T04:00:00.000Z&until=2026-11-18T10:00:00.000Z'],
    ['/feed', '', of('17T12')],
    ['/health', '', of('17T12')],
    ['/health', 'since=7d', of('11T12')],
    ['/nodes', '', 'at=2026-11-18T12:00:00.000Z'],
    ['/nodes', 'against=1h', 'against=2026-11-18T11:00:00.000Z&at=2026-11-18T12:00:00.000Z'],
  ] as const) {
    const link = copied(path, query);
    assert.equal(link, `${path}?${expected}`);
    assert.deepEqual(wrongTimes(parseAddress(path, link.split('?')[1] ?? ''), NOW), []);
  }
  assert.equal(copied('/', 'ip=10.0.0.1'), '/?at=2026-11-18T12:00:00.000Z&ip=10.0.0.1');
  assert.equal(copied('/', 'ip=10.0.0.1&at=6h'), '/?at=2026-11-18T06:00:00.000Z&ip=10.0.0.1');
  assert.equal(copied('/'), '/', 'the home asks nothing');
});
