// `podtrail operator`: the recorder and all controllers in one process, as a replica in a cluster or on a machine beside
// it. May be killed at any time; the next one goes on where the store and the lease say.
import type { Engine } from '@podtrail/history';
import { type ClusterConfig, electionIdentity } from '@podtrail/machinery';
import type { LogLevel, OperatorProcess } from '@podtrail/operator/process';
import type { AskedLedger, TrackerSource } from '@podtrail/operator/serving';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.ts';
import { CliError, UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import {
  AUDIT_WEBHOOK_HELP,
  type AuditWebhookFlags,
  auditWebhookOf,
  withAuditWebhook,
} from '../options/audit-webhook.ts';
import { CAUSES_HELP, type CausesOptions, causesOf, withCauses } from '../options/causes.ts';
import { namespaceName, objectName } from '../options/object-name.ts';
import { portNumber } from '../options/port-number.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import {
  changeBudgets,
  type RecordingSizeOptions,
  SIZES_HELP,
  storeLimit,
  withRecordingSizes,
} from '../options/store-limit.ts';
import { storeUrl } from '../options/store-url.ts';
import { podtrailVersion } from '../podtrail-version.ts';
import { askClusterId, nameCluster } from '../record/cluster-identity.ts';
import { ageMs } from '../times/age.ts';
import { parseDuration } from '../times/duration.ts';

interface OperatorOptions extends SharedOptions, RecordingSizeOptions, CausesOptions, AuditWebhookFlags {
  readonly clusterName?: string;
  readonly clusterId?: string;
  readonly identity?: string;
  readonly leaseName: string;
  readonly retention?: number;
  readonly bind: string;
  readonly metricsPort: number;
  readonly healthPort: number;
  readonly conversion: boolean;
  readonly conversionPort: number;
  readonly conversionService: string;
  readonly conversionUrl?: URL;
  readonly history?: boolean;
  readonly historyPort: number;
  readonly historyService: string;
  readonly historyServicePort: number;
  readonly historyServiceLocal?: boolean;
  readonly historyAccessLog?: boolean;
  readonly footprintInterval: number;
  readonly logLevel: LogLevel;
}

type Outcome = Awaited<ReturnType<OperatorProcess['run']>>;

export function operatorCommand(cli: Cli): Command {
  const command = cli
    .command('operator', 'Record, and serve PodTrackers: the process that runs in a cluster.', [
      ...(['kubeconfig', 'context', 'store'] as const),
    ])
    .option(
      '-n, --namespace <name>',
      'namespace of the lease and of the Service; default: that of the context or pod',
      namespaceName('--namespace'),
    )
    .option('--identity <name>', 'this replica, kept as provenance; default: the name of this host')
    .option(
      '--lease-name <name>',
      'the lease that decides who writes to the API',
      objectName('--lease-name'),
      'podtrail-operator',
    )
    .option('--cluster-name <name>', 'name of the cluster in the store; default: that of the context')
    .option('--cluster-id <id>', 'id of the cluster in the store; default: the UID of its namespace kube-system')
    .option(
      '--retention <duration>',
      'forget what ended longer ago, e.g. 30d or 720h; default: only --store-limit bounds the history',
      ageMs('--retention'),
    );
  return withAuditWebhook(withCauses(withRecordingSizes(command)))
    .option(
      '--bind <address>',
      'the address of this machine on which all ports are served; ::, every one of both families',
      '127.0.0.1',
    )
    .option('--metrics-port <port>', 'serve /metrics for Prometheus there', portNumber('--metrics-port'), 9090)
    .option('--health-port <port>', 'serve /livez, /readyz and /healthz there', portNumber('--health-port'), 9091)
    .option('--no-conversion', 'do not serve v1alpha1 from this replica, nor change its definition')
    .option('--conversion-port <port>', 'serve conversion there (TLS)', portNumber('--conversion-port'), 9443)
    .option('--conversion-service <name>', 'the Service by which API servers reach it', 'podtrail-conversion')
    .option('--conversion-url <url>', 'the URL by which they do, instead of a Service: https://127.0.0.1', urlOf)
    .option(
      '--history',
      'serve history.podtrail.dev (kubectl get tenures) from this replica, and register it: read below what that means',
    )
    .option('--history-port <port>', 'serve it there (TLS)', portNumber('--history-port'), 9444)
    .option('--history-service <name>', 'the Service by which API servers reach it', 'podtrail-history')
    .option('--history-service-port <port>', 'the port of that Service', portNumber('--history-service-port'), 443)
    .option('--history-service-local', 'that Service leads to this machine, although --bind is a loopback address')
    .option(
      '--history-access-log',
      'log every request to it: who, what, how it went; never tokens or what was asked for',
    )
    .option('--footprint-interval <duration>', 'time between rounds of footprints', intervalOf, 30_000)
    .addOption(
      new Option('--log-level <level>', 'the least that is logged, as JSON lines on standard error')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('info'),
    )
    .configureHelp({ optionDescription: describeOption })
    .addHelpText(
      'after',
      `
Every replica records all the time, each into a store of its own. Which of them writes to the Kubernetes API
(PodTrackers, slices, ConfigMaps, events) is decided by a lease; the others are warm and take over within 20 seconds.
SIGTERM ends it within 10 seconds, with exit code 0. A leader that lost its lease ends with exit code 1, so that it
is started again.
${SIZES_HELP}
${CAUSES_HELP}

To serve v1alpha1 of PodTracker it changes a definition of the cluster, podtrackers.podtrail.dev: once its port answers
it sets there the webhook, the certificate to trust and served of v1alpha1. Not without a Service that is there (none
leads to the default --bind; in a pod give --bind ::) or --conversion-url, not while another operator
serves it, and not with --no-conversion.
${AUDIT_WEBHOOK_HELP}

With --history it serves the history to kubectl (kubectl get tenures, moves …): it registers the APIService
v1.history.podtrail.dev once its port answers and the Service is there, renews the certificate that API servers trust,
and takes it back when they cannot reach it or the last replica ends. If all replicas are killed at once, no namespace
of the cluster can be deleted until one is back, or a timer of the cluster removes the APIService after five minutes
(before Kubernetes 1.33: until kubectl delete apiservice v1.history.podtrail.dev).
The same port answers scripts: /api/v1, /openapi.json and /mcp, with a bearer token of the audience podtrail
(kubectl create token NAME --audience podtrail), and shows the page, which asks for such a token. Everybody sees the namespaces in which they may list pods.

The rights it needs are those of deploy/kustomize/.`,
    )
    .action(cli.finishes((options: OperatorOptions) => run(cli, options)));
}

