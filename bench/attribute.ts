// How fast `podtrail attribute` is: CSV to CSV, and gzipped VPC flow logs with both ends of each row. The command itself,
// as a process of its own, from its start to its end; with --before in turn with an earlier version of itself. Makes a
// store and flow logs of it from a seed. Needs no cluster.
import { spawn } from 'node:child_process';
import { closeSync, createReadStream, createWriteStream, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { createGzip } from 'node:zlib';
import { livesWithin, nodesAndServices, writeFlowLog } from './attribute/flow-log.ts';
import { type Bar, BenchError, type Benchmark, UsageError, wholeNumber } from './benchmark.ts';
import { shapeOf } from './store/filled-store.ts';
import type { HistoryShape } from './store/made-history.ts';
import { megabytes, table } from './table.ts';

const HERE = join(import.meta.dirname, '..');
const PROGRAM = 'packages/cli/src/main.ts';
const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 50;
/** What two runs of one version may differ by. */
const NOT_SLOWER = 1.05;
/** Of /proc/self/stat, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export const attribute: Benchmark = {
  name: 'attribute',
  summary: 'podtrail attribute, CSV to CSV and gzipped VPC flow logs, as a process (no cluster needed)',
  options: {
    tenures: { placeholder: 'N', help: 'tenures in the store, each with its placement', fallback: '1000000' },
    weeks: { placeholder: 'N', help: 'weeks over which they are spread', fallback: '8' },
    rows: { placeholder: 'N', help: 'rows of each flow log', fallback: '3000000' },
    hours: { placeholder: 'N', help: 'time that a flow log spans', fallback: '24' },
    rounds: { placeholder: 'N', help: 'runs of each; the median counts', fallback: '3' },
    seed: { placeholder: 'N', help: 'of everything that is made up', fallback: '1' },
    directory: { placeholder: 'DIR', help: 'where everything is made, and removed again' },
    before: {
      placeholder: 'DIR',
      help: 'a clone of an earlier version, with its node_modules: CSV is measured in pairs, each on a store of its own',
    },
    keep: { placeholder: 'DIR', help: 'makes the store there if it is missing, and leaves it for the next run' },
  },
  async run(values, session) {
    const shape = shapeOf(values);
    const directory = await mkdtemp(join(values['directory'] ?? tmpdir(), 'podtrail-bench-attribute-'));
    try {
      const path = await storeOf(HERE, join(values['keep'] ?? directory, 'store.db'), shape, session.log);
      const clone = values['before'];
      const before = clone && {
        clone,
        path: await storeOf(clone, join(values['keep'] ?? directory, 'store-before.db'), shape, session.log),
      };
      const rows = wholeNumber(values, 'rows', 1000);
      const hours = wholeNumber(values, 'hours', 1);
      const rounds = wholeNumber(values, 'rounds', 1);
      const logs = { rows, hours, rounds, before: before || undefined };
      const measured = await measureAttribute(path, shape, logs, directory, session.log);
      const vpc = await measureVpc(path, shape, logs, directory, session.log);
      const all = [...measured, vpc];
      const bars = [...measured.filter(({ code }) => code === 'now').map(barOf), ...barsBeside(measured, vpc)];
      return { report: { shape, rows, hours, measured: all }, table: tableOf(all), bars };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

interface Measured {
  readonly log: string;
  /** This version, or the one that it is measured beside. */
  readonly code: 'now' | 'before';
  readonly rows: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** Week files are mapped into memory: what is read of them counts as resident, and is no memory of the process's own. */
  readonly peakRssBytes: number;
  readonly peakOwnBytes: number;
  /** The closing line: how many rows had which answer. */
  readonly shares: string;
  /** Of the machine, one minute before each run. */
  readonly load: readonly number[];
  readonly wallSecondsOfRounds: readonly number[];
}

/** The same records, stored by the version that is to read them. Made unless it is there. */
async function storeOf(clone: string, path: string, shape: HistoryShape, log: (text: string) => void): Promise<string> {
  if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  log(`Filling a store with ${shape.tenures} tenures (seed ${shape.seed}) …`);
  const from = pathToFileURL(join(clone, 'bench/store/filled-store.ts'));
  const { fillStore } = (await import(from.href)) as typeof import('./store/filled-store.ts');
  await fillStore(path, shape, log, nodesAndServices(shape));
  return path;
}

