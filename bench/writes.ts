// `npm run bench -- writes`: what PodTrackers and hourly ConfigMaps cost the API server: a one-shot of footprints, one
// PodTracker of all pods until it lists them, and then nothing happening. `podtrail` runs as a process, as people run it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, isNotFound, loadClusterConfig } from '@podtrail/machinery';
import { PODTRACKERS, type PodTracker } from '@podtrail/operator';
import { BenchError, type Benchmark, wholeNumber } from './benchmark.ts';
import { runLoader } from './cluster/go-programs.ts';
import type { Session } from './session.ts';
import { table } from './table.ts';
import { type Sent, sentTo, since } from './writes/request-bodies.ts';

const PODTRAIL = join(import.meta.dirname, '..', 'packages', 'cli', 'src', 'main.ts');
const CRDS = ['podtrackers', 'podtrackerslices'].map((name) =>
  join(import.meta.dirname, '..', 'deploy', 'crds', `${name}.podtrail.dev.yaml`),
);
const TRACKED = ['podtrackers', 'podtrackerslices'];
const TRACKER = 'bench';
const ONE_SHOT_BAR_SECONDS = 10;
const BYTES_BAR = 3;
const CONVERGED_WITHIN_MS = 1_800_000;

export const writes: Benchmark = {
  name: 'writes',
  summary: 'what a PodTracker of all pods and the hourly ConfigMaps cost the API server',
  options: {
    'tracked-pods': { placeholder: 'N', help: 'pods in one PodTracker', fallback: '100000' },
    'oneshot-pods': { placeholder: 'N', help: 'pods in one one-shot of footprints', fallback: '10000' },
    'idle-seconds': { placeholder: 'N', help: 'how long nothing happens', fallback: '600' },
  },
  async run(values, session) {
    const tracked = wholeNumber(values, 'tracked-pods', 1);
    const footprints = wholeNumber(values, 'oneshot-pods', 1);
    const idleSeconds = wholeNumber(values, 'idle-seconds', 1);
    const { kubeconfig } = await session.filledCluster(Math.min(footprints, tracked));
    const directory = await mkdtemp(join(tmpdir(), 'podtrail-bench-writes-'));
    const client = Client.connect(await loadClusterConfig({ kubeconfig }));
    const stage: Stage = { kubeconfig, directory, client, session, children: [] };
    const killAll = () => {
      for (const child of stage.children) child.kill('SIGKILL');
    };
    process.once('exit', killAll);
    try {
      const oneshot = await measureOneshot(stage);
      const programs = await session.goPrograms();
      session.log(`Filling it with ${tracked} pods …`);
      await runLoader(programs, 'fill', ['--kubeconfig', kubeconfig, '--pods', String(tracked)]);
      const tracker = await measureTracker(stage, idleSeconds);
      return outcomeOf(oneshot, tracker, idleSeconds);
    } finally {
      killAll();
      process.off('exit', killAll);
      await client.close();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

interface Stage {
  readonly kubeconfig: string;
  readonly directory: string;
  readonly client: Client;
  readonly session: Session;
  readonly children: ChildProcess[];
}

interface Oneshot {
  readonly pods: number;
  readonly seconds: number;
  readonly sent: Sent;
  /** Of keys and values, as they are stored. */
  readonly dataBytes: number;
  /** Of a second one in the same hour. */
  readonly again: Sent;
}

async function measureOneshot(stage: Stage): Promise<Oneshot> {
  const { client, session } = stage;
  session.log('footprints --oneshot --store-in-cm …');
  const before = await sentTo(client, ['configmaps']);
  const seconds = await footprintsOnce(stage);
  const after = await sentTo(client, ['configmaps']);
  await footprintsOnce(stage);
  const again = since(after, await sentTo(client, ['configmaps']));
  let [pods, dataBytes] = [0, 0];
  for await (const { items } of client.configMaps('default').pages({ labelSelector: 'app=pod-ashiato', limit: 10 })) {
    for (const [key, node] of items.flatMap(({ data }) => Object.entries((data ?? {}) as Record<string, string>))) {
      pods++;
      dataBytes += Buffer.byteLength(key) + Buffer.byteLength(node);
    }
  }
  return { pods, seconds, sent: since(before, after), dataBytes, again };
}

/** Seconds from the start of the process to its end. */
async function footprintsOnce({ kubeconfig, children }: Stage): Promise<number> {
  const words = ['footprints', '--kubeconfig', kubeconfig, '--oneshot', '--store-in-cm'];
  const started = performance.now();
  const child = spawn(process.execPath, [PODTRAIL, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new BenchError(`podtrail footprints ended with ${code}`);
  return (performance.now() - started) / 1000;
}

interface Tracked {
  readonly counts: { readonly pods: number; readonly nodes: number; readonly slices: number };
  readonly seconds: number;
  readonly sent: Sent;
  readonly idle: Sent;
  readonly load: number;
}

async function measureTracker(stage: Stage, idleSeconds: number): Promise<Tracked> {
  const { client, session } = stage;
  await installDefinitions(client);
  session.log('Starting podtrail operator …');
  await startOperator(stage);
  const trackers = client.resource<PodTracker>(PODTRACKERS);
  const before = await sentTo(client, TRACKED);
  const started = performance.now();
  await trackers.create({ apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata: { name: TRACKER }, spec: {} });
  const counts = await converged(() => trackers.get(TRACKER));
  const seconds = (performance.now() - started) / 1000;
  // What is still under way when it first says Ready is part of the price.
  await sleep(5_000);
  const rested = await sentTo(client, TRACKED);
  session.log(`It lists ${counts.pods} pods after ${seconds.toFixed(1)} s; ${idleSeconds} idle seconds …`);
  await sleep(idleSeconds * 1000);
  const idle = since(rested, await sentTo(client, TRACKED));
  return { counts, seconds, sent: since(before, rested), idle, load: loadavg()[0] ?? 0 };
}

async function converged(read: () => Promise<PodTracker>): Promise<Tracked['counts']> {
  const deadline = performance.now() + CONVERGED_WITHIN_MS;
  while (performance.now() < deadline) {
    const { status } = await read();
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    if (ready?.status === 'True' && status?.counts !== undefined && status.counts.pods > 0) return status.counts;
    await sleep(250);
  }
  throw new BenchError('the PodTracker did not list its pods within half an hour');
}

/** As YAML, which an API server takes as it is; one that is there already stays. */
async function installDefinitions(client: Client): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const file of CRDS) {
    const headers = { 'content-type': 'application/yaml' };
    await client.raw({ method: 'POST', path, headers, body: readFileSync(file, 'utf8') }).catch((error) => {
      if ((error as { status?: number }).status !== 409) throw error;
    });
  }
  for (;;) {
    try {
      await client.resource(PODTRACKERS).list();
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await sleep(200);
    }
  }
}

async function startOperator({ kubeconfig, directory, children }: Stage): Promise<void> {
  const words = [
    ...['operator', '--kubeconfig', kubeconfig, '--store', `sqlite:${join(directory, 'ledger.db')}`],
    ...['--namespace', 'default', '--no-conversion', '--metrics-port', '0', '--health-port', '0'],
  ];
  const child = spawn(process.execPath, [PODTRAIL, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-100_000)));
  const url = () => /"health":"([^"]+)"/.exec(said)?.[1];
  for (let tries = 0; tries < 1_200; tries++) {
    if (child.exitCode !== null) break;
    const address = url();
    if (address !== undefined && (await fetch(address)).status === 200) return;
    await sleep(250);
  }
  throw new BenchError(`podtrail operator is not ready:\n${said.slice(-2000)}`);
}

