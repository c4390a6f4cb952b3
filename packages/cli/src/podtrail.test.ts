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

test('a Node that is too old gets one sentence, and no stack trace', () => {
  const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })";
  const { status, stdout, stderr } = podtrail('--import', `data:text/javascript,${encodeURIComponent(older)}`);
  assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
  assert.match(stderr, /^This is Node 20\.19\.0, and podtrail needs Node 24 or newer\. .+\n$/);
  assert.equal(manifest.engines.node, '>=24', 'the sentence names what the package asks for');
});