export interface MeasuredLogs {
  readonly rows: number;
  readonly hours: number;
  readonly rounds: number;
  /** A clone of an earlier version, and its store. */
  readonly before?: { readonly clone: string; readonly path: string } | undefined;
}

/** The middle of the last week. */
function spanOf(shape: HistoryShape, hours: number): { from: number; to: number } {
  const to = shape.until - 2 * DAY_MS;
  const from = to - hours * 3_600_000;
  if (from < shape.until - shape.weeks * 7 * DAY_MS) throw new UsageError('--hours is longer than the history');
  return { from, to };
}

/** Runs the command on CSV logs. Also a row of the store's benchmark. */
export async function measureAttribute(
  path: string,
  shape: HistoryShape,
  { rows, hours, rounds, before }: MeasuredLogs,
  directory: string,
  log: (text: string) => void,
): Promise<Measured[]> {
  const { from, to } = spanOf(shape, hours);
  log(`Making flow logs of ${rows} rows over ${hours} h …`);
  const lives = livesWithin(shape, from, to);
  const measured: Measured[] = [];
  for (const times of ['rfc3339', 'epoch'] as const) {
    const file = join(directory, `flows-${times}.csv`);
    const bytes = await writeFlowLog(file, lives, shape, { rows, from, to, times });
    log(`Attributing ${megabytes(bytes)} with times in ${times} …`);
    const words = [file, '--ip', 'src_addr', '--time', 'start'];
    const runs: Run[] = [];
    const earlier: Run[] = [];
    for (let round = 0; round < rounds; round++) {
      // In turn, so that what else the machine does meets both.
      if (before !== undefined)
        earlier.push(await runOnce(before.clone, before.path, words, join(directory, 'out.csv')));
      runs.push(await runOnce(HERE, path, words, join(directory, 'out.csv')));
    }
    if (before !== undefined) measured.push(medianOf(earlier, times, 'before', rows));
    measured.push(medianOf(runs, times, 'now', rows));
    await rm(file);
  }
  return measured;
}

/** Runs the command on a gzipped VPC flow log that it recognises: two addresses in each row, which is a window. */
async function measureVpc(
  path: string,
  shape: HistoryShape,
  { rows, hours, rounds }: MeasuredLogs,
  directory: string,
  log: (text: string) => void,
): Promise<Measured> {
  const { from, to } = spanOf(shape, hours);
  const plain = join(directory, 'flows.log');
  const file = `${plain}.gz`;
  await writeFlowLog(plain, livesWithin(shape, from, to), shape, { rows, from, to, times: 'vpc' });
  await pipeline(createReadStream(plain), createGzip(), createWriteStream(file));
  await rm(plain);
  log(`Attributing ${megabytes((await stat(file)).size)} of vpc.gz …`);
  const runs: Run[] = [];
  for (let round = 0; round < rounds; round++) runs.push(await runOnce(HERE, path, [file], join(directory, 'out.log')));
  await rm(file);
  return medianOf(runs, 'vpc.gz, both ends', 'now', rows);
}

function medianOf(runs: Run[], log: string, code: Measured['code'], rows: number): Measured {
  const all = { load: runs.map((run) => run.load), wallSecondsOfRounds: runs.map((run) => run.wallSeconds) };
  const byTime = runs.toSorted((a, b) => a.wallSeconds - b.wallSeconds);
  const { load: _, ...median } = byTime[Math.floor((byTime.length - 1) / 2)]!;
  // A busy machine takes the wall clock from both; the least that a run needed of the processor is its own.
  const cpuSeconds = Math.min(...runs.map((run) => run.cpuSeconds));
  return { log, code, rows, ...median, ...all, cpuSeconds };
}

