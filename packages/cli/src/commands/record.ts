// `podtrail record`: watches a cluster and writes its history until it is told to stop. May be killed at any time; the
// next one goes on where the store says.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Engine } from '@podtrail/history';
import { Recorder } from '@podtrail/operator';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { CliError, describeError, InterruptedError, UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { storeUrl } from '../options/store-url.ts';
import { askClusterId, nameCluster } from '../record/cluster-identity.ts';
import { keepHouse } from '../record/keep-house.ts';
import { type Reporter, reporterOn } from '../record/reporter.ts';
import { type ProgressOptions, watchProgress } from '../record/watch-progress.ts';

interface RecordOptions extends SharedOptions {
  readonly clusterName?: string;
  readonly clusterId?: string;
  readonly collector?: string;
  readonly namespaces?: readonly string[];
}

const TERMINAL_STATUS_MS = 2000;
const LOGGED_STATUS_MS = 60_000;

export function recordCommand(cli: Cli): Command {
  return cli
    .command('record', 'Watch a cluster and write its history, until Ctrl+C.', ['kubeconfig', 'context', 'store'])
    .option('--cluster-name <name>', 'name of the cluster in the store; without it that of the context')
    .option('--cluster-id <id>', 'id of the cluster in the store; without it the UID of its namespace kube-system')
    .option('--collector <name>', 'who is recording, kept as provenance; without it the name of this host')
    .option('--namespaces <a,b>', 'only these, for those without rights on the whole cluster', namespaceList)
    .addHelpText(
      'after',
      `
Only one recorder writes to a store at a time; readers (podtrail who ...) may ask it meanwhile. When it is started
again it goes on where it stopped: what happened meanwhile is read from the API server as long as that still has it,
and what it no longer has becomes a gap that answers speak of.

Needs the rights to list and watch pods, nodes and services of the whole cluster, and to get the namespace kube-system.
With --namespaces those on pods and services of the namespaces are enough (and --cluster-id, where kube-system may not
be read), but then no address is ever "free", nodes are not known, and every restart makes a gap.`,
    )
    .action(cli.finishes((options: RecordOptions) => run(cli, options)));
}

async function run(cli: Cli, options: RecordOptions): Promise<ExitCode> {
  const { surroundings } = cli;
  const { clock, signal, stderr } = surroundings;
  const reporter = reporterOn(stderr, () => clock.now());
  const config = await surroundings.loadConfig({ kubeconfig: options.kubeconfig, context: options.context });
  const client = surroundings.connect(config);
  let engine: Engine | undefined;
  try {
    // The store first: whether it can be written is known at once, whether the cluster answers may take a while.
    engine = await openForWriting(cli, options);
    const id =
      options.clusterId ??
      (await askClusterId(client, {
        clock,
        signal,
        onFailure: (error) =>
          reporter.event('warn', 'the cluster cannot be reached; trying again', { problem: told(error) }),
      }));
    const cluster = await nameCluster(engine, id, options.clusterName, config);
    const recorder = await Recorder.open({
      client,
      engine,
      cluster,
      collector: options.collector ?? surroundings.hostname,
      namespaces: options.namespaces,
      clock,
      random: surroundings.random,
      onStoreFailure: (error, attempt) => {
        // Every try would be a flood; the first tells, and then each time the number doubles.
        if ((attempt & (attempt - 1)) === 0)
          void reporter.event('error', 'the store did not take facts; trying again', { attempt, problem: told(error) });
      },
    });
    const store = storeUrl(options.store, surroundings);
    await reporter.event('info', 'recording', { cluster: cluster.name, id: cluster.id, server: config.server, store });
    return await record(
      cli,
      recorder,
      reporter,
      { client, cluster: cluster.name, namespaces: options.namespaces },
      engine,
    );
  } catch (error) {
    if (signal.aborted) throw new InterruptedError();
    throw error;
  } finally {
    await engine?.close();
    await client.close();
  }
}

async function record(
  cli: Cli,
  recorder: Recorder,
  reporter: Reporter,
  about: Pick<ProgressOptions, 'client' | 'cluster' | 'namespaces'>,
  engine: Engine,
): Promise<ExitCode> {
  const { clock, signal, stderr } = cli.surroundings;
  const stopTelling = new AbortController();
  const statusEveryMs = stderr.isTTY ? TERMINAL_STATUS_MS : LOGGED_STATUS_MS;
  const telling = watchProgress({
    recorder,
    reporter,
    clock,
    statusEveryMs,
    ...about,
    signal: AbortSignal.any([signal, stopTelling.signal]),
  });
  const housekeeping = keepHouse({ engine, clock, reporter, signal: AbortSignal.any([signal, stopTelling.signal]) });
  try {
    await recorder.run(signal);
  } finally {
    stopTelling.abort();
    await Promise.all([telling, housekeeping]);
  }
  const { waitingFacts, committedFacts, storeFailures } = recorder.status;
  if (waitingFacts > 0 || storeFailures > 0) {
    throw new CliError('not-flushed', `${waitingFacts} facts could not be stored before the end`, {
      hint: 'nothing is lost as long as the API server remembers: start the recorder again soon.',
    });
  }
  await reporter.event('info', 'stopped', { cluster: about.cluster, committedFacts });
  return EXIT.answered;
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

async function openForWriting(cli: Cli, options: RecordOptions): Promise<Engine> {
  const url = storeUrl(options.store, cli.surroundings);
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path !== undefined) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return await cli.surroundings.openStore(url, 'write');
}

function told(error: unknown): string {
  return describeError(error, false)
    .replace(/^podtrail: /, '')
    .replaceAll('\n', '; ');
}
