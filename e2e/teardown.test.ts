// Nothing of a control plane outlives the process that started it, however that process ends.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startControlPlane, until } from './controlplane/index.ts';

const given = (process.env['PODTRAIL_E2E_KUBECONFIG'] ?? '') !== '';
const skip = given && 'needs to start control planes of its own, and PODTRAIL_E2E_KUBECONFIG names a given cluster';

const scratch = await mkdtemp(join(tmpdir(), 'podtrail-teardown-'));
after(() => rm(scratch, { recursive: true, force: true }));

for (const { how, program, code } of [
  { how: 'is SIGKILLed', program: 'process.kill(process.pid, "SIGKILL")', code: 'SIGKILL' },
  { how: 'gets SIGTERM without a handler', program: 'process.kill(process.pid, "SIGTERM")', code: 'SIGTERM' },
  { how: 'throws', program: 'throw new Error("a failing test")', code: 1 },
  { how: 'comes to its end without stopping anything', program: '', code: 0 },
]) {
  test(`everything is gone after a harness process ${how}`, { skip }, async () => {
    const script = `
      import { startControlPlane } from ${JSON.stringify(join(import.meta.dirname, 'controlplane', 'index.ts'))};
      const plane = await startControlPlane();
      const pids = [plane.etcd.pid, plane.apiserver.pid];
      console.log(JSON.stringify({ pids, directory: plane.directory }));
      await new Promise((resolve) => setTimeout(resolve, 100)); // standard output is a pipe
      ${program}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const output = await text(child);
    assert.equal(child.signalCode ?? child.exitCode, code);
    const { pids, directory } = JSON.parse(output) as { pids: number[]; directory: string };
    assert.equal(pids.filter((pid) => pid > 0).length, 2);
    await until('the programs are gone', () => pids.every((pid) => !isAlive(pid)));
    await until('the folder is gone', () => !existsSync(directory));
  });
}

test('stopping ends every program, also a paused one, removes the folder, and may be repeated', { skip }, async () => {
  const plane = await startControlPlane();
  const pids = [plane.etcd.pid, plane.apiserver.pid] as number[];
  await plane.apiserver.pause();
  await plane.stop();
  assert.ok(pids.every((pid) => !isAlive(pid)));
  assert.equal(existsSync(plane.directory), false);
  await plane.stop();
});

test('when the supervisor alone is killed its programs are ended too, and can be started again', {
  skip,
}, async (t) => {
  const plane = await startControlPlane();
  t.after(() => plane.stop());
  const pids = [plane.etcd.pid, plane.apiserver.pid] as number[];
  const parent = execFileSync('ps', ['-o', 'ppid=', '-p', String(pids[0])], { encoding: 'utf8' });
  process.kill(Number(parent), 'SIGKILL');
  await until('the programs are gone', () => pids.every((pid) => !isAlive(pid)));
  await until('the harness knows', () => !plane.etcd.isRunning && !plane.apiserver.isRunning);
  await plane.etcd.start();
  await plane.apiserver.start();
  assert.equal((await plane.request('/readyz')).status, 200);
});

test('a program that cannot start says why with the end of its log, and what had started is stopped', {
  skip,
}, async (t) => {
  const before = process.env['TMPDIR'];
  const temporary = join(scratch, 'failed-start');
  await mkdir(temporary);
  process.env['TMPDIR'] = temporary;
  t.after(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  const failure = await startControlPlane({ apiserverFlags: ['--no-such-flag'] }).then(
    () => assert.fail('it started'),
    (error: Error) => error.message,
  );
  assert.match(failure, /^kube-apiserver-0 ended \(exit code 1\)\. The end of its log:\n/);
  assert.match(failure, /unknown flag: --no-such-flag/);
  assert.deepEqual(await readdir(temporary), []);
});

test('npm run cluster shows a kubeconfig that works, and clears up after Ctrl+C', { skip }, async () => {
  const kubeconfig = join(scratch, 'cluster.kubeconfig');
  const child = runCluster(['--nodes', '2', '--kubeconfig-out', kubeconfig]);
  let greeting = '';
  child.stdout?.on('data', (chunk) => (greeting += chunk));
  await until('the cluster is up', () => greeting.includes('Ctrl+C stops it'), { withinMs: 120_000 });
  const kubectl = /alias kubectl=(\S+)/.exec(greeting)?.[1] ?? '';
  const directory = /data are in (\S+)\./.exec(greeting)?.[1] ?? '';
  assert.ok(existsSync(directory));
  const nodes = spawn(kubectl, ['--kubeconfig', kubeconfig, 'get', 'nodes', '--no-headers'], {
    env: { HOME: scratch },
  });
  assert.equal((await text(nodes)).match(/^node-\d +Ready/gm)?.length, 2);
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  assert.equal(existsSync(directory), false);
  assert.equal(existsSync(kubeconfig), false);
});

for (const [args, sentence] of [
  [['--nodes', 'many'], "--nodes takes a number from 0 to 9999, not 'many'. See npm run cluster -- --help.\n"],
  [['--node', '3'], "Unknown option '--node'. See npm run cluster -- --help.\n"],
  [['5'], "Unexpected argument '5'. See npm run cluster -- --help.\n"],
] as const) {
  test(`npm run cluster -- ${args.join(' ')} is refused with a sentence and exit code 2`, { skip }, async () => {
    const child = runCluster(args);
    let stderr = '';
    child.stderr?.on('data', (chunk) => (stderr += chunk));
    const [code] = await once(child, 'close');
    assert.equal(code, 2);
    assert.match(stderr, /^[^\n]+ See npm run cluster -- --help\.\n$/);
    assert.equal(stderr, sentence);
  });
}

function runCluster(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, 'controlplane', 'cluster.ts'), ...args]);
}

async function text(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  await once(child, 'close');
  return output;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