/** Not slower than the version before, and both ends of vpc.gz at no more than twice the time of plain CSV. */
function barsBeside(measured: readonly Measured[], vpc: Measured): Bar[] {
  const bars: Bar[] = [];
  for (const now of measured.filter(({ code }) => code === 'now')) {
    const before = measured.find(({ code, log }) => code === 'before' && log === now.log);
    if (before === undefined) continue;
    const pairs = now.wallSecondsOfRounds.map((seconds, i) => seconds / before.wallSecondsOfRounds[i]!);
    const [ratio = 1] = [pairs.sort((a, b) => a - b)[Math.floor((pairs.length - 1) / 2)]];
    const what = `attribute CSV→CSV, times in ${now.log}, beside the version before`;
    bars.push({ what: `${what}, median of the pairs, wall clock`, value: ratio, bar: NOT_SLOWER });
    bars.push({ what: `${what}, CPU`, value: now.cpuSeconds / before.cpuSeconds, bar: NOT_SLOWER });
  }
  const csv = measured.find(({ code, log }) => code === 'now' && log === 'epoch');
  if (csv === undefined) return bars;
  const what = 'vpc.gz with both ends beside plain CSV with one';
  bars.push({ what: `${what}, wall clock`, value: vpc.wallSeconds / csv.wallSeconds, bar: 2 });
  bars.push({ what: `${what}, CPU`, value: vpc.cpuSeconds / csv.cpuSeconds, bar: 2 });
  return bars;
}

type Run = Pick<Measured, 'wallSeconds' | 'cpuSeconds' | 'peakRssBytes' | 'peakOwnBytes' | 'shares'> & {
  readonly load: number;
};

async function runOnce(clone: string, path: string, words: readonly string[], outFile: string): Promise<Run> {
  const load = loadavg()[0]!;
  const out = openSync(outFile, 'w');
  const cpuBefore = cpuSecondsOfChildren();
  const begun = performance.now();
  const args = ['attribute', ...words, '--timezone', 'UTC', '--store', `sqlite:${path}`];
  const child = spawn(process.execPath, [join(clone, PROGRAM), ...args], { stdio: ['ignore', out, 'pipe'] });
  closeSync(out);
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  let peakRssBytes = 0;
  let peakOwnBytes = 0;
  const looking = setInterval(() => {
    peakRssBytes = Math.max(peakRssBytes, memoryOf(child.pid, 'VmHWM'));
    peakOwnBytes = Math.max(peakOwnBytes, memoryOf(child.pid, 'RssAnon'));
  }, LOOK_EVERY_MS);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).finally(() => clearInterval(looking));
  const wallSeconds = (performance.now() - begun) / 1000;
  if (code !== 0) throw new BenchError(`podtrail attribute ended with ${code}: ${stderr.trim()}`);
  const shares = /^\d+ rows: .*$/m.exec(stderr)?.[0] ?? '';
  const cpuSeconds = cpuSecondsOfChildren() - cpuBefore;
  return { wallSeconds, cpuSeconds, peakRssBytes, peakOwnBytes, shares, load };
}

/** User and system time of all children that have ended; all of them are ours. */
function cpuSecondsOfChildren(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

function memoryOf(pid: number | undefined, field: 'VmHWM' | 'RssAnon'): number {
  try {
    const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(line?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it is gone
  }
}

/** Bars are upper limits: microseconds for a row, of which 300,000 a second leave 3.33. */
export function barOf({ log, rows, wallSeconds }: Measured): Bar {
  return {
    what: `attribute CSV→CSV, times in ${log}, µs per row (300,000 rows a second)`,
    value: (wallSeconds / rows) * 1e6,
    bar: 1e6 / 300_000,
  };
}

/** In one cell of another table. */
export function describeRun({ rows, wallSeconds, cpuSeconds, peakRssBytes, load }: Measured): string {
  const perSecond = `${(rows / wallSeconds).toFixed(0)} rows/s (${(rows / cpuSeconds).toFixed(0)} of CPU)`;
  return `${perSecond}, ${megabytes(peakRssBytes)}, load ${load.map((one) => one.toFixed(1)).join(' ')}`;
}

function tableOf(measured: readonly Measured[]): string {
  const header = [
    'attribute',
    'code',
    'rows/s',
    'wall s',
    'CPU s',
    'rows/s of CPU',
    'peak RSS',
    'own',
    'load',
    'answers',
  ];
  const rows = measured.map((run) => [
    run.log,
    run.code,
    (run.rows / run.wallSeconds).toFixed(0),
    run.wallSecondsOfRounds.map((s) => s.toFixed(1)).join(' '),
    run.cpuSeconds.toFixed(1),
    (run.rows / run.cpuSeconds).toFixed(0),
    megabytes(run.peakRssBytes),
    megabytes(run.peakOwnBytes),
    run.load.map((load) => load.toFixed(1)).join(' '),
    run.shares,
  ]);
  return table(header, rows);
}
