// Starts the real runner on small made-up trees: what it prints and how it exits is its contract with .ci/run.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { madeUpTree } from './testing/made-up-tree.ts';

const RUNNER = fileURLToPath(new URL('run-tests.ts', import.meta.url));
const PASSES = `import { test } from 'node:test'; test('passes', () => {});`;

const tree = (t: TestContext, files: Record<string, string>) =>
  madeUpTree(t, { 'package.json': '{"type":"module"}', ...files });

async function run(root: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [RUNNER, ...args], {
    cwd: root,
    env: { ...process.env, PODTRAIL_TALLY_FILE: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, 'close');
  return { code, stdout: await stdout, stderr: await stderr, lastLine: (await stdout).trimEnd().split('\n').at(-1) };
}

test('passing tests end with one summary line and exit code 0, and the counts are appended for .ci/run', async (t) => {
  const root = tree(t, {
    'packages/a/a.test.ts': PASSES,
    'scripts/b.test.ts': `import { describe, it } from 'node:test'; describe('s', () => { it('x', () => {}); it('y', () => {}); });`,
    'packages/a/node_modules/dep/c.test.ts': `throw new Error('not ours');`,
  });
  const tally = join(root, 'tally');
  const { code, lastLine, stdout } = await run(root, ['unit'], { PODTRAIL_TALLY_FILE: tally });
  assert.equal(lastLine, '3 passed, 0 failed, 0 skipped');
  assert.equal(stdout.match(/\d+ passed, /g)?.length, 1);
  assert.equal(code, 0);
  assert.equal(readFileSync(tally, 'utf8'), 'unit 3 0 0\n');
});

test('a test that starts a runner of its own does not add to the tally of the run it is part of', async (t) => {
  const reads = `import { test } from 'node:test'; test('x', () => { if (process.env.PODTRAIL_TALLY_FILE) throw 1; });`;
  const root = tree(t, { 'packages/a/a.test.ts': reads });
  const { lastLine } = await run(root, ['unit'], { PODTRAIL_TALLY_FILE: join(root, 'tally') });
  assert.equal(lastLine, '1 passed, 0 failed, 0 skipped');
});

test('a failing test and a file that cannot be loaded are named and fail the run', async (t) => {
  const root = tree(t, {
    'packages/a/bad.test.ts': `import { test } from 'node:test'; test('breaks', () => { throw new Error('no'); });`,
    'packages/a/broken.test.ts': `throw new Error('cannot load');`,
    'packages/a/good.test.ts': PASSES,
  });
  const { code, lastLine, stdout } = await run(root, ['unit']);
  assert.equal(lastLine, '1 passed, 2 failed, 0 skipped');
  assert.match(stdout, /^failed: packages\/a\/bad\.test\.ts: breaks\n {4}no$/m);
  assert.match(stdout, /^failed: packages\/a\/broken\.test\.ts: the file ended with exit code 1$/m);
  assert.equal(code, 1);
});

test('a skip fails the run until it is listed with a reason', async (t) => {
  const root = tree(t, {
    'packages/a/a.test.ts': `${PASSES} test('is skipped', { skip: 'no server here' }, () => {});`,
  });
  const unlisted = await run(root, ['unit']);
  assert.equal(unlisted.lastLine, '1 passed, 0 failed, 1 skipped');
  assert.match(unlisted.stdout, /"is skipped" was skipped and e2e\/allowed-skips\.json does not list it/);
  assert.equal(unlisted.code, 1);

  mkdirSync(join(root, 'e2e'));
  writeFileSync(join(root, 'e2e/allowed-skips.json'), '[{"test":"is skipped","reason":"no server"}]');
  const listed = await run(root, ['unit']);
  assert.match(listed.stdout, /^skipped: is skipped \(packages\/a\/a\.test\.ts\): no server here$/m);
  assert.equal(listed.lastLine, '1 passed, 0 failed, 1 skipped');
  assert.equal(listed.code, 0);
});

test('a run in which no test ran fails', async (t) => {
  const root = tree(t, { 'packages/a/a.test.ts': PASSES });
  const nothing = await run(root, ['unit', '--test-name-pattern=no such name']);
  assert.match(nothing.stdout, /No test ran/);
  assert.equal(nothing.lastLine, '0 passed, 0 failed, 0 skipped');
  assert.equal(nothing.code, 1);
  const noFile = await run(root, ['unit', 'no-such-path']);
  assert.match(noFile.stderr, /^No test file of the suite unit matches no-such-path\.$/m);
  assert.equal(noFile.code, 1);
});

test('a file that does not end fails by its name and is gone afterwards', async (t) => {
  const pidOf = (name: string) => Number(readFileSync(join(root, name), 'utf8'));
  const notePid = (name: string) =>
    `import { writeFileSync } from 'node:fs'; writeFileSync('${name}', String(process.pid));`;
  // Time enough for both to begin, also on a busy machine: the one must have ended by then, and only the other not.
  const root = tree(t, {
    'packages/a/idle.test.ts': `${notePid('idle')} ${PASSES} setInterval(() => {}, 1000);`,
    'packages/a/good.test.ts': PASSES,
  });
  const { code, lastLine, stdout } = await run(root, ['unit', '--file-timeout=6']);
  assert.match(
    stdout,
    /^failed: packages\/a\/idle\.test\.ts: it did not end within 6 s and was stopped; the last of its tests to end was "passes"$/m,
  );
  assert.equal(lastLine, '2 passed, 1 failed, 0 skipped');
  assert.equal(code, 1);
  assert.throws(() => process.kill(pidOf('idle'), 0), { code: 'ESRCH' });
});

test('e2e passes on the sentence of a control plane that cannot be built, without a stack trace', async (t) => {
  const root = tree(t, {
    'e2e/a.test.ts': PASSES,
    'e2e/controlplane/build.ts': `process.stderr.write('Install Go first.\\n'); process.exitCode = 1;`,
  });
  const { code, stdout, stderr } = await run(root, ['e2e']);
  assert.equal(code, 1);
  assert.equal(stderr, 'Install Go first.\n');
  assert.equal(stdout, '');
});

test('e2e runs its files once the control plane is built', async (t) => {
  const root = tree(t, { 'e2e/a.test.ts': PASSES, 'e2e/controlplane/build.ts': '' });
  const { code, lastLine } = await run(root, ['e2e']);
  assert.equal(lastLine, '1 passed, 0 failed, 0 skipped');
  assert.equal(code, 0);
});

test('two end-to-end files run at once, each with a worker of its own, and one that says so runs alone after them', async (t) => {
  const meets = (own: string, other: string) => `
    import { existsSync, writeFileSync } from 'node:fs';
    import { test } from 'node:test';
    test('meets the other', async () => {
      writeFileSync('${own}', process.env.PODTRAIL_TEST_WORKER);
      while (!existsSync('${other}')) await new Promise((resolve) => setTimeout(resolve, 5));
    });`;
  const root = tree(t, {
    'e2e/controlplane/build.ts': '',
    'e2e/a-measures.test.ts': `// Measures.\n// Runs alone: it measures times.\n${PASSES}`,
    'e2e/b.test.ts': meets('b', 'c'),
    'e2e/c.test.ts': meets('c', 'b'),
  });
  const { code, stdout } = await run(root, ['e2e']);
  assert.equal(code, 0, stdout);
  assert.deepEqual([readFileSync(join(root, 'b'), 'utf8'), readFileSync(join(root, 'c'), 'utf8')], ['0/2', '1/2']);
  const order = [...stdout.matchAll(/^── (e2e\/\S+\.test\.ts)/gm)].map(([, file]) => file);
  assert.deepEqual(order.slice(0, 2).sort(), ['e2e/b.test.ts', 'e2e/c.test.ts']);
  assert.equal(order[2], 'e2e/a-measures.test.ts');
});

test('an interrupted run ends its files and fails', async (t) => {
  const root = tree(t, {
    'e2e/a.test.ts': `// Runs alone: so that what it prints is shown at once.
      ${PASSES} setInterval(() => {}, 1000); console.log('pid', process.pid);`,
    'e2e/b.test.ts': `// Runs alone: so that it waits for the other.\n${PASSES}`,
    'e2e/controlplane/build.ts': '',
  });
  const child = spawn(process.execPath, [RUNNER, 'e2e'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let stdout = '';
  let pid: number | undefined;
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    stdout += chunk;
    const seen = /pid (\d+)\n/.exec(stdout)?.[1];
    if (seen === undefined || pid !== undefined) continue;
    pid = Number(seen);
    child.kill('SIGTERM');
  }
  assert.deepEqual(await closed, [1, null]);
  assert.match(stdout, /^failed: the run was interrupted by SIGTERM$/m);
  assert.doesNotMatch(stdout, /b\.test\.ts/);
  assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' });
});