async function run(cli: Cli, options: OperatorOptions): Promise<ExitCode> {
  const { commandEnv } = cli;
  const { clock, random, signal, stderr, stdout, hostname } = commandEnv;
  refuseSharedPorts(options);
  const audit = auditWebhookOf(options);
  const sizes = { storeLimit: storeLimit(options, commandEnv), changeBudgets: changeBudgets(options) };
  // Read only here: no other command should wait for the metrics library.
  const { Log, OperatorMonitoring, OperatorProcess, problemOf } = await import('@podtrail/operator/process');
  const write = (line: string): void => void stderr.write(line).catch(() => undefined);
  const log = new Log({ level: options.logLevel, now: () => clock.now(), write });
  const config = await commandEnv.loadConfig({ kubeconfig: options.kubeconfig, context: options.context });
  const { bind: host, metricsPort, healthPort } = options;
  const monitoring = await OperatorMonitoring.start({
    ...{ host, metricsPort, healthPort, clock, version: podtrailVersion() },
  });
  log.info('listening', monitoring.addresses);
  const client = await commandEnv.connect(config, monitoring.observer);
  let engine: Engine | undefined;
  let hasBegun = false;
  try {
    // The store first: whether it can be written is known at once, whether the cluster answers may take a while.
    const store = storeUrl(options.store, commandEnv);
    engine = await commandEnv.openStore(store, 'write');
    const onFailure = async (error: unknown) =>
      log.warn('the cluster cannot be reached; trying again', { problem: problemOf(error) });
    const id = options.clusterId ?? (await askClusterId(client, { clock, signal, onFailure }));
    const cluster = await nameCluster(engine, id, options.clusterName, config);
    const replica = options.identity ?? hostname;
    const namespace = options.namespace ?? config.namespace;
    const operator = await OperatorProcess.open({
      ...{ client, engine, cluster, clock, random, log, monitoring, replica },
      lease: { namespace, name: options.leaseName, identity: electionIdentity(replica) },
      conversion: conversionOf(options, namespace),
      history: await historyOf(cli, options, namespace, engine),
      audit,
      retentionMs: options.retention,
      ...causesOf(options),
      ...sizes,
      footprintIntervalMs: options.footprintInterval,
      write: (lines) => stdout.write(lines),
    });
    log.info('operator', { ...about(config, store), replica, cluster: cluster.name, id, ...monitoring.addresses });
    hasBegun = true;
    return ended(await operator.run(signal), log);
  } catch (error) {
    // Stopped before it had begun: nothing was cut off.
    if (signal.aborted && !hasBegun) return EXIT.answered;
    throw error;
  } finally {
    await monitoring.close();
    await engine?.close();
    await client.close();
  }
}

