// PODTRAIL_E2E_KUBECONFIG: tests that can run on any cluster use the given one; the others say why they are skipped.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { useCluster } from './controlplane/index.ts';

const cluster = await useCluster({
  needs: ['own control plane'],
  controllerManager: true,
  scheduler: true,
  kwok: { nodes: 2 },
});

const { skip } = cluster;
test('what any cluster can do runs there, and the rest is skipped with a written reason', { skip }, async () => {
  const { output, code } = await runOnGivenCluster('workloads.test.ts', 'watch-history.test.ts');
  assert.equal(code, 0, output);
  assert.match(output, /^# pass 2$/m, output);
  assert.match(output, /^# skipped 3$/m, output);
  const reasons = new Map(
    [...output.matchAll(/^ok \d+ - (.*) # SKIP (.*)$/gm)].map(([, name = '', reason = '']) => [name, reason]),
  );
  assert.equal(
    reasons.get('after a drain a replacement holds an IP that an evicted pod has freed'),
    'needs simulated nodes (nodes are drained and pods must start without an image), and PODTRAIL_E2E_KUBECONFIG names a given cluster',
  );
  assert.equal(
    reasons.get('going back to a snapshot takes back writes and makes resource versions go backwards'),
    'needs its own control plane (its programs are stopped, restarted or read from outside), and PODTRAIL_E2E_KUBECONFIG names a given cluster',
  );
  const events = await cluster.controlPlane.auditLog();
  assert.ok(
    events.some((event) => event.verb === 'create' && event.objectRef?.name === 'web'),
    'the Deployment was not created on the given cluster',
  );
});

async function runOnGivenCluster(...files: string[]): Promise<{ output: string; code: number }> {
  // Without the variable by which a test runner knows that it runs inside another.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = { ...inherited, PODTRAIL_E2E_KUBECONFIG: cluster.kubeconfig };
  const paths = files.map((file) => join(import.meta.dirname, file));
  const args = ['--test', '--test-reporter=tap', '--test-concurrency=1', ...paths];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  return { output, code };
}
