// `npm run bench -- lag`: from the commit of a pod's new address at the API server to the first right answer of another
// process, while `podtrail record` writes and other pods change at a steady rate.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, loadClusterConfig } from '@podtrail/machinery';
import { BenchError, type Benchmark, wholeNumber } from './benchmark.ts';
import type { Answerable, Change } from './lag/asker.ts';
import { BareWatch } from './lag/bare-watch.ts';
import { changePods, runningPods } from './lag/pod-changer.ts';
import { boundOf, ownLags, quantile, startAsker, startRecorder } from './lag/recorder-process.ts';
import { megabytes, table } from './table.ts';

const BAR_MS = 250;
/** So many changes a second are followed to their answer; the others are load. */
const SAMPLES_PER_SECOND = 20;
/** The first changes meet cold code; they are made, and not counted. */
const WARM_UP_SECONDS = 3;

export const lag: Benchmark = {
  name: 'lag',
  summary: 'from the commit of a new pod address to the first right answer, at a steady rate of changes',
  options: {
    pods: { placeholder: 'N', help: 'pods in the cluster', fallback: '20000' },
    rate: { placeholder: 'N', help: 'pod changes a second', fallback: '200' },
    seconds: { placeholder: 'N', help: 'how long', fallback: '60' },
  },
  async run(values, session) {
    const pods = wholeNumber(values, 'pods', 100);
    const rate = wholeNumber(values, 'rate', 1);
    const seconds = wholeNumber(values, 'seconds', 1);
    const { kubeconfig } = await session.filledCluster(pods);
    const directory = await mkdtemp(join(tmpdir(), 'podtrail-bench-lag-'));
    const client = Client.connect(await loadClusterConfig({ kubeconfig }));
    const children: ChildProcess[] = [];
    const killAll = () => {
      for (const child of children) child.kill('SIGKILL');
    };
    process.once('exit', killAll);
    try {
      return await measure({ kubeconfig, directory, client, children, pods, rate, seconds, log: session.log });
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
  readonly children: ChildProcess[];
  readonly pods: number;
  readonly rate: number;
  readonly seconds: number;
  readonly log: (text: string) => void;
}

async function measure(stage: Stage) {
  const { client, rate, seconds, log } = stage;
  const url = `sqlite:${join(stage.directory, 'ledger.db')}`;
  log('Starting podtrail record …');
  const recorder = await startRecorder({ ...stage, clusterName: 'bench' }, url);
  log('It watches.');
  const { metadata } = await client.namespaces().get('kube-system');
  const asker = await startAsker(stage, url, metadata.uid ?? '');
  const targets = await runningPods(client);
  const bare = new BareWatch(client);
  await bare.synced;
  const followed: Change[] = [];
  const lags: number[] = [];
  let asked = 0;
  let missed = 0;
  asker.on('message', ({ lagMs }: Answerable) => {
    if (lagMs === undefined) missed++;
    else lags.push(lagMs);
  });
  const every = Math.max(1, Math.round(rate / SAMPLES_PER_SECOND));
  const warmUp = rate * WARM_UP_SECONDS;
  log(`Changing ${rate} pods a second for ${WARM_UP_SECONDS} + ${seconds} s …`);
  let before = usageOf(recorder.pid);
  const lagsBefore = await ownLags(recorder.metrics);
  const run = await changePods(client, targets, { rate, seconds: WARM_UP_SECONDS + seconds }, (change, n) => {
    if (n === warmUp) before = usageOf(recorder.pid);
    if (n < warmUp || n % every !== 0) return;
    asked++;
    followed.push(change);
    asker.send(change);
  });
  const after = usageOf(recorder.pid);
  const load = loadavg()[0] ?? 0;
  const own = boundOf(lagsBefore, await ownLags(recorder.metrics), 0.99);
  asker.send('end');
  await once(asker, 'exit');
  await bare.stop();
  const bareLags = followed.flatMap((change) => bare.lagOf(change) ?? []).sort((a, b) => a - b);
  if (lags.length + missed !== asked)
    throw new BenchError(`${asked} changes were asked about, ${lags.length} answered`);
  if (missed > 0) throw new BenchError(`${missed} of ${asked} changes were not answerable within 10 s`);
  lags.sort((a, b) => a - b);
  const ms = { p50: quantile(lags, 0.5), p90: quantile(lags, 0.9), p99: quantile(lags, 0.99), max: quantile(lags, 1) };
  const server = {
    p50: quantile(bareLags, 0.5),
    p90: quantile(bareLags, 0.9),
    p99: quantile(bareLags, 0.99),
    max: quantile(bareLags, 1),
  };
  const wallSeconds = (after.at - before.at) / 1000;
  const achieved = run.changes / run.seconds;
  if (achieved < rate * 0.95) log(`The API server took only ${achieved.toFixed(0)} changes a second of ${rate}.`);
  const cpu = (after.cpuSeconds - before.cpuSeconds) / wallSeconds;
  const recorded = { cpuCores: cpu, rssBytes: after.rssBytes, arrivalToDurableP99AtMostMs: own };
  return {
    report: {
      pods: stage.pods,
      rate,
      achievedRate: achieved,
      seconds,
      samples: lags.length,
      ms,
      serverMs: server,
      recorder: recorded,
      load,
    },
    table: table(
      [
        'committed → answerable',
        'p50 ms',
        'p90 ms',
        'p99 ms',
        'max ms',
        'samples',
        'changes/s',
        'in the recorder p99',
        'recorder CPU',
        'RSS',
        'load',
      ],
      [
        [
          `${stage.pods} pods`,
          ...[ms.p50, ms.p90, ms.p99, ms.max].map((value) => value.toFixed(0)),
          String(lags.length),
          achieved.toFixed(0),
          `≤ ${own.toFixed(0)}`,
          `${(cpu * 100).toFixed(0)} %`,
          megabytes(after.rssBytes),
          load.toFixed(1),
        ],
        [
          'of it: committed → a bare watch',
          ...[server.p50, server.p90, server.p99, server.max].map((value) => value.toFixed(0)),
          String(bareLags.length),
          ...['', '', '', '', ''],
        ],
      ],
    ),
    bars: [{ what: 'p99 from commit to answer, milliseconds', value: ms.p99, bar: BAR_MS }],
  };
}

/** Of a process on Linux, from /proc: CPU in ticks of a hundredth of a second. */
function usageOf(pid: number | undefined): { at: number; cpuSeconds: number; rssBytes: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100;
  return { at: performance.now(), cpuSeconds, rssBytes: Number(rss ?? 0) * 1024 };
}
