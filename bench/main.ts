// `npm run bench -- NAME…`: runs one or more benchmarks. Progress goes to standard error, the tables to standard output,
// everything that was measured to --json FILE.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { attribute } from './attribute.ts';
import { audit } from './audit.ts';
import { BenchError, type Benchmark, describeBar, type OptionValues, type Outcome, UsageError } from './benchmark.ts';
import { flood } from './flood.ts';
import { footprint } from './footprint.ts';
import { hold } from './hold.ts';
import { kubectl } from './kubectl.ts';
import { lag } from './lag.ts';
import { describeMachine } from './machine.ts';
import { moves } from './moves.ts';
import { endPeers } from './peer-process.ts';
import { serve } from './serve.ts';
import { Session } from './session.ts';
import { store } from './store.ts';
import { sync } from './sync.ts';
import { ui } from './ui.ts';
import { watch } from './watch.ts';
import { writes } from './writes.ts';

const BENCHMARKS: readonly Benchmark[] = [
  sync,
  watch,
  store,
  moves,
  attribute,
  audit,
  lag,
  writes,
  footprint,
  flood,
  serve,
  kubectl,
  ui,
  hold,
];

const SHARED_OPTIONS = {
  json: { placeholder: 'FILE', help: 'write everything that was measured there' },
  'control-plane': {
    placeholder: 'KUBECONFIG',
    help: 'use this running control plane (see hold) instead of starting one; missing pods are added to it',
  },
} as const;

async function main(argv: readonly string[]): Promise<void> {
  const named = argv.filter((arg, at) => !arg.startsWith('-') && !takesValue(argv[at - 1]));
  if (argv.length === 0 || named[0] === 'help' || argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(help());
    return;
  }
  const chosen = named.map((name) => {
    const found = BENCHMARKS.find((benchmark) => benchmark.name === name);
    if (found !== undefined) return found;
    const known = BENCHMARKS.map((benchmark) => benchmark.name).join(', ');
    throw new UsageError(`There is no benchmark '${name}'; there are: ${known}`);
  });
  if (chosen.length === 0) throw new UsageError('Name a benchmark');
  const values = readOptions(argv, chosen);
  const session = new Session({ controlPlane: values['control-plane'], log });
  const outcomes = new Map<string, Outcome>();
  try {
    for (const benchmark of chosen) {
      log(`== ${benchmark.name}`);
      const outcome = await benchmark.run(values, session);
      outcomes.set(benchmark.name, outcome);
      if (outcome.table !== '') process.stdout.write(`\n${outcome.table}\n`);
      for (const bar of outcome.bars) process.stdout.write(`${describeBar(bar)}\n`);
    }
  } finally {
    if (values['json'] !== undefined && outcomes.size > 0) await writeReport(values['json'], outcomes, session);
    await session.close();
  }
}

/** One benchmark's report stands at the top of the file; those of several stand under their names. */
async function writeReport(file: string, outcomes: ReadonlyMap<string, Outcome>, session: Session): Promise<void> {
  const about = { date: new Date().toISOString(), machine: await describeMachine(), cluster: session.clusterReport };
  const reports = [...outcomes].map(([name, { report, bars }]) => [name, { ...report, bars }] as const);
  const body = reports.length === 1 ? { benchmark: reports[0]![0], ...reports[0]![1] } : Object.fromEntries(reports);
  writeFileSync(file, `${JSON.stringify({ ...about, ...body }, null, 2)}\n`);
  log(`Wrote ${file}.`);
}

function readOptions(argv: readonly string[], chosen: readonly Benchmark[]): OptionValues {
  const options: Record<string, { type: 'string'; default?: string }> = {};
  for (const [name, { fallback }] of Object.entries(optionsOf(chosen))) {
    options[name] = fallback === undefined ? { type: 'string' } : { type: 'string', default: fallback };
  }
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true }).values as OptionValues;
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

function optionsOf(benchmarks: readonly Benchmark[]): Benchmark['options'] {
  return Object.assign({}, SHARED_OPTIONS, ...benchmarks.map((benchmark) => benchmark.options));
}

/** All our options take a value; `--pods=5` carries its own. */
function takesValue(arg: string | undefined): boolean {
  return arg?.startsWith('--') === true && !arg.includes('=');
}

function help(): string {
  const line = (left: string, right: string) => `  ${left.padEnd(28)}${right}\n`;
  const list = (options: Benchmark['options']) =>
    Object.entries(options)
      .map(([name, { placeholder, help, fallback }]) =>
        line(`--${name} ${placeholder}`, fallback === undefined ? help : `${help} (${fallback})`),
      )
      .join('');
  return [
    'Measures podtrail beside its peers on a real control plane (built once: needs Go).\n\n',
    'Usage: npm run bench -- NAME… [options]\n',
    'Several benchmarks in one call share one filled cluster: npm run bench -- sync watch --pods 50000\n\n',
    ...BENCHMARKS.map(({ name, summary, options }) => `${name}: ${summary}\n${list(options)}\n`),
    `all:\n${list(SHARED_OPTIONS)}${line('help', 'this text')}\n`,
    'A missed bar is said, and is no failure; peers that did not do the same work are one (exit code 1).\n',
  ].join('');
}

function log(text: string): void {
  process.stderr.write(`${text}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // The control plane's own supervisor ends it when this process is gone. `hold` listens too, and ends in order.
  process.once(signal, () => {
    endPeers();
    if (process.listenerCount(signal) === 0) process.exit(130);
  });
}
try {
  await main(process.argv.slice(2));
} catch (error) {
  endPeers();
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}. See npm run bench -- help.\n`);
    process.exitCode = 2;
  } else if (error instanceof BenchError) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } else throw error;
}
