// `podtrail audit`: who did what to which pod, and what was refused where, from the audit log of an API server.
import type { AuditTally } from '@podtrail/history/audit';
import { type Command, Option } from 'commander';
import { ACTS, actsOf, isWanted, type WantedActions } from '../audit/action-filter.ts';
import { ActionWriter, AUDIT_FORMATS } from '../audit/action-writer.ts';
import { DamagedNotes } from '../audit/damaged-notes.ts';
import { mustBeAuditLog, type ReadLogs, readLogs } from '../audit/read-logs.ts';
import { ReadingProgress } from '../audit/reading-progress.ts';
import { RefusalCounts } from '../audit/refusals.ts';
import type { Cli } from '../cli.ts';
import { InterruptedError, UsageError } from '../errors.ts';
import { type AuditStore, storedLines } from '../exchange/audit-store.ts';
import { withAuditStore } from '../exchange/with-audit-store.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { namespaceName } from '../options/object-name.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { showBytes } from '../output/bytes.ts';
import { counted } from '../output/counted.ts';
import { toUtcText } from '../times/show-time.ts';

interface AuditFlags extends SharedOptions {
  readonly pod?: string;
  readonly user?: string;
  readonly verb: readonly string[];
  readonly failed?: boolean;
  readonly limit: number;
}

const MOST_REFUSALS_NOTED = 10;
/** Two lines of the help. */
const HALF = 11;

const EMPTY =
  'hint: there is nothing in it. Is it the file of --audit-log-path, and does the API server have an --audit-policy-file?';

