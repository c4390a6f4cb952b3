// How fast `podtrail attribute` is from a CSV file to a CSV file: the command itself, as a process of its own, from its
// start to its end. Makes a store and flow logs of it from a seed. Needs no cluster.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { livesWithin, nodesAndServices, writeFlowLog } from './attribute/flow-log.ts';
import { type Bar, BenchError, type Benchmark, UsageError, wholeNumber } from './benchmark.ts';
import { fillStore, shapeOf } from './store/filled-store.ts';
import type { HistoryShape } from './store/made-history.ts';
import { megabytes, table } from './table.ts';

const PROGRAM = join(import.meta.dirname, '../packages/cli/src/main.ts');
const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 50;
/** Of /proc/self/stat, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export const attribute: Benchmark = {
  name: 'attribute',
  summary: 'podtrail attribute from a CSV file to a CSV file, as a process (no cluster needed)',
  options: {
    tenures: { placeholder: 'N', help: 'tenures in the store, each with its placement', fallback: '1000000' },
    weeks: { placeholder: 'N', help: 'weeks over which they are spread', fallback: '8' },
    rows: { placeholder: 'N', help: 'rows of each flow log', fallback: '3000000' },
    hours: { placeholder: 'N', help: 'time that a flow log spans', fallback: '24' },
    rounds: { placeholder: 'N', help: 'runs of each; the median counts', fallback: '3' },
    seed: { placeholder: 'N', help: 'of everything that is made up', fallback: '1' },
    directory: { placeholder: 'DIR', help: 'where everything is made, and removed again' },
    keep: { placeholder: 'DIR', help: 'makes the store there if it is missing, and leaves it for the next run' },
  },
  async run(values, session) {
    const shape = shapeOf(values);
    const directory = await mkdtemp(join(values['directory'] ?? tmpdir(), 'podtrail-bench-attribute-'));
    try {
      const path = join(values['keep'] ?? directory, 'store.db');
      if ((await stat(path).catch(() => undefined)) === undefined) {
        session.log(`Filling a store with ${shape.tenures} tenures (seed ${shape.seed}) …`);
        await fillStore(path, shape, session.log, nodesAndServices(shape));
      }
      const rows = wholeNumber(values, 'rows', 1000);
      const hours = wholeNumber(values, 'hours', 1);
      const rounds = wholeNumber(values, 'rounds', 1);
      const measured = await measureAttribute(path, shape, { rows, hours, rounds }, directory, session.log);
      return { report: { shape, rows, hours, measured }, table: tableOf(measured), bars: measured.map(barOf) };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

interface Measured {
  readonly log: string;
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

/** Runs the command on logs of the middle of the last week. Also a row of the store's benchmark. */
export async function measureAttribute(
  path: string,
  shape: HistoryShape,
  { rows, hours, rounds }: { readonly rows: number; readonly hours: number; readonly rounds: number },
  directory: string,
  log: (text: string) => void,
): Promise<Measured[]> {
  const to = shape.until - 2 * DAY_MS;
  const from = to - hours * 3_600_000;
  if (from < shape.until - shape.weeks * 7 * DAY_MS) throw new UsageError('--hours is longer than the history');
  log(`Making flow logs of ${rows} rows over ${hours} h …`);
  const lives = livesWithin(shape, from, to);
  const measured: Measured[] = [];
  for (const times of ['rfc3339', 'epoch'] as const) {
    const file = join(directory, `flows-${times}.csv`);
    const bytes = await writeFlowLog(file, lives, shape, { rows, from, to, times });
    log(`Attributing ${megabytes(bytes)} with times in ${times} …`);
    const runs: Run[] = [];
    for (let round = 0; round < rounds; round++) runs.push(await runOnce(path, file, join(directory, 'out.csv')));
    runs.sort((a, b) => a.wallSeconds - b.wallSeconds);
    const { load: _, ...median } = runs[Math.floor((rounds - 1) / 2)]!;
    const all = { load: runs.map((run) => run.load), wallSecondsOfRounds: runs.map((run) => run.wallSeconds) };
    measured.push({ log: times, rows, ...median, ...all });
    await rm(file);
  }
  return measured;
}

type Run = Pick<Measured, 'wallSeconds' | 'cpuSeconds' | 'peakRssBytes' | 'peakOwnBytes' | 'shares'> & {
  readonly load: number;
};

async function runOnce(path: string, file: string, outFile: string): Promise<Run> {
  const load = loadavg()[0]!;
  const out = openSync(outFile, 'w');
  const cpuBefore = cpuSecondsOfChildren();
  const begun = performance.now();
  const args = [
    'attribute',
    file,
    '--ip',
    'src_addr',
    '--time',
    'start',
    '--timezone',
    'UTC',
    '--store',
    `sqlite:${path}`,
  ];
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', out, 'pipe'] });
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
  const shares = stderr.trim().split('\n').at(-1) ?? '';
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
    'attribute CSV→CSV',
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
