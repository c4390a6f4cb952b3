// Real nodes: kubelet, containerd and CNI beside simulated ones. Pods run, answer on their addresses, survive what
// happens to a node, and nothing is left of them afterwards, however the harness ends.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type ControlPlane, startControlPlane, until } from './controlplane/index.ts';
import { APP_IMAGE, missingForRealNodes } from './realnodes/index.ts';

const given = (process.env['PODTRAIL_E2E_KUBECONFIG'] ?? '') !== '';
const skip = given
  ? 'needs real nodes of its own, and PODTRAIL_E2E_KUBECONFIG names a given cluster'
  : (missingForRealNodes() ?? false);

let plane: ControlPlane;
before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane({
    controllerManager: true,
    scheduler: true,
    kwok: { nodes: 1 },
    realNodes: { nodes: [{ name: 'real-1' }, { name: 'real-2' }] },
  });
});
after(() => plane?.stop());

test('a pod on a real node runs and answers on its address, and a simulated node is beside it', { skip }, async () => {
  await createPod('web', 'real-1');
  const { uid, ip } = await running('web');
  assert.match(ip, /^10\.99\.1\.\d+$/);
  const path = '/api/v1/namespaces/default/pods/web:8080/proxy/';
  assert.equal((await until('the pod answers', () => answered(path))).trim(), uid);
  const nodes = await plane.kubectl(['get', 'nodes', '--no-headers']);
  assert.equal(nodes.match(/Ready .*v1\.\d+\.\d+$/gm)?.length, 2, nodes);
  assert.match(nodes, /^node-0 +Ready/m);
});

test('a container whose image is pulled slowly has its address long before it runs', { skip }, async () => {
  await createPod('slow', 'real-2', { image: plane.realNodes.slowImage(3), imagePullPolicy: 'Always' });
  await until('the sandbox has an address', () => added('slow') !== undefined);
  assert.equal((await phaseOf('slow')) === 'Running', false);
  await running('slow');
});

test('a killed sandbox is replaced with another address', { skip }, async () => {
  await createPod('loses-its-sandbox', 'real-1');
  const { ip } = await running('loses-its-sandbox');
  const { sandbox } = added('loses-its-sandbox') as Added;
  await plane.realNodes.node('real-1').killSandbox(sandbox);
  await until('the API shows another address', async () => {
    const now = (await podIp('loses-its-sandbox')) ?? '';
    return now !== '' && now !== ip;
  });
});

test('after a power cut the node boots with another boot id and starts its pods again', { skip }, async () => {
  await createPod('survives', 'real-2');
  await running('survives');
  const bootId = () => plane.kubectl(['get', 'node', 'real-2', '-o', 'jsonpath={.status.nodeInfo.bootID}']);
  const [first, one] = [await bootId(), (added('survives') as Added).sandbox];
  const node = plane.realNodes.node('real-2');
  await node.crash();
  await node.start();
  await until('the node says that it was booted', async () => (await bootId()) !== first);
  await until('the pod has another sandbox', () => added('survives')?.sandbox !== one, { withinMs: 120_000 });
  await running('survives');
});

test('kubelet and containerd can be stopped and started without a change of addresses', { skip }, async () => {
  await createPod('stays', 'real-1');
  const { ip } = await running('stays');
  const node = plane.realNodes.node('real-1');
  await node.stopKubelet();
  await node.stopContainerd('SIGKILL');
  await node.startContainerd();
  await node.startKubelet();
  await plane.realNodes.ready('real-1');
  assert.equal(await podIp('stays'), ip);
});

