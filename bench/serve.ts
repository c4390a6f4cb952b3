// How `podtrail serve` bears many clients: who on a ledger of a million tenures, beside a bare node:http server that sends the
// same bytes; then who, trail and moves while `podtrail record` writes into the same store. Each part in a process of its
// own. Needs no cluster: what is recorded is a sandbox.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededNumbers } from '@podtrail/history/testing';
import { type Bar, BenchError, type Benchmark, wholeNumber } from './benchmark.ts';
import { median } from './median.ts';
import type { ClientsResult, ClientsTask } from './serve/clients.ts';
import { LiveCluster } from './serve/live-cluster.ts';
import { type Memory, MemorySampler } from './serve/memory-sampler.ts';
import { CLUSTER, keptStore, shapeOf } from './store/filled-store.ts';
import { type HistoryShape, type MadeLife, madeHistory } from './store/made-history.ts';
import { megabytes, table } from './table.ts';

const PODTRAIL = join(import.meta.dirname, '../packages/cli/src/main.ts');
const TOKEN = 'a-token-of-the-benchmark-of-serve';
const DAY_MS = 86_400_000;
/** Pairs of who and bare; the median of their ratios counts. */
const PAIRS = 3;
/** Of one run of who: more than a server answers in its time, so that hardly any is asked twice. */
const MOST_QUESTIONS = 125_000;
const MOST_PAIR_SECONDS = 5;
/** Of a bare server's rate. */
const LEAST_RATIO = 0.4;
const MOST_LAG_MS = 1_000;
/** Of the server's own memory, from the second quarter of the minute to the last: what is kept is bounded. */
const MOST_GROWTH = 1.3;

