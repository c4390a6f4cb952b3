import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../address/page-address.ts';
import { wrongTimes } from './wrong-times.ts';

const NOW = Date.UTC(2026, 10, 18, 12);
const said = (path: string, query: string) => wrongTimes(parseAddress(path, query), NOW).join(' ');

test('a time that is none is named, with what to write', () => {
  assert.match(said('/trail', 'since=yesterday'), /“yesterday” is no time \(since\): it is left out\. Write 2026-/);
  assert.match(said('/feed', 'since=1h&until=noon'), /“noon”/);
  assert.match(said('/nodes', 'against=2026-13-45T00:00:00Z'), /“2026-13-45T00:00:00Z”/);
});

test('a span that ends before it begins is said, and a time of Nodes that has not come', () => {
  assert.match(said('/trail', 'since=2026-11-18T10:00:00Z&until=2026-11-18T09:00:00Z'), /ends before it begins/);
  assert.match(said('/feed', 'since=2026-11-19T10:00:00Z'), /ends before it begins/);
  assert.match(said('/nodes', 'at=2026-11-19T10:00:00Z'), /has not come/);
  assert.match(said('/health', 'since=noon'), /“noon”/);
});

test('nothing is said of times that are shown as they are, nor of those of another view', () => {
  for (const [path, query] of [
    ['/trail', 'since=6h'],
    ['/trail', ''],
    ['/feed', 'since=2026-11-18T08:00:00Z&until=2026-11-18T09:00:00Z'],
    ['/nodes', 'at=2026-11-18T08:00:00Z&against=1h'],
    ['/nodes', 'since=yesterday'],
    ['/health', 'since=7d'],
    ['/health', 'since=6h'],
    ['/', 'ip=10.0.0.1&at=2099-01-01T00:00:00Z'],
  ] as const)
    assert.equal(said(path, query), '', `${path}?${query}`);
});
