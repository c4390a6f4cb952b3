import assert from 'node:assert/strict';
import { test } from 'node:test';
import { homeDirectory } from './home-directory.ts';

test('a user without an entry in /etc/passwd and without HOME has the root as home, and no error', () => {
  const unknown = () => {
    throw new Error('uv_os_homedir returned ENOENT');
  };
  assert.equal(homeDirectory({}, unknown), '/');
  assert.equal(homeDirectory({ HOME: '/tmp' }, unknown), '/tmp');
  assert.equal(
    homeDirectory({}, () => '/home/x'),
    '/home/x',
  );
});