export const serve: Benchmark = {
  name: 'serve',
  summary: 'podtrail serve with many clients, beside a bare node:http server (no cluster needed)',
  options: {
    tenures: { placeholder: 'N', help: 'tenures in the store, each with its placement', fallback: '1000000' },
    weeks: { placeholder: 'N', help: 'weeks over which they are spread', fallback: '8' },
    clients: { placeholder: 'N', help: 'clients at a time', fallback: '200' },
    rate: {
      placeholder: 'N',
      help: 'pods of the recorded sandbox that get another address each second',
      fallback: '20',
    },
    seconds: { placeholder: 'N', help: 'of who, trail and moves together', fallback: '60' },
    seed: { placeholder: 'N', help: 'of everything that is made up', fallback: '1' },
    directory: { placeholder: 'DIR', help: 'where everything is made, and removed again' },
    keep: { placeholder: 'DIR', help: 'makes the store there if it is missing, and leaves it for the next run' },
  },
  async run(values, session) {
    const shape = shapeOf(values);
    const clients = wholeNumber(values, 'clients', 1);
    const seconds = wholeNumber(values, 'seconds', 1);
    const directory = await mkdtemp(join(values['directory'] ?? tmpdir(), 'podtrail-bench-serve-'));
    const children: ChildProcess[] = [];
    try {
      const path = join(directory, 'store.db');
      const { sample } = await keptStore(values['keep'] ?? join(directory, 'kept'), path, shape, session.log);
      const rate = wholeNumber(values, 'rate', 1);
      const stage = { url: `sqlite:${path}`, directory, shape, sample, clients, seconds, rate, children };
      return await measure(stage, session.log);
    } finally {
      for (const child of children) child.kill('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    }
  },
};

interface Stage {
  readonly url: string;
  readonly directory: string;
  readonly shape: HistoryShape;
  readonly sample: readonly MadeLife[];
  readonly clients: number;
  readonly seconds: number;
  readonly rate: number;
  readonly children: ChildProcess[];
}

async function measure(stage: Stage, log: (text: string) => void) {
  const { clients, seconds, sample, directory } = stage;
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, TOKEN, { mode: 0o600 });
  const serving = [
    PODTRAIL,
    'serve',
    '--store',
    stage.url,
    '--port',
    '0',
    '--rate-limit',
    '0',
    '--token-file',
    tokenFile,
  ];
  const [served, port] = await started(stage, serving);
  const paths = pathsOf(sample);
  const replyFile = join(directory, 'reply.json');
  await writeFile(replyFile, JSON.stringify(await replyOf(port, paths.who[0] ?? '')));
  const [bareServer, barePort] = await started(stage, [join(import.meta.dirname, 'serve/bare-server.ts'), replyFile]);
  const task = { token: TOKEN, clients };
  const both = { ...task, seconds: Math.min(MOST_PAIR_SECONDS, seconds) };
  const pairsOf = async (pathsOfRun: (run: number) => readonly string[]): Promise<Pair[]> => {
    await ask({ ...both, port, paths: pathsOfRun(0) });
    const found: Pair[] = [];
    for (let run = 1; run <= PAIRS; run++) {
      const who = await measured(served, { ...both, port, paths: pathsOfRun(run) });
      found.push({ who, bare: await measured(bareServer, { ...both, port: barePort, paths: pathsOfRun(run) }) });
    }
    return found;
  };
  log('Who, each question once, and the bare server, in turn …');
  const questions = askedOnce(stage.shape, PAIRS + 1);
  const pairs = await pairsOf((run) => questions[run] ?? []);
  log('Who, the same few questions again and again, and the bare server, in turn …');
  const again = await pairsOf(() => paths.who);
  log('Starting a sandbox, and podtrail record on it …');
  const live = await LiveCluster.start(stage.url, directory, stage.children);
  log(`Who, trail and moves for ${seconds} s, while it records …`);
  const sampler = new MemorySampler(served.pid);
  const asking = ask({ ...task, port, seconds, paths: paths.mixed });
  const [mixed, lag] = await Promise.all([asking, live.follow(stage.rate, seconds)]).finally(() => live.close());
  const memory: Memory = sampler.stop();
  const who = median(pairs.map((pair) => pair.who.perSecond));
  const bare = median(pairs.map((pair) => pair.bare.perSecond));
  const rate = (of: readonly Pair[]) => median(of.map((pair) => pair.who.perSecond / pair.bare.perSecond));
  // What a busy machine does not change: the processor's time for an answer.
  const cpu = (of: readonly Pair[]) => median(of.map((pair) => pair.bare.cpuMicros / pair.who.cpuMicros));
  const ratios = { who: rate(pairs), whoCpu: cpu(pairs), whoAgain: rate(again), whoAgainCpu: cpu(again) };
  const errors = mixed.errors + [...pairs, ...again].reduce((sum, pair) => sum + pair.who.errors, 0);
  const load = loadavg();
  const row = (what: string, { perSecond, errors: lost, ms, cpuMicros }: ClientsResult & Partial<Measured>) => [
    ...[what, perSecond.toFixed(0), ms.p50.toFixed(1), ms.p99.toFixed(1), String(lost), cpuMicros?.toFixed(0) ?? ''],
  ];
  const bars: Bar[] = [
    { what: 'errors', value: errors, bar: 0 },
    { what: `bare / who (who at ≥ ${LEAST_RATIO} of a bare server)`, value: 1 / ratios.who, bar: 1 / LEAST_RATIO },
    { what: 'recorded meanwhile: from the commit to the right answer, p99 in ms', value: lag.p99, bar: MOST_LAG_MS },
    { what: 'changes of which no answer came meanwhile', value: lag.missed, bar: 0 },
    { what: 'own memory, last quarter to second', value: memory.growth, bar: MOST_GROWTH },
  ];
  return {
    report: {
      clients,
      seconds,
      ratios,
      whoPerSecond: who,
      barePerSecond: bare,
      pairs,
      again,
      mixed,
      lag,
      memory,
      errors,
      load,
    },
    table: table(
      ['serve', 'answers/s', 'p50 ms', 'p99 ms', 'errors', 'CPU µs'],
      [
        ...pairs.flatMap((pair) => [row('who, each once', pair.who), row('bare node:http', pair.bare)]),
        ...again.flatMap((pair) => [row('who, few again', pair.who), row('bare node:http', pair.bare)]),
        row(`who, trail, moves; own memory ${megabytes(memory.peakBytes)}, load ${load[0]?.toFixed(1)}`, mixed),
      ],
    ),
    bars,
  };
}

/**
 * Questions for so many runs, no two alike, in any order: as askers come, and not as addresses were given out. What a
 * server keeps of one answer is of no use for the next.
 */
function askedOnce(shape: HistoryShape, runs: number): readonly (readonly string[])[] {
  const every = Math.max(1, Math.ceil(shape.tenures / (runs * MOST_QUESTIONS)));
  const all: string[] = [];
  let n = 0;
  for (const { tenure } of madeHistory(shape)) if (n++ % every === 0) all.push(whoPath(tenure));
  const numbers = new SeededNumbers(shape.seed);
  for (let i = all.length - 1; i > 0; i--) {
    const other = numbers.between(0, i);
    [all[i], all[other]] = [all[other] as string, all[i] as string];
  }
  return Array.from({ length: runs }, (_, run) => all.filter((_path, i) => i % runs === run));
}

function whoPath(tenure: MadeLife['tenure']): string {
  return `/api/v1/who?ip=${tenure.ip}&at=${middleOf(tenure)}`;
}

function middleOf({ start, end }: MadeLife['tenure']): string {
  return new Date(Math.floor((start.at + (end?.at ?? start.at)) / 2)).toISOString();
}

/** Ten who and one trail for each moves: a page of moves reads an hour of the cluster. */
function pathsOf(sample: readonly MadeLife[]): { readonly who: readonly string[]; readonly mixed: readonly string[] } {
  const who: string[] = [];
  const mixed: string[] = [];
  for (const [i, { tenure }] of sample.entries()) {
    const { holder, start } = tenure;
    const asked = whoPath(tenure);
    who.push(asked);
    // The store holds the recorded sandbox, too.
    const of = `cluster=${CLUSTER.name}`;
    mixed.push(`${asked}&${of}`);
    if (i % 10 === 0) mixed.push(`/api/v1/trail?subject=${holder.uid}&${of}`);
    const from = new Date(start.at - DAY_MS / 24).toISOString();
    if (i % 10 === 5) mixed.push(`/api/v1/moves?since=${from}&until=${middleOf(tenure)}&limit=20&${of}`);
  }
  return { who, mixed };
}

async function started({ children }: Stage, words: readonly string[]): Promise<[ChildProcess, number]> {
  const child = spawn(process.execPath, [...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return [child, Number(new URL(await firstLine(child)).port)];
}

async function firstLine(child: ChildProcess): Promise<string> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new BenchError(`a process of the benchmark ended with ${code}`);
  });
  ended.catch(() => {});
  const [chunk] = (await Promise.race([once(child.stdout!, 'data'), ended])) as [Buffer];
  return chunk.toString().split('\n')[0] ?? '';
}

