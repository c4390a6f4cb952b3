import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };

function launcher(): string {
  return fileURLToPath(new URL(manifest.bin.podtrail, new URL('../', import.meta.url)));
}

function podtrail(...flags: string[]) {
  return spawnSync(process.execPath, [...flags, launcher(), 'version'], { encoding: 'utf8' });
}

test('what npm links as podtrail runs it', () => {
  const { status, stdout, stderr } = podtrail();
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  assert.match(stdout, /^podtrail +\d+\.\d+\.\d+$/m);
  assert.equal(manifest.bin['kubectl-podtrail'], manifest.bin.podtrail);
});

test('a question loads nothing of what talks to a cluster, and nothing of the sandbox', () => {
  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  const hooks = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`, program, 'who', '10.0.0.1', '--store', 'memory:'],
    { encoding: 'utf8' },
  );
  assert.equal(status, 5, stderr);
  const loaded = stderr.split('\n').filter((line) => line.startsWith('file:'));
  assert.ok(loaded.length > 50, 'the modules are listed');
  const heavy =
    /undici|node_modules\/yaml|packages\/sandbox|machinery\/src\/(?:transport|codec|reflector)|operator\/src\/./;
  const light = /operator\/src\/json-line\.ts$/;
  assert.deepEqual(
    loaded.filter((url) => heavy.test(url) && !light.test(url)),
    [],
  );
});

/** A Node that says it is another. */
function pretending(versions: NodeJS.Dict<string>): string[] {
  const text = JSON.stringify(versions);
  const set = `Object.defineProperty(process, 'versions', { value: { ...process.versions, ...${text} } })`;
  return ['--import', `data:text/javascript,${encodeURIComponent(set)}`];
}

test('a Node that is too old, or has a SQLite that is, hands over to the one that npm installed', () => {
  for (const versions of [{ node: '20.19.0' }, { node: '24.0.0', sqlite: '3.49.1' }]) {
    const { status, stdout, stderr } = podtrail(...pretending(versions));
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    assert.match(stdout, new RegExp(`^node +${process.versions.node}$`, 'm'), 'its own version, not the pretended');
  }
});

test('the exit code and a signal pass through', async () => {
  const words = ['sandbox', '--nodes', '1', '--pods', '1', '--speed', '0'];
  const child = spawn(process.execPath, [...pretending({ node: '20.19.0' }), launcher(), ...words]);
  await once(child.stdout, 'data', { signal: AbortSignal.timeout(120_000) });
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  const usage = spawnSync(process.execPath, [...pretending({ node: '20.19.0' }), launcher(), 'who']);
  assert.equal(usage.status, 2);
});

test('without that Node, one that is too old gets one sentence and no stack trace, and one that is not does its best', (t) => {
  const alone = mkdtempSync(join(tmpdir(), 'podtrail-launcher-'));
  t.after(() => rmSync(alone, { recursive: true, force: true }));
  cpSync(launcher(), join(alone, 'podtrail.mjs'));
  writeFileSync(join(alone, 'main.ts'), "process.stdout.write('started')");
  const run = (versions: NodeJS.Dict<string>) =>
    spawnSync(process.execPath, [...pretending(versions), join(alone, 'podtrail.mjs'), 'version'], {
      encoding: 'utf8',
    });
  const { status, stdout, stderr } = run({ node: '20.19.0' });
  assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
  assert.match(stderr, /^This is Node 20\.19\.0, and podtrail needs Node 24 or newer\. .+\n$/);
  assert.equal(manifest.engines.node, '>=24', 'the sentence names what the package asks for');
  assert.equal(run({ node: '24.0.0', sqlite: '3.49.1' }).stdout, 'started');
});
