// `npm run conformance`: the suite on both servers, as a table on standard output and in RESULTS.md beside this file.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { kubernetesVersion } from '../controlplane/index.ts';
import { ACCEPTED_DIFFERENCES } from './accepted-differences.ts';
import { AREAS } from './cases/index.ts';
import { DIFFERENCES_PAGE, renderDifferences } from './differences-page.ts';
import { describeDifference, runDifferential } from './differential/run-differential.ts';
import { runAreas } from './run.ts';
import { startRealServer } from './servers/real.ts';
import { startSandbox } from './servers/sandbox.ts';
import { complaints, renderTable, type ServerResults } from './table.ts';

const HELP = `usage: npm run conformance -- [options]

Runs the same cases on a real kube-apiserver and on the sandbox, prints one table and writes
e2e/conformance/RESULTS.md and packages/sandbox/DIFFERENCES.md. Exit code 1 for a failure or a difference that nobody
accepted.

  --server NAME    real or sandbox alone; nothing is written then
  --area TEXT      only areas whose name contains this; nothing is written then
  --case TEXT      only cases whose name contains this; nothing is written then

  --seeds N        instead: random requests to both servers at once, compared answer by answer, with N seeds
  --from N         the first seed (default 1)
  --steps N        requests for each seed (default 60)
`;

const STARTS = { real: startRealServer, sandbox: startSandbox };
const RESULTS = new URL('RESULTS.md', import.meta.url);

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      server: { type: 'string' },
      area: { type: 'string', default: '' },
      case: { type: 'string', default: '' },
      seeds: { type: 'string' },
      from: { type: 'string', default: '1' },
      steps: { type: 'string', default: '60' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (values.seeds !== undefined) {
    return await compareAtRandom(Number(values.from), Number(values.seeds), Number(values.steps));
  }
  const names = (['real', 'sandbox'] as const).filter((name) => (values.server ?? name) === name);
  if (names.length === 0) {
    process.stderr.write(`There is no server "${values.server}": it is real or sandbox.\n`);
    return 2;
  }
  const areas = AREAS.filter(({ area }) => area.includes(values.area));
  const runs: ServerResults[] = [];
  for (const name of names) runs.push(await runOn(name, areas, values.case));
  const table = renderTable(runs, ACCEPTED_DIFFERENCES);
  process.stdout.write(`${table}\n`);
  const wrong = runs.flatMap((run) =>
    complaints(run, ACCEPTED_DIFFERENCES).map(({ area, text }) => `${run.server}: ${area}: ${text}`),
  );
  for (const line of wrong) process.stderr.write(`${line}\n`);
  const whole = values.server === undefined && values.area === '' && values.case === '';
  if (whole) {
    await writeFile(RESULTS, resultsPage(table, runs));
    await writeFile(DIFFERENCES_PAGE, renderDifferences(ACCEPTED_DIFFERENCES));
  }
  return wrong.length === 0 ? 0 : 1;
}

async function runOn(name: keyof typeof STARTS, areas: typeof AREAS, text: string): Promise<ServerResults> {
  const server = await STARTS[name]();
  try {
    return { server: name, results: await runAreas(server, areas, { only: (found) => found.name.includes(text) }) };
  } finally {
    await server.close();
  }
}

async function compareAtRandom(from: number, count: number, steps: number): Promise<number> {
  const [real, sandbox] = await Promise.all([startRealServer(), startSandbox()]);
  try {
    const seeds = Array.from({ length: count }, (_, index) => from + index);
    const found = await runDifferential(real, sandbox, { seeds, steps });
    for (const difference of found) process.stdout.write(`${describeDifference(difference)}\n`);
    process.stdout.write(`${count} seeds of ${steps} requests from seed ${from}: ${found.length} differ\n`);
    return found.length === 0 ? 0 : 1;
  } finally {
    await Promise.all([real.close(), sandbox.close()]);
  }
}

function resultsPage(table: string, runs: readonly ServerResults[]): string {
  const failed = runs.flatMap(({ server, results }) =>
    results.filter(({ failures }) => failures.length > 0).map(({ name }) => ({ server, name })),
  );
  const reasons = new Map(ACCEPTED_DIFFERENCES.map((difference) => [difference.case, difference.reason]));
  const shown = failed.map(({ server, name }) => `- ${server}: ${name}. ${reasons.get(name) ?? '**Not accepted.**'}`);
  return `# Conformance of the sandbox

Written by \`npm run conformance\`; the real server is kube-apiserver ${kubernetesVersion}.

${table}

## Differences

${shown.length === 0 ? 'None.' : shown.join('\n')}
`;
}
