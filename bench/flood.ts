// `npm run bench -- flood`: 50,000 Events within a minute on a real API server, while `podtrail record` follows them: what
// it takes without and with the flood, what it keeps, and whether it answers as before.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, loadClusterConfig } from '@podtrail/machinery';
import { BenchError, type Benchmark, wholeNumber } from './benchmark.ts';
import { writeEvents } from './flood/event-writer.ts';
import { watching, weightOf } from './footprint/recorder-weight.ts';
import { megabytes, table } from './table.ts';

const SOURCE = join(import.meta.dirname, '..', 'packages', 'cli', 'src', 'main.ts');
/** More than this, and the flood has cost memory. */
const FACTOR = 1.5;
const SETTLE_MS = 15_000;

export const flood: Benchmark = {
  name: 'flood',
  summary: 'podtrail record while 50,000 Events are written in a minute: memory, what is kept, answers',
  options: {
    pods: { placeholder: 'N', help: 'pods of the cluster', fallback: '1000' },
    events: { placeholder: 'N', help: 'Events', fallback: '50000' },
    seconds: { placeholder: 'N', help: 'within so long, if the server takes them', fallback: '60' },
  },
  async run(values, session) {
    const events = wholeNumber(values, 'events', 1);
    const seconds = wholeNumber(values, 'seconds', 1);
    const { kubeconfig } = await session.filledCluster(wholeNumber(values, 'pods', 1));
    const directory = await mkdtemp(join(tmpdir(), 'podtrail-bench-flood-'));
    const store = `sqlite:${join(directory, 'ledger.db')}`;
    const args = [SOURCE, 'record', '--kubeconfig', kubeconfig, '--store', store, '--metrics-port', '0'];
    const recorder = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const kill = () => void recorder.kill('SIGKILL');
    process.once('exit', kill);
    const client = Client.connect(await loadClusterConfig({ kubeconfig }));
    try {
      let said = '';
      recorder.stderr?.on('data', (text) => (said += text));
      await watching(recorder);
      const metrics = /"metrics":"([^"]+)"/.exec(said)?.[1];
      if (metrics === undefined) throw new BenchError('podtrail record says no address of its metrics');
      const ip = await anAddress(client);
      await sleep(SETTLE_MS);
      const quiet = await heaviest(() => weightOf(recorder, 'VmRSS'), sleep(seconds * 1000));
      const before = who(ip, store);
      session.log(`Writing ${events} Events within ${seconds} s …`);
      const begun = performance.now();
      const flooded = await heaviest(() => weightOf(recorder, 'VmRSS'), writeEvents(client, { events, seconds }));
      const took = (performance.now() - begun) / 1000;
      await sleep(SETTLE_MS / 3);
      const after = who(ip, store);
      const dropped = await counter(metrics, 'podtrail_evidence_dropped_total{resource="events"}');
      const report = {
        ...{ events, took, dropped, before, after, load: loadavg()[0] ?? 0 },
        ...{ quietRssBytes: quiet, floodedRssBytes: flooded, peakRssBytes: weightOf(recorder, 'VmHWM') },
      };
      return {
        report,
        table: `${table(
          ['Events', 'written in', 'dropped', 'RSS before', 'RSS in the flood', 'who'],
          [
            [
              ...[String(events), `${took.toFixed(0)} s`, String(dropped), megabytes(quiet), megabytes(flooded)],
              before === after ? `as before: ${after}` : `CHANGED: ${before} → ${after}`,
            ],
          ],
        )}\n`,
        bars: [
          { what: 'RSS in the flood, × before', value: flooded / quiet, bar: FACTOR },
          { what: 'answers that changed', value: Number(before !== after), bar: 0 },
          { what: `seconds for ${events} Events`, value: took, bar: seconds * 1.1 },
        ],
      };
    } finally {
      kill();
      process.off('exit', kill);
      await client.close();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

/** One look a second while it lasts. */
async function heaviest(look: () => number, lasts: Promise<unknown>): Promise<number> {
  let most = look();
  const looking = setInterval(() => (most = Math.max(most, look())), 1000);
  try {
    await lasts;
    return Math.max(most, look());
  } finally {
    clearInterval(looking);
  }
}

async function anAddress(client: Client): Promise<string> {
  const { items } = await client.pods().list({ fieldSelector: 'status.phase=Running', limit: 1 });
  const ip = (items[0]?.['status'] as { podIP?: string } | undefined)?.podIP;
  if (ip === undefined) throw new BenchError('no pod of the cluster has an address');
  return ip;
}

/** The answer without its times. */
function who(ip: string, store: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, [SOURCE, 'who', ip, '--store', store, '-o', 'json'], {
    encoding: 'utf8',
  });
  if (stdout === '') throw new BenchError(`podtrail who has failed:\n${stderr}`);
  const { answer, holders } = JSON.parse(stdout) as { answer: string; holders: { name: string }[] };
  return [answer, ...holders.map(({ name }) => name)].join(' ');
}

async function counter(url: string, series: string): Promise<number> {
  const page = await (await fetch(url)).text();
  const line = page.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? 0);
}