interface Pair {
  readonly who: Measured;
  readonly bare: Measured;
}

type Measured = ClientsResult & {
  /** Of all threads of the server, for each answer. */
  readonly cpuMicros: number;
};

async function measured(server: ChildProcess, task: ClientsTask): Promise<Measured> {
  const before = cpuSeconds(server.pid);
  const result = await ask(task);
  return { ...result, cpuMicros: ((cpuSeconds(server.pid) - before) / result.answers) * 1e6 };
}

/** From /proc, in ticks of a hundredth of a second. */
function cpuSeconds(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function ask(task: ClientsTask): Promise<ClientsResult> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'serve/clients.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin!.end(JSON.stringify(task));
  let text = '';
  for await (const chunk of child.stdout!) text += String(chunk);
  if (text === '') throw new BenchError('the clients ended without a result');
  return JSON.parse(text) as ClientsResult;
}

/** What the bare server is to send: the same head and body. */
async function replyOf(port: number, path: string): Promise<{ headers: Record<string, string>; body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  if (response.status !== 200) throw new BenchError(`who was answered with ${response.status}`);
  const headers = Object.fromEntries(response.headers);
  for (const name of ['connection', 'keep-alive', 'date', 'content-encoding']) delete headers[name];
  return { headers, body: await response.text() };
}
