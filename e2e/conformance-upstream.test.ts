// The list of client-go's tests that CONFORMANCE.md is made from, against the sources in Go's module cache. Needs Go,
// no control plane.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

test('the stored names of client-go tests are those of the version that the control plane is built with', () => {
  const cwd = join(import.meta.dirname, '..');
  const { status, stderr } = spawnSync(process.execPath, ['scripts/check-conformance.ts', '--verify'], {
    cwd,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});