function ended(outcome: Outcome, log: { info(message: string): void }): ExitCode {
  switch (outcome.kind) {
    case 'stopped':
      log.info('stopped');
      return EXIT.answered;
    case 'leadership-lost':
      throw new CliError('leadership-lost', lossOf(outcome), {
        hint: 'start it again: it joins the election again, and continues recording where it stopped.',
      });
    case 'failed':
      throw outcome.error instanceof Error ? outcome.error : new Error(`${outcome.step}: ${String(outcome.error)}`);
  }
}

/** Past its deadline nobody else need have it: the last holder that was seen is this process itself. */
function lossOf({ reason, holder }: Outcome & { kind: 'leadership-lost' }): string {
  if (reason === 'deadline') return 'the lease was lost: it could not be renewed in time (deadline)';
  return `the lease was lost to ${holder || 'nobody'} (${reason})`;
}

function about(config: ClusterConfig, store: string): Record<string, string> {
  return { version: podtrailVersion(), server: config.server, store };
}

function conversionOf(options: OperatorOptions, namespace: string) {
  const { conversion, conversionPort: port, conversionService: name, conversionUrl, bind: host } = options;
  if (!conversion) return undefined;
  if (conversionUrl === undefined) return { host, port, address: { service: { namespace, name, port: 443 } } };
  const url = (listening: number): string => {
    const at = new URL(conversionUrl);
    if (at.port === '') at.port = String(listening);
    return at.origin;
  };
  return { host, port, address: { url } };
}

async function historyOf(cli: Cli, options: OperatorOptions, namespace: string, engine: Engine) {
  const { history, historyPort: port, historyService: name, historyServicePort, bind: host } = options;
  if (history !== true) return undefined;
  const service = { namespace, name, port: historyServicePort };
  const limit = storeLimit(options, cli.commandEnv);
  // Read only here: a recorder alone should not pay for it.
  const [{ apiOver }, { commandRunner }, { pageSource }, { clusterCommandRoutes, pageRoutes }] = await Promise.all([
    import('../remote/api-over.ts'),
    import('../remote/command-runner.ts'),
    import('../remote/page-source.ts'),
    import('@podtrail/operator/serving'),
  ]);
  const routes = (ledger: AskedLedger, trackers: TrackerSource) => [
    ...apiOver(ledger, { engine, storeLimit: limit, commandEnv: cli.commandEnv, trackers }),
    ...clusterCommandRoutes(commandRunner(ledger, cli.commandEnv)),
    ...pageRoutes(pageSource()),
  ];
  const accessLog = options.historyAccessLog === true;
  return { host, port, service, isServiceLocal: options.historyServiceLocal === true, accessLog, routes };
}

function refuseSharedPorts(options: OperatorOptions): void {
  const { metricsPort, healthPort, conversionPort, conversion, historyPort, history, auditWebhookPort = 0 } = options;
  const tls = [...(conversion ? [conversionPort] : []), ...(history === true ? [historyPort] : [])];
  const ports = [metricsPort, healthPort, auditWebhookPort, ...tls].filter((port) => port !== 0);
  const twice = ports.find((port, at) => ports.indexOf(port) !== at);
  if (twice !== undefined) throw new UsageError(`two ports are both ${twice}`, 'give each a port of its own.');
}

function urlOf(text: string): URL {
  if (URL.canParse(text) && text.startsWith('https://')) return new URL(text);
  throw new UsageError(`--conversion-url ${text} is no https URL`, 'write it as https://127.0.0.1.');
}

function intervalOf(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 100) return ms;
  throw new UsageError(`--footprint-interval ${text} is not a time between rounds`, 'write it as 30s or 1m.');
}

/** Durations are kept as milliseconds and shown as they are written. */
function describeOption(option: Option): string {
  if (option.long === '--footprint-interval') return `${option.description} (default: 30s)`;
  const { defaultValue, negate, argChoices } = option;
  const choices = argChoices === undefined ? '' : `choices: ${argChoices.join(', ')}; `;
  return defaultValue === undefined || negate
    ? option.description
    : `${option.description} (${choices}default: ${String(defaultValue)})`;
}
