import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { madeUpTree } from './testing/made-up-tree.ts';

const GUARD = fileURLToPath(new URL('require-node.mjs', import.meta.url));

test('before npm ci a script says one sentence and does not run', (t) => {
  const root = madeUpTree(t, { 'scripts/main.mjs': `console.log('ran');` });
  copyFileSync(GUARD, join(root, 'scripts/require-node.mjs'));
  const run = () =>
    spawnSync(process.execPath, ['--import', './scripts/require-node.mjs', 'scripts/main.mjs'], {
      cwd: root,
      encoding: 'utf8',
    });
  const { status, stdout, stderr } = run();
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.equal(stderr, 'The dependencies are not installed yet: run `npm ci` first.\n');
});

test('after npm ci a script runs on a Node that is new enough', (t) => {
  const root = madeUpTree(t, { 'scripts/main.mjs': `console.log('ran');`, 'node_modules/.package-lock.json': '{}' });
  copyFileSync(GUARD, join(root, 'scripts/require-node.mjs'));
  const args = ['--import', './scripts/require-node.mjs', 'scripts/main.mjs'];
  assert.equal(spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).stdout, 'ran\n');
});

test('an older Node is refused in a sentence', (t) => {
  // The version is the only thing the guard asks; an older Node is not on every machine, so its answer is made up.
  const root = madeUpTree(t, {
    'scripts/old.mjs': `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });`,
    'scripts/main.mjs': `console.log('ran');`,
    'node_modules/.package-lock.json': '{}',
  });
  copyFileSync(GUARD, join(root, 'scripts/require-node.mjs'));
  const preloads = ['./scripts/old.mjs', './scripts/require-node.mjs'].flatMap((path) => ['--import', path]);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...preloads, 'scripts/main.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /^This is Node 20\.20\.2, and podtrail needs Node 24 or newer\. .*\n$/);
});