test('nothing of real nodes is left when the harness process is SIGKILLed', { skip, timeout: 300_000 }, async () => {
  const script = `
      import { startControlPlane } from ${JSON.stringify(join(import.meta.dirname, 'controlplane', 'index.ts'))};
      const plane = await startControlPlane({
        controllerManager: true, scheduler: true, realNodes: { nodes: [{ name: 'real-1' }] } });
      const body = ${JSON.stringify(pod('left', 'real-1'))};
      await plane.request('/api/v1/namespaces/default/pods', { body });
      while (!(await plane.kubectl(['get', 'pods'])).includes('Running'))
        await new Promise((resolve) => setTimeout(resolve, 100));
      console.log(JSON.stringify({ pid: process.pid, directory: plane.directory }));
      await new Promise((resolve) => setTimeout(resolve, 100)); // standard output is a pipe
      process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { pid, directory } = JSON.parse(await text(child)) as { pid: number; directory: string };
  await until('the folder is gone', () => !existsSync(directory));
  await until('the cgroups are gone', () => cgroupsOf(pid).length === 0);
  await until('the processes are gone', () => processesIn(directory).length === 0);
  assert.equal(readFileSync('/proc/mounts', 'utf8').includes(directory), false);
});

test('npm run cluster -- --real-nodes 1 shows a cluster whose pods run, and clears up', { skip }, async () => {
  const child = spawn(process.execPath, [
    join(import.meta.dirname, 'controlplane', 'cluster.ts'),
    ...['--real-nodes', '1'],
  ]);
  let greeting = '';
  child.stdout?.on('data', (chunk) => (greeting += chunk));
  await until('the cluster is up', () => greeting.includes('Ctrl+C stops it'), { withinMs: 180_000 });
  assert.match(greeting, /with 1 real node is up/);
  const kubectl = /alias kubectl=(\S+)/.exec(greeting)?.[1] ?? '';
  const kubeconfig = /KUBECONFIG=(\S+)/.exec(greeting)?.[1] ?? '';
  const run = (args: string[]) => text(spawn(kubectl, args, { env: { HOME: '/nonexistent', KUBECONFIG: kubeconfig } }));
  const asked = /^ +kubectl (run web .*)$/m.exec(greeting)?.[1]?.split(' ') ?? [];
  await run(asked);
  await until('the pod runs', async () => (await run(['get', 'pods'])).includes('Running'));
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  assert.deepEqual(cgroupsOf(child.pid as number), []);
});

interface Added {
  readonly sandbox: string;
}

function pod(name: string, nodeName: string, container: object = {}): object {
  const env = [{ name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } }];
  const main = { name: 'main', image: APP_IMAGE, imagePullPolicy: 'Never', env, ...container };
  const spec = { nodeName, automountServiceAccountToken: false, terminationGracePeriodSeconds: 1, containers: [main] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

async function createPod(name: string, node: string, container: object = {}): Promise<void> {
  const answer = await plane.request('/api/v1/namespaces/default/pods', { body: pod(name, node, container) });
  assert.equal(answer.status, 201, answer.body);
}

async function running(name: string): Promise<{ uid: string; ip: string }> {
  await until(`${name} runs`, async () => (await phaseOf(name)) === 'Running', { withinMs: 120_000 });
  const { metadata, status } = await read(name);
  return { uid: metadata.uid, ip: status.podIP ?? '' };
}

async function phaseOf(name: string): Promise<string> {
  return (await read(name)).status.phase;
}

async function podIp(name: string): Promise<string | undefined> {
  return (await read(name)).status.podIP;
}

async function read(name: string): Promise<{ metadata: { uid: string }; status: { phase: string; podIP?: string } }> {
  return (await plane.request(`/api/v1/namespaces/default/pods/${name}`)).json();
}

async function answered(path: string): Promise<string | undefined> {
  const { status, body } = await plane.request(path);
  return status === 200 ? body : undefined;
}

/** The newest sandbox of a pod, by CNI. */
function added(name: string): Added | undefined {
  if (!existsSync(plane.realNodes.cniLog)) return undefined;
  const lines = readFileSync(plane.realNodes.cniLog, 'utf8').trim().split('\n');
  const parsed = lines.map((line) => JSON.parse(line) as Added & { command: string; pod: string });
  return parsed.findLast(({ command, pod: of }) => command === 'ADD' && of === name);
}

function cgroupsOf(pid: number): string[] {
  const root = '/sys/fs/cgroup';
  const folders = existsSync(join(root, 'cgroup.controllers')) ? [''] : readdirSync(root);
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder)).filter((name) => name.startsWith(`podtrail-${pid}-`)),
  );
}

function processesIn(directory: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(join('/proc', pid, 'cmdline'), 'utf8').includes(directory);
      } catch {
        return false;
      }
    });
}

async function text(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  await once(child, 'close');
  return output;
}
