// `npm run proof -- truth [--seed N] [--lives N] [--questions N] [--faults] [--out DIR] [--json FILE]`
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type TruthRunResult, truthRun } from './truth-run.ts';

const HELP = `usage: npm run proof -- truth [options]

Pods live and die on a real control plane while a recorder watches; then the ledger is asked who held which address
when, at instants whose truth is certain by two seconds. Exit code 1 if a single answer is wrong.

  --seed N         what is drawn: lives, addresses, outages, questions (default: printed)
  --lives N        pods, at least (default 800)
  --questions N    (default 10000)
  --faults         kill the recorder five times, the API server once, and compact etcd
  --out DIR        keep truth, outages and answers here (default: a new temporary folder)
  --json FILE      the result
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    lives: { type: 'string', default: '800' },
    questions: { type: 'string', default: '10000' },
    faults: { type: 'boolean', default: false },
    out: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help || positionals[0] === 'help' || positionals[0] === undefined) {
  process.stdout.write(HELP);
  process.exit(0);
}
if (positionals[0] !== 'truth') {
  process.stderr.write(`There is no proof called "${positionals[0]}". npm run proof -- help lists them.\n`);
  process.exit(2);
}

const seed = Number(values.seed ?? Date.now() % 1_000_000);
const out = values.out ?? (await mkdtemp(join(tmpdir(), 'podtrail-proof-')));
const log = (line: string): void => void process.stderr.write(`${line}\n`);
log(`seed ${seed}; truth and answers go to ${out}`);
const result = await truthRun({
  seed,
  lives: Number(values.lives),
  questions: Number(values.questions),
  faults: values.faults,
  out,
  log,
});
process.stdout.write(report(result));
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify({ seed, ...result }, null, 2)}\n`);
process.exitCode = result.wrong === 0 ? 0 : 1;

function report({ lives, asked, wrong, counts, outages, gaps }: TruthRunResult): string {
  const share = (count: number): string => `${((count / asked) * 100).toFixed(2)} %`;
  const lines = [
    `${lives} pod lives, ${asked} questions, ${wrong} wrong`,
    `held ${share(counts.held)}, free ${share(counts.free)}, ambiguous ${share(counts.ambiguous)}, unknown ${share(counts.unknown)}`,
    ...outages.map(({ what, from, to }) => `${what} for ${((to - from) / 1000).toFixed(1)} s`),
    ...gaps.map(({ from, to }) => `gap of ${((to - from) / 1000).toFixed(1)} s`),
  ];
  return `${lines.join('\n')}\n`;
}
