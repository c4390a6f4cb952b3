import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from './command-line.ts';

test('a command is what podtrail understands', () => {
  assert.equal(
    commandLine('who', ['10.1.2.3'], { at: '2026-11-15T10:05:00.000Z', cluster: undefined }),
    'podtrail who 10.1.2.3 --at 2026-11-15T10:05:00.000Z',
  );
  assert.equal(commandLine('trail', ['deploy/cart'], { n: 'shop' }), 'podtrail trail deploy/cart -n shop');
});

test('what somebody named cannot become a command of its own', () => {
  assert.equal(commandLine('who', ["a'; rm -rf ~ #"], {}), "podtrail who 'a'\\''; rm -rf ~ #'");
});
