// `npm run proof -- nodes`: pods come and go on real nodes by every mechanism there is, a recorder watches, and the
// ledger is judged against what host-local reserved and against the packets that the pods sent.
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { openStore, withSnapshot } from '@podtrail/history';
import { kubernetesVersion, startControlPlane, until } from '../../controlplane/index.ts';
import { Chance } from '../random.ts';
import { RecorderProcess } from '../recorder-process.ts';
import { ChurnWorld, NAMESPACE } from './churn-world.ts';
import { judgeRun, type NodesResult } from './judge-run.ts';
import { MECHANISMS, type Mechanism } from './mechanisms.ts';
import { MetricsPeer, ScrapedHistory } from './metrics-peer.ts';
import { failNodes, NODE_EVENTS } from './node-events.ts';
import { ensurePeerPrograms } from './peer-programs.ts';
import { readTruth } from './physical-truth.ts';
import { RawWatch } from './raw-watch.ts';
import { replay } from './replay.ts';
import type { OutageLine, RunDescription } from './run-folder.ts';

export interface NodesRunOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly nodes: number;
  /** Addresses for all pods together; with `podCidrs` for the pods of each node. */
  readonly addresses: number;
  readonly questions: number;
  /** Names of MECHANISMS; all unless given. */
  readonly mechanisms?: readonly string[] | undefined;
  /** Names of NODE_EVENTS; all unless given. */
  readonly nodeEvents?: readonly string[] | undefined;
  /** Kill the recorder so often. */
  readonly kills: number;
  readonly podCidrs: boolean;
  /** Older kubelets, for example `1.34`: for the last nodes, one each. */
  readonly kubelets: readonly string[];
  /** Beside it kube-state-metrics and Prometheus. */
  readonly peers?: boolean | undefined;
  /** The run folder. */
  readonly out: string;
  readonly log: (line: string) => void;
}

/** Long enough for what happened last to have been said. */
const SETTLE_MS = 20_000;

export async function nodesRun(options: NodesRunOptions): Promise<NodesResult> {
  await recordRun(options);
  return replayRun(options.out, options);
}

/** Judges the watch of a run folder with the ledger as it is now. */
export async function replayRun(
  directory: string,
  options: {
    readonly questions: number;
    readonly seed: number;
    readonly peers?: boolean | undefined;
    readonly out: string;
    readonly log: (line: string) => void;
  },
): Promise<NodesResult> {
  options.log('replaying the watch into a ledger …');
  const engine = await openStore('memory:', { access: 'write' });
  await using _closed = { [Symbol.asyncDispose]: () => engine.close() };
  const cluster = await replay(directory, engine);
  await using scraped = options.peers === true ? await ScrapedHistory.open(directory) : undefined;
  if (options.peers === true && scraped === undefined)
    options.log('this run was made without --peers: Prometheus is not asked');
  options.log('asking …');
  return await judgeRun(directory, await readTruth(directory), engine, cluster, { ...options, scraped });
}

/** Judges what the recorder of the run itself wrote. */
export async function judgeStore(
  directory: string,
  options: { readonly questions: number; readonly seed: number; readonly out: string },
): Promise<NodesResult> {
  const truth = await readTruth(directory);
  const engine = await openStore(`sqlite:${join(directory, 'ledger.db')}`, { access: 'read' });
  await using _closed = { [Symbol.asyncDispose]: () => engine.close() };
  return await judgeRun(directory, truth, engine, truth.run.cluster, options);
}