export function auditCommand(cli: Cli): Command {
  return cli
    .command('audit', 'Who created, evicted, deleted, patched or bound which pod, and what was refused, and where?', [
      ...(['onlyNamespace', 'allNamespaces', 'since', 'timezone', 'headers', 'cluster'] as const),
    ])
    .argument('<file...>', 'audit logs, or directories of rotated ones, plain, gzip or zstd; - reads standard input')
    .addOption(new Option('--until <time>', 'up to this time, exclusive; default: to the end of the log'))
    .addOption(new Option('--pod <name|uid>', 'only what was asked about this pod'))
    .addOption(new Option('--user <name>', 'only what this user asked for, also in the name of others'))
    .addOption(
      new Option('--verb <names>', 'only these acts, with commas between them: evict,delete')
        .argParser(collect)
        .default([], 'all that are shown'),
    )
    .option('--store <url>', 'also store all of it as evidence for causes, as `import --audit-log` does: sqlite:PATH')
    .option('--failed', 'only what was refused, what failed, and what has no answer')
    .addOption(
      new Option('--limit <n>', 'print at most this many, the first of the log; 0 prints all')
        .default(0)
        .argParser((text) => {
          if (!/^\d{1,9}$/.test(text))
            throw new UsageError(
              `--limit ${text} is not a number from 0 to 999999999`,
              'write --limit 100; 0 prints all.',
            );
          return Number(text);
        }),
    )
    .addOption(
      new Option('-o, --output <format>', 'how to print the actions').choices([...AUDIT_FORMATS]).default('table'),
    )
    .addHelpText(
      'after',
      `
Reads the log that kube-apiserver writes (audit.k8s.io/v1, one JSON object a line), also as lists of events as its
webhook sends them. In a directory all files below it are read, those that were rotated before the log itself. Each
request is one row, however many lines and files it is in. It needs neither a store nor a cluster.

With --store it also stores who did it, for \`podtrail explain\`: all of the log, whatever the filters show, and to its
end, whatever --limit prints. Without --store nothing is stored, also where PODTRAIL_STORE names one.

Shown are changes of pods, nodes, namespaces and the owners of pods, connections (exec and the like), and requests about
them that were refused or failed, with the stage that refused them and a hint. Writes of a status are left out unless
--verb write-status or --failed asks for them. How much is known of a change depends on the policy of the log: names
that the server made up need level RequestResponse; replicas, taints and nodes need level Request.

Acts, for --verb: ${ACTS.slice(0, HALF).join(', ')},
${ACTS.slice(HALF).join(', ')}.

With --pod, rows that may have been about it are shown, too: a collection that the log does not list, a name that the
server made up. Lines that cannot be read are counted, and the first ten are named on standard error.
Exit code 3 when nothing was found; 5 when nothing was found and some lines could not be read; 1 when hardly one could.

Examples:
  podtrail audit /var/log/kubernetes/audit/ --pod cart-7d9-x2k -n shop
  podtrail audit audit.log --verb evict,delete --since 2h
  podtrail audit audit.log.gz --failed -o wide
  kubectl logs -n kube-system kube-apiserver-a | podtrail audit - -o jsonl
  podtrail audit /var/log/kubernetes/audit/ --failed --store sqlite:ledger.db`,
    )
    .action(
      cli.does(async (files: readonly string[], options: AuditFlags) => {
        if (options.store === undefined && options.cluster !== undefined)
          throw new UsageError('--cluster is for --store: a log is of one cluster', 'leave --cluster out.');
        const wanted = await wantedActions(cli, options);
        if (options.store === undefined) return await run(cli, files, options, wanted, undefined);
        return await withAuditStore(cli, files, options, (store) => run(cli, files, options, wanted, store));
      }),
    );
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

async function run(
  cli: Cli,
  files: readonly string[],
  options: AuditFlags,
  wanted: WantedActions,
  store: AuditStore | undefined,
): Promise<ExitCode> {
  const { stdout, stderr, signal } = cli.commandEnv;
  const print = cli.print(options);
  const writer = new ActionWriter(print, {
    namespace: wanted.namespace ?? null,
    pod: wanted.pod ?? null,
    since: wanted.since === undefined ? null : toUtcText(wanted.since),
    until: wanted.until === undefined ? null : toUtcText(wanted.until),
  });
  const refusals = new RefusalCounts();
  const isFull = () => options.limit > 0 && writer.count >= options.limit;
  const damaged = new DamagedNotes(cli);
  // Rows on the same terminal say enough; so does a log file.
  const progress = new ReadingProgress(cli, stderr.isTTY && !stdout.isTTY);
  const { tally, brokenOff } = await readLogs({
    files,
    reader: cli.commandEnv,
    signal,
    onAction(action) {
      store?.add(action);
      if (isFull() || !isWanted(action, wanted)) return;
      writer.add(action);
      refusals.add(action);
    },
    onDamaged: (line) => damaged.add(line),
    isEnough: () => store === undefined && isFull(),
    async onChunk({ bytes }, isLive) {
      await damaged.flush();
      await writer.flush(isLive);
      await store?.flush(isLive);
      await progress.show(bytes, `${writer.count} found`);
    },
    onSkipped: (name, why) => cli.note(`${name} is left out: ${why}`),
    onBrokenOff: (name) => cli.note(`${name} is read in part: the rest of it cannot be unpacked`),
  }).catch((error) => {
    throw signal.aborted ? new InterruptedError() : error;
  });
  await damaged.flush();
  await progress.clear();
  mustBeAuditLog(tally, files);
  await writer.end(tally);
  if (print.format === 'table' || print.format === 'wide')
    for (const line of refusals.lines(MOST_REFUSALS_NOTED)) await cli.note(line);
  await cli.note(closingLine(tally, writer.count));
  if (tally.lines === 0) await cli.note(EMPTY);
  await store?.end();
  if (store !== undefined) for (const line of storedLines(store)) await cli.note(line);
  return exitCode(writer.count, { tally, brokenOff });
}

async function wantedActions(cli: Cli, options: AuditFlags): Promise<WantedActions> {
  const { namespace, allNamespaces = false, pod, user, failed = false, verb } = options;
  if (namespace !== undefined && allNamespaces)
    throw new UsageError('-n and -A cannot both be meant', '-A is the default: leave one out.');
  const acts = actsOf(verb);
  const since = options.since === undefined ? undefined : await cli.time('--since', options.since, options);
  const until = options.until === undefined ? undefined : await cli.time('--until', options.until, options);
  if (since !== undefined && until !== undefined && since >= until)
    throw new UsageError(
      '--since is not before --until, so there is no time in between',
      'the earlier time is --since: --since 2h --until 1h is the hour before the last.',
    );
  return {
    namespace: namespace === undefined ? undefined : namespaceName('-n')(namespace),
    ...{ pod, user, since, until, acts, failed },
  };
}

/** Everything was written; but a log that was read in part may have more. */
function exitCode(shown: number, { tally, brokenOff }: ReadLogs): ExitCode {
  const [first] = brokenOff;
  if (first !== undefined) throw first;
  if (shown > 0) return EXIT.answered;
  return tally.damaged > 0 ? EXIT.unknown : EXIT.none;
}

function closingLine({ lines, bytes, actions, repeated, damaged, other }: AuditTally, shown: number): string {
  const parts = [`${counted(lines, 'line')}, ${showBytes(bytes)}: ${counted(actions, 'action')}, ${shown} shown`];
  if (repeated > 0) parts.push(`${counted(repeated, 'line')} about requests that were counted already`);
  if (other > 0) parts.push(`${counted(other, 'line')} of the API server's own log`);
  if (damaged > 0) parts.push(`${counted(damaged, 'line')} could not be read: what they say is missing here`);
  return parts.join('; ');
}
