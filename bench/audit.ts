// How fast `podtrail audit` reads a log, and in how much memory: the command as it is published, as a process of its own,
// beside a loop with JSON.parse and beside jq, on one made-up log. Needs no cluster.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, createReadStream, createWriteStream, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type MadeLog, writeMadeLog } from './audit/made-log.ts';
import { type Bar, BenchError, type Benchmark, wholeNumber } from './benchmark.ts';
import { median } from './median.ts';
import { megabytes, table } from './table.ts';

const ROOT = join(import.meta.dirname, '..');
const BUNDLE = join(ROOT, 'packages', 'cli', 'dist', 'podtrail.mjs');
const PLAIN_LOOP = join(import.meta.dirname, 'audit', 'plain-loop.ts');
const LOOK_EVERY_MS = 50;
/** Of /proc/self/stat, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const JQ_FILTER =
  '[inputs | select((.objectRef.resource | IN("pods","nodes","namespaces","replicasets","deployments","statefulsets","daemonsets","jobs")) and ((.verb | IN("create","update","patch","delete","deletecollection")) or .responseStatus.code >= 400)) | 1] | length';

interface Program {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** How many actions it found, from both of its outputs. */
  readonly actions: (out: string) => number;
}

interface Measured {
  readonly name: string;
  readonly wallSeconds: readonly number[];
  readonly cpuSeconds: readonly number[];
  readonly peakRssBytes: number;
  readonly load: readonly number[];
}

export const audit: Benchmark = {
  name: 'audit',
  summary: 'podtrail audit on a made-up log, beside JSON.parse and jq, as processes (no cluster needed)',
  options: {
    megabytes: { placeholder: 'N', help: 'size of the log', fallback: '1000' },
    rounds: { placeholder: 'N', help: 'runs of each; the median counts', fallback: '3' },
    seed: { placeholder: 'N', help: 'of everything that is made up', fallback: '1' },
    directory: { placeholder: 'DIR', help: 'where the log is made, and removed again' },
  },
  async run(values, session) {
    const size = wholeNumber(values, 'megabytes', 1) * 1e6;
    const rounds = wholeNumber(values, 'rounds', 1);
    const seed = wholeNumber(values, 'seed', 0);
    const directory = await mkdtemp(join(values['directory'] ?? tmpdir(), 'podtrail-bench-audit-'));
    try {
      build(session.log);
      session.log(`Making a log of ${megabytes(size)} (seed ${seed}) …`);
      const log = join(directory, 'audit.log');
      const made = await writeMadeLog(log, size, seed);
      await pipeline(createReadStream(log), createGzip({ level: 1 }), createWriteStream(`${log}.gz`));
      const measured = await measure(programsFor(log), made, { rounds, directory, log: session.log });
      return { report: { made, measured }, table: tableOf(measured, made), bars: barsOf(measured, made) };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

function build(log: (text: string) => void): void {
  log('Building the packages …');
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'build.ts')], { encoding: 'utf8' });
  if (status !== 0) throw new BenchError(`npm run build has failed:\n${stderr}`);
}

function programsFor(log: string): Program[] {
  const ours = (name: string, ...words: string[]): Program => ({
    name: `podtrail audit ${name}`,
    command: [process.execPath, BUNDLE, 'audit', ...words],
    actions: (out) => Number(/: (\d+) actions, \d+ shown/.exec(out)?.[1]),
  });
  const programs = [
    ours('-o jsonl', log, '-o', 'jsonl'),
    ours('-o table', log),
    ours('of .gz', `${log}.gz`, '-o', 'jsonl'),
    { name: 'JSON.parse of every line', command: [process.execPath, PLAIN_LOOP, log], actions: Number } as Program,
  ];
  const jq = spawnSync('jq', ['--version'], { encoding: 'utf8' });
  if (jq.status !== 0) return programs;
  return [...programs, { name: jq.stdout.trim(), command: ['jq', '-n', JQ_FILTER, log], actions: Number }];
}

interface Setting {
  readonly rounds: number;
  readonly directory: string;
  readonly log: (text: string) => void;
}

