import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiffPart, diffValues } from './value-diff.ts';

const text = (parts: readonly DiffPart[]) => parts.map((part) => part.text).join('');
const marked = (parts: readonly DiffPart[]) =>
  parts.map((part) => (part.kind === 'changed' ? `[${part.text}]` : part.kind === 'cut' ? '…' : part.text)).join('');

test('what differs is marked on both sides', () => {
  const cases: readonly [string | undefined, string | undefined, string, string][] = [
    ['image:1.2', 'image:1.3', 'image:1.[2]', 'image:1.[3]'],
    ['abc', 'abXc', 'abc', 'ab[X]c'],
    ['aaa', 'aa', 'aa[a]', 'aa'],
    [undefined, 'new', '', '[new]'],
    ['old', undefined, '[old]', ''],
    ['same', 'same', 'same', 'same'],
    ['', 'x', '', '[x]'],
  ];
  for (const [before, after, left, right] of cases) {
    const diff = diffValues(before, after);
    assert.deepEqual([marked(diff.before), marked(diff.after)], [left, right]);
  }
});

test('no part is lost, whatever is shown', () => {
  const long = 'x'.repeat(5_000);
  for (const isWhole of [false, true]) {
    const diff = diffValues(`${long}A${long}`, `${long}BB${long}`, isWhole);
    assert.equal(text(diff.before), `${long}A${long}`);
    assert.equal(text(diff.after), `${long}BB${long}`);
    assert.equal(diff.isCut, !isWhole);
  }
});

test('of a long value the change is shown, with a little beside it', () => {
  const long = 'x'.repeat(1_000);
  const { after } = diffValues(`${long}A${long}`, `${long}B${long}`);
  assert.match(marked(after), /^…x{40}\[B\]x{40}…$/);
});

test('of a long change the beginning is shown', () => {
  const diff = diffValues('a', `a${'y'.repeat(5_000)}`);
  assert.match(marked(diff.after), /^a\[y+\]…$/);
  assert.equal(text(diff.after).length, 5_001);
});

test('a character of two units is not cut in half', () => {
  const { before, after } = diffValues('😀a😀', '😁a😀');
  assert.deepEqual([marked(before), marked(after)], ['[😀]a😀', '[😁]a😀']);
});
