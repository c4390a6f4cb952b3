// The memory of `podtrail record` as it is published, on a filled cluster: once it watches and is quiet, and while pods
// change. Beside it client-go with protobuf and a stripping transform follows the same changes. Used by
// `npm run bench -- footprint`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, loadClusterConfig } from '@podtrail/machinery';
import { BenchError } from '../benchmark.ts';
import { changePods, runningPods } from '../lag/pod-changer.ts';
import { memoryOf, PeerProcess } from '../peer-process.ts';
import type { Peer } from '../peers.ts';

export interface WeightOptions {
  /** The command line of podtrail on this Node, without its words. */
  readonly podtrail: readonly string[];
  readonly kubeconfig: string;
  /** False: with `--no-causes`. */
  readonly causes: boolean;
  /** client-go on the same cluster; undefined where ours is measured alone. */
  readonly peer: Peer | undefined;
  /** Changes a second, and for how long; 0 seconds: only quiet. */
  readonly rate: number;
  readonly seconds: number;
  readonly log: (text: string) => void;
}

export interface Weight {
  /** Of the sync, and of everything after it. */
  readonly peakRssBytes: number;
  readonly quietRssBytes: number;
  /** The largest of one look a second; undefined without changes. */
  readonly busyRssBytes: number | undefined;
  readonly changes: number;
  readonly peerQuietRssBytes: number | undefined;
  readonly peerBusyRssBytes: number | undefined;
}

/** What the sync left behind is collected by then, or stays. */
const SETTLE_MS = 15_000;
const WATCHING_WITHIN_MS = 300_000;

export async function weighRecorder(options: WeightOptions): Promise<Weight> {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-bench-footprint-'));
  const client = Client.connect(await loadClusterConfig({ kubeconfig: options.kubeconfig }));
  const words = ['record', '--kubeconfig', options.kubeconfig, '--store', `sqlite:${join(directory, 'ledger.db')}`];
  const args = [...options.podtrail, ...words, '--metrics-port', '0', ...(options.causes ? [] : ['--no-causes'])];
  const recorder = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = () => void recorder.kill('SIGKILL');
  process.once('exit', kill);
  try {
    await watching(recorder);
    options.log('podtrail record watches.');
    const follower = options.peer && new PeerProcess(options.peer, ['--follow']);
    if (follower !== undefined && !(await follower.ready)) throw new BenchError('client-go did not become ready');
    await sleep(SETTLE_MS);
    const quietRssBytes = weightOf(recorder, 'VmRSS');
    const peerQuietRssBytes = follower?.rssBytes;
    follower?.send('start');
    const { changes, busyRssBytes } = await busy(recorder, client, options);
    follower?.send(`stop ${changes}`);
    const end = await follower?.ended;
    if (end?.kind === 'died') throw new BenchError(`client-go did not finish: ${end.how}`);
    const peerBusyRssBytes = changes === 0 ? undefined : end?.result.followed?.rssBytes;
    const peakRssBytes = weightOf(recorder, 'VmHWM');
    return { peakRssBytes, quietRssBytes, busyRssBytes, changes, peerQuietRssBytes, peerBusyRssBytes };
  } finally {
    kill();
    process.off('exit', kill);
    await client.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function busy(recorder: ChildProcess, client: Client, { rate, seconds, log }: WeightOptions) {
  if (seconds === 0) return { changes: 0, busyRssBytes: undefined };
  const targets = await runningPods(client);
  log(`Changing ${rate} pods a second for ${seconds} s …`);
  let most = 0;
  const looking = setInterval(() => (most = Math.max(most, weightOf(recorder, 'VmRSS'))), 1000);
  try {
    const { changes } = await changePods(client, targets, { rate, seconds }, () => {});
    return { changes, busyRssBytes: most };
  } finally {
    clearInterval(looking);
  }
}

/** What recorders said last: why one ended is in it. */
const LAST_LINES = new WeakMap<ChildProcess, () => string>();

/** Resolves when the recorder says that it watches. */
export async function watching(recorder: ChildProcess): Promise<void> {
  let said = '';
  LAST_LINES.set(recorder, () => said.slice(-2000));
  const within = AbortSignal.timeout(WATCHING_WITHIN_MS);
  const failed = (why: string) => new BenchError(`podtrail record ${why}:\n${said.slice(-2000)}`);
  const watches = new Promise<void>((resolve) => {
    recorder.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-100_000);
      if (said.includes('"msg":"watching"')) resolve();
    });
  });
  const ended = once(recorder, 'exit', { signal: within }).then(
    () => 'ended',
    () => 'does not watch',
  );
  const why = await Promise.race([watches, ended]);
  if (why !== undefined) throw failed(why);
}

export function weightOf(recorder: ChildProcess, field: 'VmHWM' | 'VmRSS'): number {
  const { pid, exitCode, signalCode } = recorder;
  if (exitCode !== null || signalCode !== null) {
    const how = exitCode === null ? `was ended by ${signalCode}` : `has ended with exit code ${exitCode}`;
    throw new BenchError(`podtrail record ${how}:\n${LAST_LINES.get(recorder)?.() ?? ''}`);
  }
  return memoryOf(pid, field);
}
