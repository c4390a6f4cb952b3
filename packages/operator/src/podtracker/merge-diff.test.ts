import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@podtrail/machinery';
import { mergeDiff } from './merge-diff.ts';

test('equal values need no patch, whatever the order of their fields', () => {
  assert.equal(mergeDiff({ a: 1, b: { c: ['x'] } }, { b: { c: ['x'] }, a: 1 }), undefined);
  assert.equal(mergeDiff({}, { a: undefined }), undefined);
});

test('only what differs is in the patch', () => {
  const from = { ip: '10.0.0.1', ips: ['10.0.0.1'], phase: 'Running', capacity: { cpu: '4', memory: '8Gi' } };
  const to = { ip: '10.0.0.2', ips: ['10.0.0.2'], phase: 'Running', capacity: { cpu: '8' } };
  assert.deepEqual(mergeDiff(from, to), {
    ip: '10.0.0.2',
    ips: ['10.0.0.2'],
    capacity: { cpu: '8', memory: null },
  });
});

test('a field that goes becomes null, also by being undefined', () => {
  assert.deepEqual(mergeDiff({ a: 1, b: 2 }, { b: 2 }), { a: null });
  assert.deepEqual(mergeDiff({ a: { b: 1 } }, { a: undefined }), { a: null });
});

test('a patch, applied as RFC 7386 says, gives what was wanted', () => {
  const seed = 7386;
  const random = seededRandom(seed);
  const value = (depth: number): unknown => {
    const kind = Math.floor(random() * (depth > 0 ? 4 : 3));
    if (kind === 0) return Math.floor(random() * 3);
    if (kind === 1) return 'xyz'[Math.floor(random() * 3)];
    if (kind === 2) return [Math.floor(random() * 2)];
    return fields(depth - 1);
  };
  const fields = (depth: number) =>
    Object.fromEntries(['a', 'b', 'c'].flatMap((key) => (random() < 0.6 ? [[key, value(depth)]] : [])));
  for (let i = 0; i < 2_000; i++) {
    const [from, to] = [fields(3), fields(3)];
    const patch = mergeDiff(from, to);
    assert.deepEqual(patch === undefined ? from : apply(from, patch), to, `seed ${seed}, round ${i}`);
  }
});

test('a key that every object inherits is a key like any other: a node may be called constructor', () => {
  for (const key of ['constructor', 'toString', '__proto__']) {
    const from = JSON.parse(`{"nodes":{"${key}":{"nodeIP":"1"},"b":{}}}`) as Record<string, unknown>;
    const patch = mergeDiff(from, { nodes: { b: {} } });
    assert.equal(JSON.stringify(patch), `{"nodes":{"${key}":null}}`);
    assert.equal(JSON.stringify(mergeDiff({ nodes: { b: {} } }, from)), `{"nodes":{"${key}":{"nodeIP":"1"}}}`);
  }
});

function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = apply(merged[key], value);
  }
  return merged;
}
