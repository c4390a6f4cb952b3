// A recorder at work beside the clients: a sandbox whose pods get new addresses at a steady rate, `podtrail record` writing
// them into the store that is being asked, and a process that asks that store for each until the answer is right. How long
// that takes, from the commit at the API server, is the lag.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client, loadClusterConfig } from '@podtrail/machinery';
import { BenchError } from '../benchmark.ts';
import type { Answerable } from '../lag/asker.ts';
import { changePods, runningPods } from '../lag/pod-changer.ts';
import {
  boundOf,
  ownLags,
  quantile,
  type StartedRecorder,
  startAsker,
  startRecorder,
} from '../lag/recorder-process.ts';

const PODTRAIL = join(import.meta.dirname, '../../packages/cli/src/main.ts');
/** As the store knows it, beside the cluster that is asked about. */
const NAME = 'live';
const NODES = 20;
const PODS = 400;
const STARTED_WITHIN_MS = 60_000;
/** The first changes meet cold code; they are made, and not counted. */
const WARM_UP_SECONDS = 2;

export interface RecordedLag {
  /** From the commit at the API server to the first right answer out of the store, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly samples: number;
  /** Changes of which no right answer came within 10 s. */
  readonly missed: number;
  /** Within which 99 of 100 events were durable after they had arrived at the recorder, by its own metrics. */
  readonly durableP99AtMost: number;
  readonly changesPerSecond: number;
}

export class LiveCluster {
  readonly #client: Client;
  readonly #asker: ChildProcess;
  readonly #recorder: StartedRecorder;

  private constructor(client: Client, asker: ChildProcess, recorder: StartedRecorder) {
    this.#client = client;
    this.#asker = asker;
    this.#recorder = recorder;
  }

  /** Resolves when the recorder watches. Processes are in `children`, whose owner ends them. */
  static async start(url: string, directory: string, children: ChildProcess[]): Promise<LiveCluster> {
    const kubeconfig = join(directory, 'kubeconfig');
    const words = ['sandbox', '--nodes', `${NODES}`, '--pods', `${PODS}`, '--seed', '1', '--speed', '0'];
    const sandbox = spawn(process.execPath, [PODTRAIL, ...words, '--kubeconfig-out', kubeconfig], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(sandbox);
    const late = AbortSignal.timeout(STARTED_WITHIN_MS);
    const begun = await Promise.race([
      once(sandbox.stdout!, 'data', { signal: late }).catch(() => undefined),
      once(sandbox, 'exit').then(() => undefined),
    ]);
    if (begun === undefined) throw new BenchError('the sandbox did not start');
    const recorder = await startRecorder({ kubeconfig, children, clusterName: NAME }, url);
    const client = Client.connect(await loadClusterConfig({ kubeconfig }));
    const { metadata } = await client.namespaces().get('kube-system');
    const asker = await startAsker({ children }, url, metadata.uid ?? '');
    return new LiveCluster(client, asker, recorder);
  }

  /** Changes pods for so long; resolves when each has been answered for, or given up. */
  async follow(rate: number, seconds: number): Promise<RecordedLag> {
    const lags: number[] = [];
    let missed = 0;
    this.#asker.on('message', ({ lagMs }: Answerable) => {
      if (lagMs === undefined) missed++;
      else lags.push(lagMs);
    });
    const pods = await runningPods(this.#client);
    const before = await ownLags(this.#recorder.metrics);
    const run = await changePods(this.#client, pods, { rate, seconds }, (change, n) => {
      if (n >= rate * Math.min(WARM_UP_SECONDS, seconds - 1)) this.#asker.send(change);
    });
    const durableP99AtMost = boundOf(before, await ownLags(this.#recorder.metrics), 0.99);
    this.#asker.send('end');
    await once(this.#asker, 'exit');
    lags.sort((a, b) => a - b);
    return {
      ...{ p50: quantile(lags, 0.5), p99: quantile(lags, 0.99), max: quantile(lags, 1) },
      ...{ samples: lags.length, missed, durableP99AtMost, changesPerSecond: run.changes / run.seconds },
    };
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
