// Every file in examples/ runs on a real cluster and does what its first line says.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({ controllerManager: true, scheduler: true, kwok: { nodes: 2 } });
const directory = fileURLToPath(new URL('../examples/', import.meta.url));

interface Run {
  readonly process: ChildProcess;
  output: string;
}

function run(t: { after(done: () => void): void }, example: string, kubeconfig = cluster.kubeconfig): Run {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const child = spawn(process.execPath, [`${directory}${example}`], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => void child.kill('SIGKILL'));
  const started: Run = { process: child, output: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (started.output += String(chunk)));
  return started;
}

/** Throws the output when the example has died, so that a failure shows why. */
function printed(run: Run, text: RegExp): boolean {
  if (!text.test(run.output)) throw new Error(`not printed yet; so far:\n${run.output}`);
  return true;
}

async function interrupt(run: Run): Promise<void> {
  const exited = once(run.process, 'exit');
  run.process.kill('SIGINT');
  assert.deepEqual(await exited, [0, null], run.output);
}

test('pods-informer.ts prints what happens to pods and ends with Ctrl+C', async (t) => {
  const namespace = await cluster.namespace(t);
  const example = run(t, 'pods-informer.ts');
  await cluster.kubectl(['-n', namespace, 'run', 'web', '--image=none']);
  await until('the pod with its address is printed', () =>
    printed(example, new RegExp(`(added|updated) ${namespace}/web 10\\.`)),
  );
  await cluster.kubectl(['-n', namespace, 'delete', 'pod', 'web', '--now']);
  await until('the delete is printed', () => printed(example, new RegExp(`deleted ${namespace}/web`)));
  await interrupt(example);
});

test('count-pods-per-node.ts keeps the annotation right', {
  skip: cluster.skipUnless('simulated nodes'),
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const example = run(t, 'count-pods-per-node.ts');
  const counts = () =>
    cluster.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.annotations.example\\.podtrail\\.dev/pods}']);
  await cluster.kubectl(['-n', namespace, 'create', 'deployment', 'web', '--image=none', '--replicas=6']);
  const sum = (text: string) => text.split(' ').reduce((total, count) => total + Number(count), 0);
  await until('six pods are counted', async () => sum(await counts()) === 6);
  await cluster.kubectl(['-n', namespace, 'scale', 'deployment', 'web', '--replicas=1']);
  await until('one pod is counted', async () => sum(await counts()) === 1);
  await interrupt(example);
});

test('every example has a test', async () => {
  const examples = (await readdir(directory)).filter((name) => name.endsWith('.ts')).sort();
  assert.deepEqual(examples, ['count-pods-per-node.ts', 'pods-informer.ts']);
});

for (const example of ['pods-informer.ts', 'count-pods-per-node.ts']) {
  test(`${example} without a usable kubeconfig says so in a sentence, not in a stack trace`, async (t) => {
    const started = run(t, example, '/does/not/exist');
    const [code] = await once(started.process, 'close');
    assert.equal(code, 1);
    assert.match(started.output, /\/does\/not\/exist/);
    assert.doesNotMatch(started.output, /^ {4}at /m);
  });
}
