import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeUpTree } from '../testing/made-up-tree.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

test('each package of others that is in the bundle has its licence there, once', (t) => {
  const root = madeUpTree(t, {
    'node_modules/one/package.json': '{"version":"1.0.0","license":"MIT"}',
    'node_modules/one/LICENSE': 'Copyright (c) One\n',
    'node_modules/@scope/two/package.json': '{"version":"2.0.0","license":"ISC"}',
    'node_modules/@scope/two/license.md': 'Copyright (c) Two\n',
    'node_modules/three/package.json': '{"version":"3.0.0"}',
  });
  const inputs = [
    'packages/cli/src/main.ts',
    'node_modules/one/a.js',
    'node_modules/one/b.js',
    'node_modules/@scope/two/i.js',
  ];
  const text = thirdPartyNotices(root, inputs);
  assert.deepEqual(text.match(/^## .+$/gm), ['## @scope/two 2.0.0 (ISC)', '## one 1.0.0 (MIT)']);
  assert.match(text, /Copyright \(c\) One/);
  assert.throws(() => thirdPartyNotices(root, ['node_modules/three/i.js']), /three .+ has no file with its licence/);
});
