// `podtrail import`: an export of podtrail, footprint lines of other tools, saved pods, or audit logs, into a store.
import type { Engine } from '@podtrail/history';
import type { Command } from 'commander';
import { inputsOf } from '../attribute/input.ts';
import type { Cli } from '../cli.ts';
import { CliError, UsageError } from '../errors.ts';
import { clusterFor } from '../exchange/cluster-for.ts';
import { importAuditLog } from '../exchange/import-audit-log.ts';
import { importFootprints, isFootprint } from '../exchange/import-footprints.ts';
import { importLedger } from '../exchange/import-ledger.ts';
import { footprintOf, readPods } from '../exchange/pod-lists.ts';
import { textLines } from '../exchange/text-lines.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { counted } from '../output/counted.ts';
import { toUtcText } from '../times/show-time.ts';

interface ImportFlags extends SharedOptions {
  readonly pods?: string;
  readonly auditLog?: readonly string[];
}

const NEEDED =
  'give what `podtrail export` or `podtrail footprints` printed, unpacked; saved pods go with --pods FILE, flow logs to `podtrail attribute`.';

export function importCommand(cli: Cli): Command {
  return cli
    .command('import', 'Store an export of podtrail, footprint lines of other tools, saved pods, or audit logs.', [
      ...(['timezone', 'cluster', 'store'] as const),
    ])
    .argument('[file]', 'an export or footprint lines, as JSON lines; - reads standard input')
    .option('--pods <file>', 'pods that were saved, or a directory of a support bundle or must-gather; - as above')
    .option(
      '--audit-log <file...>',
      'audit logs of the API server, or directories of rotated ones, plain, gzip or zstd; - as above',
    )
    .option('--at <time>', 'with --pods: when they were saved; default: the newest time that they show')
    .addHelpText(
      'after',
      `
An export goes into an empty store, or over an earlier state of the same ledger. Footprint lines (namespace, pod_name,
node_name, pod_ip, phase, timestamp) become candidates of low confidence: answers that rest on them are "ambiguous",
and they say nothing about times that the ledger watched itself. --cluster says whose they are.

--pods takes a PodList, a List or single pods, in JSON or YAML, or all of them below a directory, and makes candidates
of one instant of those that had an address and had not ended.

--audit-log stores who deleted, evicted, scaled, drained and so on, as evidence for \`podtrail explain\`: about what the
ledger knows, and nothing else: the store and its cluster must be there. Reading a log again, files that overlap, and
the logs of several API servers, in whichever order, give the same. Where answers in the log (level RequestResponse)
show pods with addresses in times that nobody watched, they become candidates: answers that rest on them are
"ambiguous". After Ctrl+C run it again. \`podtrail audit\` prints such logs, and with --store does both.

No recorder may write to the store meanwhile.

Examples:
  zcat prod-eu.jsonl.gz | podtrail import - --store sqlite:copy.db
  podtrail import footprints.log --cluster prod-eu
  kubectl get pods -A -o json | podtrail import --pods - --cluster prod-eu
  podtrail import --pods must-gather.local.1234/ --cluster prod-eu --at 2026-11-15T10:05:00Z
  podtrail import --audit-log /var/log/kubernetes/audit/ --store sqlite:ledger.db`,
    )
    .action(cli.does((file: string | undefined, options: ImportFlags) => run(cli, file, options)));
}