/** In turn, so that a slow minute of the machine falls on everyone. */
async function measure(
  programs: readonly Program[],
  made: MadeLog,
  { rounds, directory, log }: Setting,
): Promise<Measured[]> {
  const runs = programs.map((): Run[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, program] of programs.entries()) {
      const run = await runOnce(program, directory);
      if (run.actions !== made.actions)
        throw new BenchError(`${program.name} found ${run.actions} actions, and ${made.actions} were made`);
      log(`${program.name}: ${run.wallSeconds.toFixed(1)} s, ${megabytes(run.peakRssBytes)}`);
      runs[at]!.push(run);
    }
  }
  return programs.map(({ name }, at) => ({
    name,
    wallSeconds: runs[at]!.map((run) => run.wallSeconds),
    cpuSeconds: runs[at]!.map((run) => run.cpuSeconds),
    peakRssBytes: Math.max(...runs[at]!.map((run) => run.peakRssBytes)),
    load: runs[at]!.map((run) => run.load),
  }));
}

interface Run {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakRssBytes: number;
  readonly actions: number;
  readonly load: number;
}

async function runOnce({ name, command, actions }: Program, directory: string): Promise<Run> {
  const [program, ...args] = command;
  const load = loadavg()[0]!;
  const file = join(directory, 'out');
  const out = openSync(file, 'w');
  const cpuBefore = cpuSecondsOfChildren();
  const begun = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', out, 'pipe'] });
  closeSync(out);
  const peak = watchPeak(child);
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const wallSeconds = (performance.now() - begun) / 1000;
  if (code !== 0) throw new BenchError(`${name} ended with ${code}: ${stderr.trim()}`);
  const found = program === process.execPath && args[0] === BUNDLE ? stderr : readFileSync(file, 'utf8').trim();
  const cpuSeconds = cpuSecondsOfChildren() - cpuBefore;
  return { wallSeconds, cpuSeconds, peakRssBytes: peak(), actions: actions(found), load };
}

/** The largest resident set until it was last looked at. */
function watchPeak(child: ChildProcess): () => number {
  let peak = 0;
  const looking = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // It is gone.
    }
  }, LOOK_EVERY_MS);
  child.on('close', () => clearInterval(looking));
  return () => peak;
}

/** User and system time of all children that have ended; all of them are ours. */
function cpuSecondsOfChildren(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

/** Of a log of a gigabyte, whatever the size of this one. CPU time is that of all threads: what one core would need. */
function barsOf(measured: readonly Measured[], { bytes }: MadeLog): Bar[] {
  const perGigabyte = 1e9 / bytes;
  const ours = measured.filter(({ name }) => name.startsWith('podtrail'));
  const plain = measured.find(({ name }) => name.startsWith('JSON.parse'));
  const bars = ours.flatMap(({ name, cpuSeconds, wallSeconds, peakRssBytes }) => [
    { what: `${name}, CPU s of 1 GB`, value: median(cpuSeconds) * perGigabyte, bar: 60 },
    { what: `${name}, wall s of 1 GB`, value: median(wallSeconds) * perGigabyte, bar: 60 },
    { what: `${name}, peak RSS, MB, worst round`, value: peakRssBytes / 1e6, bar: 150 },
  ]);
  const [first] = ours;
  if (first === undefined || plain === undefined) return bars;
  const ratio = median(first.cpuSeconds) / median(plain.cpuSeconds);
  return [...bars, { what: `${first.name} to JSON.parse of every line, CPU`, value: ratio, bar: 1 }];
}

function tableOf(measured: readonly Measured[], { bytes, actions }: MadeLog): string {
  const header = ['audit log', 'MB/s of CPU', 'CPU s (median)', 'wall s of the rounds', 'peak RSS', 'load', 'actions'];
  const rows = measured.map(({ name, cpuSeconds, wallSeconds, peakRssBytes, load }) => [
    name,
    (bytes / 1e6 / median(cpuSeconds)).toFixed(0),
    median(cpuSeconds).toFixed(1),
    wallSeconds.map((seconds) => seconds.toFixed(1)).join(' '),
    megabytes(peakRssBytes),
    load.map((one) => one.toFixed(1)).join(' '),
    String(actions),
  ]);
  return table(header, rows);
}
