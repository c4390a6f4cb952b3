import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { madeUpTree } from '../testing/made-up-tree.ts';
import { runTestFile } from './run-test-file.ts';

interface Limits {
  readonly limitMs: number;
  readonly graceMs: number;
  readonly testLimitMs?: number;
}

async function runSource(t: TestContext, source: string, limits: Limits) {
  const root = madeUpTree(t, { 'package.json': '{"type":"module"}', 'x.test.ts': source });
  let output = '';
  const onOutput = (text: string) => void (output += text);
  const worker = { index: 1, of: 2 };
  const options = {
    root,
    scratch: root,
    worker,
    nodeArgs: [],
    colour: false,
    onOutput,
    testLimitMs: 60_000,
    ...limits,
  };
  return { outcome: await runTestFile('x.test.ts', options), output: () => output };
}

/** In which a process begins, also on a busy machine. */
const BEGUN_MS = 5_000;

const isGone = (pid: string | undefined) =>
  assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' }, `process ${pid} still runs`);

test('a file in an endless loop that ignores SIGTERM is killed after the grace', async (t) => {
  const source = `process.on('SIGTERM', () => {}); console.log('pid', process.pid, ''); setImmediate(() => { for (;;); });`;
  const { outcome, output } = await runSource(t, source, { limitMs: BEGUN_MS, graceMs: 200 });
  assert.deepEqual(outcome.ended, { kind: 'killed', why: 'it did not end within 5 s and was stopped' });
  isGone(/pid (\d+) /.exec(output())?.[1]);
});

test('what a hanging file started is killed with it', async (t) => {
  // The grandchild is seen by its connection, which the kernel closes when it dies.
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const grandchild = `require('node:net').connect(${(server.address() as AddressInfo).port}, '127.0.0.1')`;
  const source = `
    import { spawn } from 'node:child_process';
    spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: 'inherit' });`;
  const { outcome } = await runSource(t, source, { limitMs: BEGUN_MS, graceMs: 200 });
  assert.equal(outcome.ended.kind, 'killed');
  const [socket] = await connected;
  socket.on('error', () => {});
  if (!socket.closed) await once(socket.resume(), 'close');
});

test('records and output of a file that ends by itself arrive whole', async (t) => {
  const source = `
    import { test } from 'node:test';
    for (let i = 0; i < 500; i++) test('number ' + i, () => {});
    process.on('exit', () => console.log('last words'));`;
  const { outcome, output } = await runSource(t, source, { limitMs: 60_000, graceMs: 200 });
  assert.deepEqual(outcome.ended, { kind: 'exit', code: 0 });
  assert.equal(outcome.records.length, 500);
  assert.match(output(), /last words/);
});

test('a file that is ended by a signal says by which', async (t) => {
  const { outcome } = await runSource(t, `process.kill(process.pid, 'SIGKILL');`, { limitMs: 60_000, graceMs: 200 });
  assert.deepEqual(outcome.ended, { kind: 'killed', why: 'its process was ended by SIGKILL' });
});

test('a test that hangs fails by its name, and those behind it run', async (t) => {
  const source = `
    import { test } from 'node:test';
    test('hangs', () => new Promise((resolve) => setTimeout(resolve, 1_000)));
    test('is behind it', () => {});`;
  const { outcome } = await runSource(t, source, { limitMs: 60_000, graceMs: 200, testLimitMs: 100 });
  assert.deepEqual(
    outcome.records.map(({ name, passed }) => [name, passed]),
    [
      ['hangs', false],
      ['is behind it', true],
    ],
  );
});

test('a file that is kept alive after its tests says which was the last, and by what', async (t) => {
  const source = `
    import { createServer } from 'node:net';
    import { test } from 'node:test';
    test('leaves a server', () => new Promise((resolve) => createServer().listen(0, '127.0.0.1', resolve)));`;
  const { outcome, output } = await runSource(t, source, { limitMs: BEGUN_MS, graceMs: 200 });
  const why = 'it did not end within 5 s and was stopped; the last of its tests to end was "leaves a server"';
  assert.deepEqual(outcome.ended, { kind: 'killed', why });
  assert.match(output(), /its event loop is kept alive by:\n {2}tcp at port \d+\n/);
});