async function run(cli: Cli, file: string | undefined, options: ImportFlags): Promise<ExitCode> {
  const { pods: saved, auditLog } = options;
  if ([file, saved, auditLog].filter((one) => one !== undefined).length > 1)
    throw new UsageError(
      'import takes a file, --pods or --audit-log, and one of them',
      'import them one after the other.',
    );
  if (saved !== undefined) return await pods(cli, saved, options);
  if (options.at !== undefined)
    throw new UsageError('--at is for --pods: everything else says its times', 'leave --at out.');
  if (auditLog !== undefined) return await importAuditLog(cli, auditLog, options);
  if (file === undefined)
    throw new UsageError('import needs a file, --pods or --audit-log', `${NEEDED} See podtrail import --help.`);
  const { stdin, readFile, filesIn } = cli.commandEnv;
  if (file !== '-' && (await filesIn(file)) !== undefined) {
    throw new CliError('is-directory', `${file} is a directory, not a file`, {
      hint: 'name a file in it; a directory of saved pods, as a must-gather, goes with --pods.',
    });
  }
  const lines = textLines(file === '-' ? stdin : readFile(file));
  const { value: first, done } = await lines.next();
  if (done === true) throw new UsageError('the input is empty', NEEDED);
  const head = parsed(first);
  if (isKubernetes(head))
    throw new UsageError('this is an object of Kubernetes, and no export', 'saved pods go with --pods FILE.');
  return await cli.withStore(
    options,
    async (engine) => {
      if (isFootprint(head)) return await footprints(cli, engine, first, lines, options);
      if (options.cluster !== undefined) throw new UsageError('an export names its cluster', 'leave --cluster out.');
      const { cluster, facts, known } = await importLedger(engine, head, lines);
      await cli.note(
        known
          ? `${cluster.name}: the store knows all of it already`
          : `${cluster.name}: stored ${counted(facts, 'record')}`,
      );
      return EXIT.answered;
    },
    'write',
  );
}

async function pods(cli: Cli, path: string, options: ImportFlags): Promise<ExitCode> {
  const { pods: found, newest, left } = await readPods(inputsOf([path], cli.commandEnv));
  const name = path === '-' ? 'the input' : path;
  for (const file of left) await cli.note(`${file} is left out: it could not be read`);
  if (found.length === 0) {
    throw new CliError('no-pods', `there are no pods in ${name}`, {
      hint: 'save them with: kubectl get pods -A -o json > pods.json',
    });
  }
  const at = options.at === undefined ? newest : await cli.time('--at', options.at, options);
  if (at === undefined) throw new UsageError('the pods show no time', 'say when they were saved: --at TIME.');
  if (options.at === undefined) await cli.note(`--at ${toUtcText(at)}: the newest time that the pods show`);
  return await cli.withStore(
    options,
    async (engine) => {
      const cluster = await clusterFor(engine, options.cluster, 'saved pods do');
      const lines = found.map((pod) => footprintOf(pod, at));
      const { facts, skipped, watched } = await importFootprints(engine, cluster, lines);
      const rest = [
        ...(skipped > 0 ? [`${skipped} had ended or had no address`] : []),
        ...(watched > 0 ? ['the ledger watched that time itself'] : []),
      ];
      const behind = rest.length === 0 ? '' : `; ${rest.join(', ')}`;
      await cli.note(`${cluster.name}: ${counted(found.length, 'pod')} gave ${counted(facts, 'candidate')}${behind}`);
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
  const cluster = await clusterFor(engine, options.cluster, 'footprints do');
  const all = async function* () {
    yield first;
    yield* lines;
  };
  const { facts, skipped, watched, ...read } = await importFootprints(engine, cluster, all());
  const left = [
    ...(skipped > 0 ? [`${skipped} said nothing about an address`] : []),
    ...(watched > 0 ? [`${counted(watched, 'was of a time', 'were of times')} that the ledger watched itself`] : []),
  ];
  await cli.note(
    `${cluster.name}: ${counted(read.lines, 'line')} gave ${counted(facts, 'candidate')}${left.length === 0 ? '' : `; ${left.join(', ')}`}`,
  );
  return EXIT.answered;
}

function isKubernetes(head: unknown): boolean {
  return typeof head === 'object' && head !== null && 'apiVersion' in head && 'kind' in head;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new CliError('bad-export', 'line 1 is no JSON: this is neither an export of podtrail nor footprint lines', {
      hint: NEEDED,
      cause,
    });
  }
}
