// `podtrail footprints`: one JSON line for each pod and round, on standard output, and on request the hourly ConfigMaps
// of pod-ashiato. Flags and fields are those of that program; it reads the cache of one watch instead of listing.

import { type Client, isForbidden, isNotFound, type PodView } from '@podtrail/machinery';
import { configMapNames, FootprintRounds, HourlyConfigMaps, type HourlyNews, NotStored } from '@podtrail/operator';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { CliError, InterruptedError, UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { followPods, problemText, withoutRequest } from '../follow/follow-pods.ts';
import { namespaceName } from '../options/object-name.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { formatJsonLine } from '../output/json.ts';
import { type Reporter, reporterOn } from '../record/reporter.ts';
import { ageMs } from '../times/age.ts';
import { parseDuration } from '../times/duration.ts';

interface FootprintsOptions extends SharedOptions {
  readonly interval: number;
  readonly oneshot?: boolean;
  readonly name?: string;
  readonly label?: string;
  readonly selector?: string;
  readonly storeInCm?: boolean;
  readonly cmNamespace: string;
  readonly cmRetention: number | 'never';
}

const DEFAULT_INTERVAL_MS = 30_000;
const DEFAULT_RETENTION_MS = 7 * 24 * 3_600_000;
/** How long `--oneshot` waits for a cluster that does not answer. */
const ONESHOT_PATIENCE_MS = 20_000;

export function footprintsCommand(cli: Cli): Command {
  return cli
    .command('footprints', 'Print where each pod is, as JSON lines, now and at every interval.', [
      ...(['kubeconfig', 'context', 'allNamespaces', 'selector'] as const),
    ])
    .option('-n, --namespace <name>', 'only pods of this namespace; default: of all', namespaceName('--namespace'))
    .option('--interval <duration>', 'time between rounds, as 30s or 1m', intervalOf, DEFAULT_INTERVAL_MS)
    .option('--oneshot', 'one round, then exit')
    .option('--name <prefix>', 'only pods whose name begins so')
    .option('--label <selector>', 'only pods with these labels, as app=cart,tier!=db; the same as -l')
    .option('--store-in-cm', 'keep in ConfigMaps, one for each hour (UTC), which pod was on which node')
    .option('--cm-namespace <name>', 'namespace of the ConfigMaps', namespaceName('--cm-namespace'), 'default')
    .option(
      '--cm-retention <duration|never>',
      'delete ConfigMaps that podtrail made for hours that ended longer ago than this',
      retentionOf,
      DEFAULT_RETENTION_MS,
    )
    .configureHelp({ optionDescription: describeOption })
    .addHelpText(
      'after',
      `
One line for each pod: namespace, pod_name, node_name, pod_ip, phase, timestamp, conditions, pod_ips, uid, workload.
Rounds are read from a watch: they cost the API server nothing. While the cluster cannot be watched no round is
printed, and standard error says so.

ConfigMaps are named pod-ashiato-YYYYMMDDHH, with -1, -2 ... for more shards of one hour; keys are namespace_podname,
values the node; kubectl get cm -l app=pod-ashiato lists them. They are written only when something changed.

Needs list and watch on pods; with --store-in-cm also get, list, create, patch and delete on ConfigMaps of their
namespace.

Examples:
  podtrail footprints --oneshot
  podtrail footprints --interval 1m --label app=cart | gzip > footprints.jsonl.gz
  podtrail footprints --store-in-cm --cm-namespace monitoring --cm-retention 48h`,
    )
    .action(cli.finishes((options: FootprintsOptions) => run(cli, options)));
}

async function run(cli: Cli, options: FootprintsOptions): Promise<ExitCode> {
  const { commandEnv } = cli;
  const { clock, random, signal, stdout, stderr } = commandEnv;
  const reporter = reporterOn(stderr, () => clock.now());
  const { kubeconfig, context, oneshot = false, name: prefix = '' } = options;
  const client = await commandEnv.connect(await commandEnv.loadConfig({ kubeconfig, context }));
  const followed = followPods({
    ...{ client, clock, random, reporter },
    namespace: options.allNamespaces === true ? undefined : options.namespace,
    // With a selector DELETED means "no longer matches": for footprints that is the same.
    labelSelector: [options.label, options.selector].filter(Boolean).join(',') || undefined,
    patienceMs: oneshot ? ONESHOT_PATIENCE_MS : undefined,
    checked: !oneshot,
  });
  const matches = ({ metadata }: PodView) => metadata.name.startsWith(prefix);
  const configMaps = options.storeInCm === true ? hourlyConfigMaps(cli, client, options, reporter) : undefined;
  configMaps?.follow(followed.informer, matches);
  let isSilent = true;
  const rounds = new FootprintRounds({
    ...{ pods: followed.informer, matches, configMaps, clock, format: formatJsonLine },
    write: async (lines) => {
      isSilent = false;
      await stdout.write(lines);
    },
    intervalMs: options.interval,
    onNews: (news) => {
      if (news.kind === 'left-out') void reporter.event('warn', 'no rounds while the cluster is not being watched');
      if (news.kind === 'not-stored')
        void reporter.event('error', 'the hourly ConfigMaps could not be written; trying again', {
          problem: problemText(notStored(news.error, options)),
        });
    },
  });
  const interrupted = Promise.withResolvers<never>();
  const onAbort = () => interrupted.reject(new InterruptedError());
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  interrupted.promise.catch(() => undefined);
  try {
    await Promise.race([followed.start(), interrupted.promise]);
    if (oneshot) await rounds.round(signal);
    else await rounds.run(signal);
    if (oneshot && isSilent) await reporter.event('warn', 'no pod matches; nothing was printed');
    return EXIT.answered;
  } catch (error) {
    if (signal.aborted && !oneshot) return EXIT.answered;
    if (signal.aborted) throw new InterruptedError();
    throw error instanceof NotStored ? notStored(error.cause, options) : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await followed.stop();
    await client.close();
  }
}

function hourlyConfigMaps(cli: Cli, client: Client, options: FootprintsOptions, reporter: Reporter): HourlyConfigMaps {
  const { clock, random } = cli.commandEnv;
  const { cmNamespace, cmRetention } = options;
  return new HourlyConfigMaps({
    configMaps: client.configMaps(cmNamespace),
    listNames: configMapNames(client, cmNamespace),
    retentionMs: cmRetention === 'never' ? undefined : cmRetention,
    ...{ clock, random },
    onNews: (news) => void tellNews(reporter, cmNamespace, news),
  });
}

async function tellNews(reporter: Reporter, namespace: string, news: HourlyNews): Promise<void> {
  switch (news.kind) {
    case 'sharded':
      return await reporter.event('info', 'the hour got another ConfigMap', { namespace, name: news.name });
    case 'expired':
      return await reporter.event('info', 'ConfigMaps of old hours were deleted', {
        namespace,
        count: news.names.length,
        names: news.names.join(' '),
      });
    case 'not-expired':
      return await reporter.event('warn', 'ConfigMaps of old hours could not be deleted; trying again in an hour', {
        namespace,
        problem: problemText(news.error),
      });
    case 'name-taken':
      return await reporter.event('warn', 'a ConfigMap of that name is not ours; taking the next name', {
        namespace,
        name: news.name,
      });
    case 'given-up':
      return await reporter.event('error', 'an hour could not be written for so long that it was given up', {
        namespace,
        name: news.name,
        pods: news.pods,
      });
  }
}

function notStored(cause: unknown, { cmNamespace }: FootprintsOptions): CliError {
  const hint = isForbidden(cause)
    ? `grant get, list, create, patch and delete on ConfigMaps of the namespace ${cmNamespace}.`
    : isNotFound(cause)
      ? 'create the namespace, or name another one with --cm-namespace.'
      : undefined;
  return new CliError('not-stored', `the ConfigMaps in ${cmNamespace} could not be written: ${withoutRequest(cause)}`, {
    hint,
    cause,
    exitCode: isForbidden(cause) ? EXIT.forbidden : EXIT.error,
  });
}

function intervalOf(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new UsageError(`--interval ${text} is not a time between rounds`, 'write it as 30s, 1m or 1m30s.');
}

function retentionOf(text: string): number | 'never' {
  return text === 'never' ? text : ageMs('--cm-retention')(text);
}

/** Durations are kept as milliseconds and shown as they are written. */
function describeOption({ description, long }: { description: string; long?: string | undefined }): string {
  const shown = { '--interval': '30s', '--cm-namespace': '"default"', '--cm-retention': '168h' }[long ?? ''];
  return shown === undefined ? description : `${description} (default: ${shown})`;
}