function outcomeOf(oneshot: Oneshot, tracker: Tracked, idleSeconds: number) {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;
  const wrote = ({ requests, bytes }: Sent) => (requests === 0 ? '0' : `${requests} requests, ${megabytes(bytes)}`);
  const { counts } = tracker;
  return {
    report: { oneshot, tracker, idleSeconds },
    table: table(
      ['', 'podtrail', 'peer'],
      [
        [
          `one PodTracker of ${counts.pods} pods`,
          `listed in ${tracker.seconds.toFixed(1)} s, ${counts.slices} slices`,
          'ip-tracker freezes at 9,388',
        ],
        ['written for that', wrote(tracker.sent), ''],
        [`${idleSeconds} idle seconds`, wrote(tracker.idle), 'ip-tracker, 2,000 pods: 4.1 writes of 325 kB a second'],
        [
          `one-shot of ${oneshot.pods} pods into ConfigMaps`,
          `${oneshot.seconds.toFixed(1)} s`,
          'ashiato: 751 of 10,000 after 300 s',
        ],
        ['written for that', `${wrote(oneshot.sent)} for ${megabytes(oneshot.dataBytes)} of data`, '12.8 MB'],
        ['a second one in the same hour', wrote(oneshot.again), ''],
      ],
    ),
    bars: [
      { what: 'one-shot into ConfigMaps, seconds', value: oneshot.seconds, bar: ONE_SHOT_BAR_SECONDS },
      { what: 'bytes written for a byte of data', value: oneshot.sent.bytes / oneshot.dataBytes, bar: BYTES_BAR },
      { what: 'writes while nothing happens', value: tracker.idle.requests, bar: 0 },
    ],
  };
}
