// `podtrail import`: an export of podtrail, or footprint lines of other tools, into a store.
import type { Cluster, Engine } from '@podtrail/history';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { CliError, UsageError } from '../errors.ts';
import { importFootprints, isFootprint } from '../exchange/import-footprints.ts';
import { importLedger } from '../exchange/import-ledger.ts';
import { textLines } from '../exchange/text-lines.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { chooseCluster } from '../options/choose-cluster.ts';
import type { SharedOptions } from '../options/shared-flags.ts';

export function importCommand(cli: Cli): Command {
  return cli
    .command('import', 'Store an export of podtrail, or footprint lines of other tools.', ['cluster', 'store'])
    .argument('<file>', 'JSON lines; - reads standard input')
    .addHelpText(
      'after',
      `
An export goes into an empty store, or over an earlier state of the same ledger. Footprint lines (namespace, pod_name,
node_name, pod_ip, phase, timestamp) become candidates of low confidence: answers that rest on them are "ambiguous",
and they say nothing about times that the ledger watched itself. --cluster says whose they are.

No recorder may write to the store meanwhile.

Examples:
  zcat prod-eu.jsonl.gz | podtrail import - --store sqlite:copy.db
  podtrail import footprints.log --cluster prod-eu`,
    )
    .action(cli.does((file: string, options: SharedOptions) => run(cli, file, options)));
}

async function run(cli: Cli, file: string, options: SharedOptions): Promise<ExitCode> {
  const { stdin, readFile } = cli.surroundings;
  const lines = textLines(file === '-' ? stdin : readFile(file));
  const { value: first, done } = await lines.next();
  if (done === true) throw new UsageError('the input is empty');
  const head = parsed(first);
  return await cli.withStore(
    options,
    async (engine) => {
      if (isFootprint(head)) return await footprints(cli, engine, first, lines, options);
      if (options.cluster !== undefined)
        throw new UsageError('import does not take --cluster for an export: the export names its cluster');
      const { cluster, facts, known } = await importLedger(engine, head, lines);
      await cli.note(
        known ? `${cluster.name}: the store knows all of it already` : `${cluster.name}: stored ${facts} records`,
      );
      return EXIT.answered;
    },
    'write',
  );
}

async function footprints(
  cli: Cli,
  engine: Engine,
  first: string,
  lines: AsyncIterable<string>,
  options: SharedOptions,
): Promise<ExitCode> {
  const cluster = await clusterFor(engine, options.cluster);
  const all = async function* () {
    yield first;
    yield* lines;
  };
  const { facts, skipped, watched, ...read } = await importFootprints(engine, cluster, all());
  const left = [
    ...(skipped > 0 ? [`${skipped} said nothing about an address`] : []),
    ...(watched > 0 ? [`${watched} were of times that the ledger watched itself`] : []),
  ];
  await cli.note(
    `${cluster.name}: ${read.lines} lines gave ${facts} candidates${left.length === 0 ? '' : `; ${left.join(', ')}`}`,
  );
  return EXIT.answered;
}

/** A cluster that is long gone may live on in its footprints: a name is enough to keep them under. */
async function clusterFor(engine: Engine, wanted: string | undefined): Promise<Cluster> {
  const clusters = await engine.clusters();
  const isThere = clusters.some(({ id, name }) => id === wanted || name === wanted);
  if (wanted !== undefined && !isThere) return { id: wanted, name: wanted };
  if (clusters.length === 0)
    throw new UsageError('footprints do not name their cluster', 'name it with --cluster NAME.');
  return await chooseCluster(engine, wanted);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new CliError('bad-export', 'line 1 is no JSON: this is neither an export of podtrail nor footprint lines', {
      cause,
    });
  }
}
