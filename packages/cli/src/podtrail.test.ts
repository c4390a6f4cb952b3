import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };

function podtrail(...flags: string[]) {
  const program = fileURLToPath(new URL(manifest.bin.podtrail, new URL('../', import.meta.url)));
  return spawnSync(process.execPath, [...flags, program, 'version'], { encoding: 'utf8' });
}

test('what npm links as podtrail runs it', () => {
  const { status, stdout, stderr } = podtrail();
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  assert.match(stdout, /^podtrail +\d+\.\d+\.\d+$/m);
  assert.equal(manifest.bin['kubectl-podtrail'], manifest.bin.podtrail);
});

test('a question loads nothing of what talks to a cluster, and nothing of the sandbox', () => {
  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  const told = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(told)}`, program, 'who', '10.0.0.1', '--store', 'memory:'],
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

test('a Node that is too old gets one sentence, and no stack trace', () => {
  const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })";
  const { status, stdout, stderr } = podtrail('--import', `data:text/javascript,${encodeURIComponent(older)}`);
  assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
  assert.match(stderr, /^This is Node 20\.19\.0, and podtrail needs Node 24 or newer\. .+\n$/);
  assert.equal(manifest.engines.node, '>=24', 'the sentence names what the package asks for');
});
