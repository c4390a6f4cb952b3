// Makes docs/recording.md: podtrail used on a real control plane, every line of it typed and answered for real.
// Run by `npm run recording`; nothing in the file is written by hand.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startControlPlane, until } from './controlplane/index.ts';

const PODTRAIL = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
const OUT = fileURLToPath(new URL('../docs/recording.md', import.meta.url));
const run = promisify(execFile);

interface Pod {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly podIP?: string; readonly phase: string };
}

const directory = await mkdtemp(join(tmpdir(), 'podtrail-recording-'));
const plane = await startControlPlane({ controllerManager: true, scheduler: true, kwok: { nodes: 3 } });
const env = {
  ...process.env,
  KUBECONFIG: plane.adminKubeconfig,
  PODTRAIL_STORE: `sqlite:${join(directory, 'ledger.db')}`,
  TZ: 'UTC',
  NO_COLOR: '1',
};
const pages: string[] = [];

/** Types a command, as a person would, and keeps what it printed. */
async function type(command: string): Promise<string> {
  const [program, ...args] = command.match(/'[^']*'|\S+/g)!.map((word) => word.replace(/^'|'$/g, ''));
  const file = program === 'podtrail' ? process.execPath : plane.kubectlPath;
  // Quiet: the line that names the store would show where this machine keeps temporary files.
  const all = program === 'podtrail' ? [PODTRAIL, ...args, '--quiet'] : args;
  const { stdout, stderr, code } = await run(file, all, { env, cwd: directory }).then(
    (done) => ({ ...done, code: 0 }),
    (failed: { stdout: string; stderr: string; code: number }) => failed,
  );
  const status = code === 0 ? '' : `(exit code ${code})\n`;
  pages.push(`$ ${command}\n${stderr}${stdout}${status}`);
  return stdout;
}

async function pods(): Promise<Pod[]> {
  const { stdout } = await run(plane.kubectlPath, ['get', 'pods', '-o', 'json'], { env });
  return (JSON.parse(stdout) as { items: Pod[] }).items;
}

const seconds = (n: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, n * 1000));
const running = async (count: number): Promise<Pod[] | false> => {
  const all = await pods();
  return all.length === count && all.every((pod) => pod.status.phase === 'Running' && pod.status.podIP) && all;
};

const fence = (typed: readonly string[]): string => `\`\`\`text\n${typed.join('\n').trimEnd()}\n\`\`\`\n`;

/** What the answers rest on, for who has just read them. */
const WHY = [
  '## What this rests on',
  '',
  '**What is recorded.** Of every pod its *life* (created, scheduled, network up, ready, first disruption, terminal, gone;',
  'QoS class, priority, labels, restarts, how containers ended), the instant at which it began to end (its *departure*),',
  'and *evidence*: Events about pods, nodes and owners, cordons, taints and conditions of nodes, the revisions of owners,',
  'deletions of owners and namespaces. No verdict is stored: a cause is found when it is asked for, so that evidence which',
  'comes late, or from an imported [audit log](audit.md), counts ([why](adr/20261116-causes.md)).',
  '',
  '**The order of evidence.** The first that applies gives the cause:',
  '',
  '1. the first DisruptionTarget condition that the pod showed; for an eviction then an event of an autoscaler, then a cordon',
  '2. the reason in its status, which its kubelet wrote',
  '3. who asked for the deletion, if an audit log says so',
  '4. an event of its owner that names the pod, judged by what the owner did next: a newer revision, fewer pods',
  '5. its owner or namespace was deleted; its node was gone, out of service or booted again',
  '6. how its containers ended',
  '7. a deletion of which nothing says why: `DeletedOnRequest`, inferred',
  '',
  'Who finished the deletion (usually the kubelet) is never the cause. [cli.md](cli.md#causes) lists the causes with what to',
  'look at next; [causes.md](causes.md) says on what each rests, and where it was provoked.',
  '',
  '**certain and inferred.** *Certain*: what was recorded fits no other cause. The API or the audit log says it, or what its',
  'controller and the other pods of its workload did. *Inferred*: it is only the likeliest.',
  '',
  '**Unknown** is no cause: what would say why was not watched then (a right is missing, a stream was lost, too many',
  'Events), has expired, or was never written. The sentence says which. What to do: `podtrail gaps` and `podtrail doctor` say',
  'what is not watched; [an audit log](audit.md) may still say who it was. Pods from before causes were recorded, or of a',
  'recorder with `--no-causes`, show `<not recorded>` in `trail` and `node`.',
  '',
  '**Retention.** Lives, departures and evidence are kept for 14 days, or as long as `--evidence-retention` says, and go',
  'first when room is short. Who held an address is answered as before; `trail` shows `<expired>` in the column of causes.',
  '',
];

