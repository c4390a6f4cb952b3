import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPluginProcess } from './run-plugin.ts';

const run = (script: string, signal = new AbortController().signal, env: Record<string, string> = {}) =>
  runPluginProcess({
    command: process.execPath,
    args: ['-e', script],
    env: { ...process.env, ...env },
    interactive: false,
    signal,
  });

test('a plugin answers with its exit code, its output and its complaints', async () => {
  const outcome = await run(
    'console.log(process.env.GREETING); console.error("careful"); process.exitCode = 3',
    undefined,
    {
      GREETING: 'grüß dich',
    },
  );
  assert.deepEqual(outcome, { exitCode: 3, stdout: 'grüß dich\n', stderr: 'careful\n' });
});

test('standard input is closed to a plugin that may not ask', async () => {
  const outcome = await run('process.stdin.on("end", () => console.log("nothing")).resume()');
  assert.equal(outcome.stdout, 'nothing\n');
});

test('a plugin that does not exist rejects with ENOENT', async () => {
  const { signal } = new AbortController();
  const request = { command: 'no-such-plugin-anywhere', args: [], env: process.env, interactive: false, signal };
  await assert.rejects(runPluginProcess(request), { code: 'ENOENT' });
});

test('aborting kills the plugin and rejects with the reason', async () => {
  const abort = new AbortController();
  const pending = run('setInterval(() => {}, 1000)', abort.signal);
  const reason = new Error('too late');
  abort.abort(reason);
  await assert.rejects(pending, reason);
  await assert.rejects(run('0', abort.signal), reason);
});

test('only the tail of long complaints is kept', async () => {
  const { stderr } = await run('process.stderr.write("x".repeat(100_000) + "the end")');
  assert.equal(stderr.length, 4096);
  assert.ok(stderr.endsWith('the end'));
});

test('a plugin that prints without end is killed', async () => {
  const outcome = await run('const s = "x".repeat(1e6); const go = () => process.stdout.write(s, go); go()');
  assert.equal(outcome.exitCode, undefined);
});
