import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

const WATCHDOG = new URL('./end-with-parent.ts', import.meta.url).href;
/** Goes on for ever, but for the watchdog. */
const GOES_ON = "process.stdout.write('started\\n'); setInterval(() => {}, 1_000)";
/** Much longer than it takes on a busy machine. */
const LATE = 60_000;

test('a process whose parent was killed before the watchdog was loaded ends at once', () => {
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  const words = ['--import', `${WATCHDOG}?parent=${gone}`, '-e', GOES_ON];
  const { status, signal, stdout } = spawnSync(process.execPath, words, { timeout: LATE, encoding: 'utf8' });
  assert.deepEqual({ status, signal, stdout }, { status: 1, signal: null, stdout: '' });
});

test('a process ends when its parent is killed outright, and not before', async (t) => {
  const words = JSON.stringify(['-e', GOES_ON]);
  const starts = `const watchdog = \`${WATCHDOG}?parent=\${process.pid}\`;
require('node:child_process').spawn(process.execPath, ['--import', watchdog, ...${words}], { stdio: 'inherit' });`;
  const parent = spawn(process.execPath, ['-e', starts], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => parent.kill('SIGKILL'));
  const [said] = await once(parent.stdout, 'data', { signal: AbortSignal.timeout(LATE) });
  assert.equal(String(said), 'started\n');
  // The pipe closes when the last of those that write into it has ended.
  const closed = once(parent.stdout, 'close', { signal: AbortSignal.timeout(LATE) });
  parent.stdout.resume();
  parent.kill('SIGKILL');
  await closed;
});