const recorder = spawn(process.execPath, [PODTRAIL, 'record', '--cluster-name', 'demo'], { env, stdio: 'ignore' });
try {
  pages.push('$ podtrail record &\n');
  await until('the recorder watches', async () => {
    const { stdout } = await run(process.execPath, [PODTRAIL, 'store', 'status', '-o', 'json'], { env });
    return stdout.includes('demo');
  });
  await seconds(2);
  await type('kubectl create deployment cart --image=shop/cart --replicas=3');
  const before = await until('three pods run', () => running(3));
  await seconds(6);
  const first = before[0]!;
  const ip = first.status.podIP!;
  const then = new Date(Date.now() - 3000).toISOString().replace(/\.\d+Z/, 'Z');
  await type(`kubectl drain ${first.spec.nodeName} --ignore-daemonsets`);
  // Usually the pod in its place gets the address; if another did, one more pod takes it.
  const isTaken = async () =>
    (await pods()).some((pod) => pod.status.podIP === ip && pod.metadata.name !== first.metadata.name);
  await seconds(5);
  if (!(await isTaken())) await type('kubectl scale deployment cart --replicas=6');
  await until('the address has a new holder', isTaken);
  await seconds(4);
  const now = new Date(Date.now() - 1000).toISOString().replace(/\.\d+Z/, 'Z');
  await type(`podtrail who ${ip} --at ${then}`);
  await type(`podtrail who ${ip} --at ${now}`);
  await type(`podtrail who ${ip} --at 2026-01-01T00:00:00Z`);
  await type(`podtrail trail ${ip}`);
  await type('podtrail trail deploy/cart');
  await type(`podtrail node ${first.spec.nodeName} --at ${then}`);
  const flows = `src,time,bytes\n${ip},${then},1200\n${ip},${now},800\n10.244.99.99,${now},40\n`;
  await writeFile(join(directory, 'flows.csv'), flows);
  pages.push(`$ cat flows.csv\n${await readFile(join(directory, 'flows.csv'), 'utf8')}`);
  await type('podtrail attribute flows.csv --ip src --time time');
  await type('podtrail gaps');
  const asked = pages.splice(0);
  await type('kubectl scale deployment cart --replicas=2');
  await until('two pods are left', async () => (await pods()).length === 2);
  // Events about it come a moment later.
  await seconds(6);
  await type('podtrail moves --since 10m');
  await type(`podtrail explain ${ip} --at ${then}`);
  await type(`podtrail node ${first.spec.nodeName} --since 10m`);
  const [living] = await pods();
  await type(`podtrail explain ${living!.metadata.name}`);
  await type('podtrail trail deploy/cart');
  await type('podtrail explain nobody');
  const ended = once(recorder, 'exit');
  recorder.kill('SIGTERM');
  await ended;
  const text = [
    '# A recording',
    '',
    'podtrail on a real control plane (kube-apiserver 1.36.3, simulated nodes): a Deployment, a drained node, and the',
    'same address in the hands of two pods. Made by `npm run recording`; no output here was typed by hand.',
    '',
    fence(asked),
    '## Why they moved',
    '',
    'The recorder was started without a flag, so it also kept what causes are found from. The Deployment is scaled down',
    'once more, and then podtrail is asked why.',
    '',
    fence(pages),
    ...WHY,
  ];
  await writeFile(OUT, text.join('\n'));
  process.stderr.write(`Wrote ${OUT}.\n`);
} finally {
  recorder.kill('SIGKILL');
  await plane.stop();
  await rm(directory, { recursive: true, force: true });
}
