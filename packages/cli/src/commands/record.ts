// `podtrail record`: watches a cluster and writes its history until it is stopped. May be killed at any time; the
// next one goes on where the store says.
import { type Engine, toText } from '@podtrail/history';
import {
  anomalyReport,
  collectsSpentListings,
  MoveFollower,
  type MoveListener,
  Recorder,
  type RecorderListener,
  type ReportRoom,
  RoomReport,
} from '@podtrail/operator';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { CliError, describeError, InterruptedError, UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { CAUSES_HELP, type CausesOptions, causesOf, withCauses } from '../options/causes.ts';
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
import { startMonitoring } from '../record/monitoring.ts';
import { type Reporter, reporterOn } from '../record/reporter.ts';
import { watchProgress } from '../record/watch-progress.ts';
import { ageMs } from '../times/age.ts';

interface RecordOptions extends SharedOptions, RecordingSizeOptions, CausesOptions {
  readonly clusterName?: string;
  readonly clusterId?: string;
  readonly collector?: string;
  readonly namespaces?: readonly string[];
  readonly retention?: number;
  readonly metricsPort?: number;
  readonly healthPort?: number;
  readonly bind: string;
}

const TERMINAL_STATUS_MS = 2000;
const LOGGED_STATUS_MS = 60_000;

export function recordCommand(cli: Cli): Command {
  const command = cli
    .command('record', 'Watch a cluster and write its history, until Ctrl+C.', ['kubeconfig', 'context', 'store'])
    .option('--cluster-name <name>', 'name of the cluster in the store; default: that of the context')
    .option('--cluster-id <id>', 'id of the cluster in the store; default: the UID of its namespace kube-system')
    .option('--collector <name>', 'who is recording, kept as provenance; default: the name of this host')
    .option('--namespaces <a,b>', 'only these, for those without rights on the whole cluster', namespaceList)
    .option(
      '--retention <duration>',
      'forget what ended longer ago, e.g. 30d or 720h; default: only --store-limit bounds the history',
      ageMs('--retention'),
    );
  return withCauses(withRecordingSizes(command))
    .option(
      '--metrics-port <port>',
      'serve /metrics for Prometheus there; default: not served',
      portNumber('--metrics-port'),
    )
    .option('--health-port <port>', 'serve /livez and /readyz there; default: not served', portNumber('--health-port'))
    .option('--bind <address>', 'the address of this machine on which those two are served', '127.0.0.1')
    .addHelpText(
      'after',
      `
Only one recorder writes to a store at a time; readers (podtrail who ...) may ask it meanwhile. When it is started
again it goes on where it stopped: what happened meanwhile is read from the API server as long as that still has it,
and what it no longer has becomes a gap that answers speak of.
${SIZES_HELP}
${CAUSES_HELP}

Needs the rights to list and watch pods, nodes and services of the whole cluster, and to get the namespace kube-system.
With the right to get leases in the namespace kube-node-lease the address of a pod that was deleted by force is in doubt
for about a minute less. It is read only then; where the right is missing, everything else is recorded. For causes it
needs to list and watch events.events.k8s.io, namespaces, replicasets, deployments, statefulsets and daemonsets.apps,
jobs and cronjobs.batch.
With --namespaces those on pods and services of the namespaces are enough (and --cluster-id, where kube-system may not
be read), but then no address is ever "free", nodes are not known, and every restart makes a gap.`,
    )
    .action(cli.finishes((options: RecordOptions) => run(cli, options)));
}

async function run(cli: Cli, options: RecordOptions): Promise<ExitCode> {
  const { commandEnv } = cli;
  const { clock, signal, stderr } = commandEnv;
  const sizes = { storeLimit: storeLimit(options, commandEnv), changeBudgets: changeBudgets(options) };
  const reporter = reporterOn(stderr, () => clock.now());
  const config = await commandEnv.loadConfig({ kubeconfig: options.kubeconfig, context: options.context });
  const monitoring = await startMonitoring({
    ...{ metricsPort: options.metricsPort, healthPort: options.healthPort, bind: options.bind },
    ...{ clock, version: podtrailVersion() },
  });
  const client = await commandEnv.connect(config, monitoring.observer);
  let engine: Engine | undefined;
  try {
    // The store first: whether it can be written is known at once, whether the cluster answers may take a while.
    const store = storeUrl(options.store, commandEnv);
    engine = await commandEnv.openStore(store, 'write');
    const id =
      options.clusterId ??
      (await askClusterId(client, {
        clock,
        signal,
        onFailure: (error) =>
          reporter.event('warn', 'the cluster cannot be reached; trying again', { problem: problemText(error) }),
      }));
    const warn: ReportRoom = (message, fields) => void reporter.event('warn', message, fields);
    const cluster = await nameCluster(engine, id, options.clusterName, config);
    const counts = options.causes ? monitoring.moves() : undefined;
    const listeners = counts && [counts, reportingMoves(reporter)];
    const moves = listeners && new MoveFollower({ reader: engine, cluster: cluster.id, clock, listeners });
    const recorder = await Recorder.open({
      client,
      engine,
      cluster,
      collector: options.collector ?? commandEnv.hostname,
      namespaces: options.namespaces,
      clock,
      random: commandEnv.random,
      retentionMs: options.retention,
      ...causesOf(options),
      ...sizes,
      listeners: [
        ...[reporting(reporter), new RoomReport(clock, warn), collectsSpentListings(), ...monitoring.listeners],
        ...(moves === undefined ? [] : [moves]),
      ],
    });
    await moves?.resume();
    monitoring.watch(recorder, moves);
    await reporter.event('info', 'recording', {
      ...{ cluster: cluster.name, id: cluster.id, server: config.server, store },
      ...monitoring.addresses,
    });
    return await record(cli, recorder, { reporter, cluster: cluster.name, moves });
  } catch (error) {
    if (signal.aborted) throw new InterruptedError();
    throw error;
  } finally {
    await monitoring.close();
    await engine?.close();
    await client.close();
  }
}

interface Recording {
  readonly reporter: Reporter;
  readonly cluster: string;
  /** Undefined: nobody counts them. */
  readonly moves: MoveFollower | undefined;
}

async function record(cli: Cli, recorder: Recorder, { reporter, cluster, moves }: Recording): Promise<ExitCode> {
  const { clock, signal, stderr } = cli.commandEnv;
  const stopTelling = new AbortController();
  const statusEveryMs = stderr.isTTY ? TERMINAL_STATUS_MS : LOGGED_STATUS_MS;
  const tellUntil = AbortSignal.any([signal, stopTelling.signal]);
  const telling = watchProgress({ recorder, reporter, clock, statusEveryMs, cluster, signal: tellUntil });
  const counting = moves?.run(tellUntil);
  try {
    await recorder.run(signal);
  } finally {
    stopTelling.abort();
    await Promise.all([telling, counting]);
  }
  const { waitingFacts, committedFacts, storeFailures } = recorder.status;
  if (waitingFacts > 0 || storeFailures > 0) {
    throw new CliError('not-flushed', `${waitingFacts} facts could not be stored before the end`, {
      hint: 'nothing is lost as long as the API server remembers: start the recorder again soon.',
    });
  }
  await reporter.event('info', 'stopped', { cluster, committedFacts });
  return EXIT.answered;
}

/** What goes wrong beside the watching, which reports itself. */
function reporting(reporter: Reporter): RecorderListener {
  let handlerFailures = 0;
  return {
    handlerFailed(resource, { handler, error, givenUp }) {
      handlerFailures++;
      if ((handlerFailures & (handlerFailures - 1)) !== 0) return;
      const fields = { resource, handler, times: handlerFailures, givenUp, problem: problemText(error) };
      void reporter.event('error', 'a change could not be taken in; the others go on', fields);
    },
    stored: anomalyReport((fields) => {
      void reporter.event('warn', 'something in the cluster cannot be right', { ...fields });
    }),
    clockDiffers(warning) {
      if (warning !== undefined)
        void reporter.event('warn', 'the clock of this machine is wrong', { problem: warning });
      else void reporter.event('info', "the clock of this machine agrees with the server's again");
    },
    clockCorrected({ since, at, records }) {
      const fields = { since: toText(since), now: toText(at), records };
      void reporter.event('warn', 'the ledger was by a wrong clock; what it claimed was taken back', fields);
    },
    leasesForbidden(refusal) {
      if (refusal !== undefined)
        void reporter.event('warn', 'Leases of nodes may not be read; recording goes on', { ...refusal });
      else void reporter.event('info', 'Leases of nodes may be read again');
    },
    evidenceChanged(change) {
      const { resource, namespace, problem } = change;
      const where = namespace === undefined ? { resource } : { resource, namespace };
      if (problem === undefined) void reporter.event('info', 'evidence for causes is complete again', where);
      else void reporter.event('warn', 'causes may lack evidence; recording goes on', { ...where, problem });
    },
    storeFailed(error, attempt) {
      // Every try would be a flood; the first is reported, and then each time the number doubles.
      if ((attempt & (attempt - 1)) === 0)
        void reporter.event('error', 'the store did not take facts; trying again', {
          attempt,
          problem: problemText(error),
        });
    },
    patrolled({ damages }) {
      for (const { where, what } of damages)
        void reporter.event('error', 'a part of the store is damaged', { where, problem: what });
    },
    housekept({ what, error, removed }) {
      if (error !== undefined)
        void reporter.event('warn', 'the housekeeping of the store failed; recording goes on', {
          what,
          problem: problemText(error),
        });
      else if (removed > 0) void reporter.event('info', 'forgot what is older than the retention', { removed });
    },
  };
}

/** The counters of moves are beside the recording: it is reported once, and then each time the number doubles. */
function reportingMoves(reporter: Reporter): MoveListener {
  let failures = 0;
  return {
    failed(error) {
      failures++;
      if ((failures & (failures - 1)) !== 0) return;
      const fields = { times: failures, problem: problemText(error) };
      void reporter.event('warn', 'moves could not be counted; recording goes on', fields);
    },
  };
}

function namespaceList(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name))) {
    throw new UsageError(
      `--namespaces ${text} is not a list of namespaces`,
      'separate them with commas: --namespaces shop,pay.',
    );
  }
  return [...new Set(names)];
}

function problemText(error: unknown): string {
  return describeError(error, false)
    .replace(/^podtrail: /, '')
    .replaceAll('\n', '; ');
}
