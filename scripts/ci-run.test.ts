// .ci/run with an npm that only pretends: what is tested is the order of the steps, the stop and the last line.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { madeUpTree } from './testing/made-up-tree.ts';

const CI_RUN = fileURLToPath(new URL('../.ci/run', import.meta.url));

function runCi(t: TestContext, npm: string) {
  const root = madeUpTree(t, {
    'bin/npm': `#!/bin/sh\necho "$*" >>calls\n${npm}\n`,
    'bin/go': '#!/bin/sh\n',
    'bin/chromium': '#!/bin/sh\n',
    '.ci/x': '',
  });
  cpSync(CI_RUN, join(root, '.ci/run'));
  symlinkSync(process.execPath, join(root, 'bin/node'));
  for (const name of ['npm', 'go', 'chromium']) chmodSync(join(root, 'bin', name), 0o755);
  const env = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}` };
  const { status, stdout, stderr } = spawnSync(join(root, '.ci/run'), {
    env,
    encoding: 'utf8',
    input: 'typed by a person\n',
  });
  const calls = existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trimEnd().split('\n') : [];
  return { status, stderr, stdout, calls, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

const COUNTS = `case "$*" in
  test) echo 'unit 10 0 1' >>"$PODTRAIL_TALLY_FILE" ;;
  'run packed') echo 'packed 3 0 0' >>"$PODTRAIL_TALLY_FILE" ;;
  'run e2e') echo 'e2e 5 0 2' >>"$PODTRAIL_TALLY_FILE" ;;
esac`;

test('the steps run in order and the last line adds up all suites', (t) => {
  const { status, calls, lastLine, stdout } = runCi(t, COUNTS);
  assert.deepEqual(calls, ['ci', 'run check', 'test', 'run packed', 'run e2e']);
  assert.equal(lastLine, '18 passed, 0 failed, 3 skipped');
  assert.match(stdout, /^==> npm test: \d+ s$/m);
  assert.equal(status, 0);
});

test('the first failure stops it, with its exit code and the counts so far', (t) => {
  const failing = `case "$*" in test) echo 'unit 9 1 0' >>"$PODTRAIL_TALLY_FILE"; exit 7 ;; esac`;
  const { status, calls, lastLine } = runCi(t, failing);
  assert.deepEqual(calls, ['ci', 'run check', 'test']);
  assert.equal(lastLine, '9 passed, 1 failed, 0 skipped');
  assert.equal(status, 7);
});

test('no step waits for input', (t) => {
  const { status } = runCi(t, `if read -r line; then exit 9; fi`);
  assert.equal(status, 0);
});