async function recordRun(options: NodesRunOptions): Promise<void> {
  const { seed, out, log } = options;
  await mkdir(out, { recursive: true });
  if (options.peers === true) await ensurePeerPrograms();
  log('starting a control plane and real nodes …');
  const names = Array.from({ length: options.nodes }, (_, index) => `real-${index + 1}`);
  const kubeletOf = (index: number): string | undefined => options.kubelets[names.length - 1 - index];
  const range = options.podCidrs ? ('podCIDR' as const) : sharedRange(options.addresses);
  await using plane = await startControlPlane({
    audit: false,
    apiserverFlags: ['--default-not-ready-toleration-seconds=15', '--default-unreachable-toleration-seconds=15'],
    controllerManager: {
      flags: ['--node-monitor-grace-period=20s', ...(options.podCidrs ? podCidrFlags(options) : [])],
    },
    scheduler: true,
    realNodes: { nodes: names.map((name, index) => ({ name, kubelet: kubeletOf(index) })), range },
  });
  const truthFolder = await plane.realNodes.observe();
  const watch = new RawWatch(plane, join(out, 'watch.jsonl.gz'));
  await plane.kubectl(['create', 'namespace', NAMESPACE]);
  await watch.start();
  const store = `sqlite:${join(out, 'ledger.db')}`;
  const recorder = new RecorderProcess(plane.adminKubeconfig, store);
  recorder.start();
  await using _ended = { [Symbol.asyncDispose]: () => recorder.kill() };
  const cluster = await clusterId(plane);
  await until('the recorder watches', async () => {
    const engine = await openStore(store, { access: 'read' });
    await using _closed = { [Symbol.asyncDispose]: () => engine.close() };
    return (await withSnapshot(engine, cluster, (snapshot) => snapshot.coverage())).length > 0;
  });

  await using peer = options.peers === true ? await MetricsPeer.start(plane.adminKubeconfig, out) : undefined;

  const world = new ChurnWorld(plane, new Chance(seed), join(out, 'actions.jsonl'));
  const from = Date.now() + 2_000;
  const end = Date.now() + options.minutes * 60_000;
  const outages = killRecorder(recorder, options.kills, end, new Chance(seed + 1), log);
  const failures = failNodes(world, options.nodeEvents ?? Object.keys(NODE_EVENTS), [8, 25], log);
  await churn(world, options, end);
  const to = Date.now() - 2_000;
  world.stop();
  await failures;
  await sleep(SETTLE_MS);
  await watch.stop();
  await recorder.stop();
  await peer?.[Symbol.asyncDispose]();
  await world.close();

  const kubelets = names.map((name, index) => ({ name, kubelet: kubeletOf(index) ?? kubernetesVersion }));
  const addresses = options.podCidrs
    ? await podCidrAddresses(plane, names, options)
    : addressesOf(range as SharedRange);
  const run: RunDescription = { seed, cluster, nodes: kubelets, addresses, podCidrs: options.podCidrs, from, to };
  await writeFile(join(out, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
  await writeFile(join(out, 'outages.jsonl'), (await outages).map((line) => `${JSON.stringify(line)}\n`).join(''));
  for (const name of ['cni', 'ipam', 'links'])
    await copyFile(join(truthFolder, `${name}.jsonl`), join(out, `${name}.jsonl`));
  await pipeline(
    createReadStream(join(truthFolder, 'packets.jsonl')),
    createGzip(),
    createWriteStream(join(out, 'packets.jsonl.gz')),
  );
}

async function clusterId(plane: { request(path: string): Promise<{ json(): unknown }> }): Promise<string> {
  const namespace = (await plane.request('/api/v1/namespaces/kube-system')).json() as { metadata: { uid: string } };
  return namespace.metadata.uid;
}

/** Lives begin as long as there are addresses for them. */
async function churn(world: ChurnWorld, options: NodesRunOptions, end: number): Promise<void> {
  const names = options.mechanisms ?? Object.keys(MECHANISMS);
  const { log, addresses } = options;
  const most = Math.max(4, Math.floor((options.podCidrs ? addresses * options.nodes : addresses) * 0.7));
  const living = new Set<Promise<void>>();
  let [waiting, begun, failures]: [string[], number, number] = [[], 0, 0];
  let reportedAt = Date.now();
  while (Date.now() < end) {
    if (living.size < most) {
      if (waiting.length === 0) waiting = [...names].sort(() => world.chance.next() - 0.5);
      const name = waiting.pop() as string;
      const life = (MECHANISMS[name] as Mechanism)(world)
        .catch((error) => {
          if (failures++ < 5) log(`${name}: ${error instanceof Error ? error.message : error}`);
        })
        .finally(() => living.delete(life));
      living.add(life);
      begun++;
    }
    await world.pause(0.1, 0.7);
    if (Date.now() - reportedAt > 60_000) {
      reportedAt = Date.now();
      log(`${begun} lives begun, ${living.size} under way`);
    }
  }
  world.stop();
  await Promise.all(living);
}

/** Three different lengths, spread over the run. */
async function killRecorder(
  recorder: RecorderProcess,
  times: number,
  end: number,
  chance: Chance,
  log: (line: string) => void,
): Promise<OutageLine[]> {
  const outages: OutageLine[] = [];
  for (let left = times; left > 0; left--) {
    const until = end - Date.now() - 60_000;
    await sleep(Math.max(0, (until / (left + 1)) * chance.between(0.8, 1.2)));
    const from = Date.now();
    await recorder.kill();
    await sleep(chance.between(2, left % 2 === 0 ? 25 : 8) * 1000);
    recorder.start();
    outages.push({ from, to: Date.now() });
    log(`the recorder was killed for ${((Date.now() - from) / 1000).toFixed(1)} s`);
  }
  return outages;
}

interface SharedRange {
  readonly subnet: string;
  readonly first: string;
  readonly last: string;
}

const FIRST_ADDRESS = 10;

function sharedRange(count: number): SharedRange {
  return { subnet: '10.99.1.0/24', first: `10.99.1.${FIRST_ADDRESS}`, last: `10.99.1.${FIRST_ADDRESS + count - 1}` };
}

function addressesOf({ first, last }: SharedRange): string[] {
  const number = (ip: string): number => Number(ip.split('.')[3]);
  return Array.from({ length: number(last) - number(first) + 1 }, (_, index) => `10.99.1.${number(first) + index}`);
}

/** Ranges of 16 or 32 addresses: as small as the asked number allows. */
function podCidrFlags({ addresses }: NodesRunOptions): string[] {
  const size = 32 - Math.ceil(Math.log2(addresses + 3));
  return ['--allocate-node-cidrs=true', '--cluster-cidr=10.99.128.0/18', `--node-cidr-mask-size=${size}`];
}

async function podCidrAddresses(
  plane: { request(path: string): Promise<{ json(): unknown }> },
  names: readonly string[],
  options: NodesRunOptions,
): Promise<string[]> {
  const all: string[] = [];
  for (const name of names) {
    const node = (await plane.request(`/api/v1/nodes/${name}`)).json() as { spec?: { podCIDR?: string } };
    const [network = '', size = '27'] = (node.spec?.podCIDR ?? '').split('/');
    const parts = network.split('.');
    const first = Number(parts[3]);
    for (let index = 2; index < 2 ** (32 - Number(size)) - 1; index++)
      all.push([...parts.slice(0, 3), first + index].join('.'));
  }
  return options.addresses > 0 ? all : [];
}
