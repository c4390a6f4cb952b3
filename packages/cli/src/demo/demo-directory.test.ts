import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { DemoDirectory, removeLeftovers } from './demo-directory.ts';

function aRoot(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'podtrail-test-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Another process that makes a directory and then does something. */
async function another(t: TestContext, root: string, then: string): Promise<{ child: ChildProcess; path: string }> {
  const module = new URL('./demo-directory.ts', import.meta.url).href;
  const program = `
    const { DemoDirectory } = await import(${JSON.stringify(module)});
    const directory = await DemoDirectory.make(${JSON.stringify(root)});
    console.log(directory.path);
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [path] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return { child, path };
}

const LIVE_ON = 'setInterval(() => {}, 1_000_000);';

test('a directory of a demo that was killed is removed, and that of one that lives is not', async (t) => {
  const root = aRoot(t);
  const killed = await another(t, root, LIVE_ON);
  const living = await another(t, root, LIVE_ON);
  writeFileSync(join(killed.path, 'ledger.db'), 'x');
  assert.deepEqual(await removeLeftovers(root), [], 'both live');
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');
  assert.ok(existsSync(killed.path), 'a kill leaves it');
  assert.deepEqual(await removeLeftovers(root), [killed.path]);
  assert.deepEqual(readdirSync(root), [basename(living.path)]);
});

test('our own directory is no leftover as long as we hold it', async (t) => {
  const root = aRoot(t);
  const directory = await DemoDirectory.make(root);
  assert.deepEqual(await removeLeftovers(root), []);
  assert.ok(existsSync(directory.path));
  await directory.remove();
  assert.deepEqual(readdirSync(root), []);
});

test('an end that waits for nothing removes the directory too', async (t) => {
  const root = aRoot(t);
  const { child } = await another(t, root, 'process.exit(3);');
  if (child.exitCode === null) await once(child, 'exit');
  assert.deepEqual(readdirSync(root), []);
});

test('what a demo did not make is never touched', async (t) => {
  const root = aRoot(t);
  const elsewhere = aRoot(t);
  const gone = await another(t, elsewhere, LIVE_ON);
  gone.child.kill('SIGKILL');
  await once(gone.child, 'exit');
  // Names that look like ours: without a marker, with another one, a file, and a link to a real leftover.
  mkdirSync(join(root, 'podtrail-demo-aaaaaa'));
  mkdirSync(join(root, 'podtrail-demo-bbbbbb'));
  writeFileSync(join(root, 'podtrail-demo-bbbbbb', 'directory-of-a-demo'), 'something else');
  writeFileSync(join(root, 'podtrail-demo-cccccc'), '');
  symlinkSync(gone.path, join(root, 'podtrail-demo-dddddd'));
  // A leftover under another name.
  symlinkSync(gone.path, join(root, 'notes'));
  mkdirSync(join(root, 'podtrail-demo-of-mine'));
  writeFileSync(join(root, 'podtrail-demo-of-mine', 'directory-of-a-demo'), 'podtrail demo\n');
  const before = readdirSync(root);
  assert.deepEqual(await removeLeftovers(root), []);
  assert.deepEqual(readdirSync(root), before);
  assert.ok(existsSync(gone.path));
  assert.deepEqual(await removeLeftovers(join(root, 'nowhere')), [], 'a root that is not there');
});
