// `podtrail annotations`: prints how the annotations of pods change, as it happens, from the cache of one watch. What
// was before it started is for `podtrail changes`, which asks the ledger.
import { AnnotationWatcher } from '@podtrail/operator';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.ts';
import { CliError, UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { followPods, problemText } from '../follow/follow-pods.ts';
import { namespaceName } from '../options/object-name.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { reporterOn } from '../record/reporter.ts';
import { reportLine, reportText, summaryLine, summaryText } from './annotations-text.ts';

interface AnnotationsOptions extends SharedOptions {
  readonly output: string;
  readonly selector?: string;
  readonly key: readonly string[];
  readonly all?: boolean;
  readonly full?: boolean;
  readonly initial?: boolean;
}

/** For what was seen before Ctrl+C and is still to be printed. */
const DRAIN_MS = 5000;

export function annotationsCommand(cli: Cli): Command {
  return cli
    .command('annotations', 'Watch how the annotations of pods change, until Ctrl+C.', [
      ...(['namespace', 'allNamespaces', 'selector', 'kubeconfig', 'context'] as const),
    ])
    .option('--key <glob>', 'only annotations whose key matches (* and ?); may be given several times', keyOf, [])
    .option('--all', 'print every annotation of the pod too, or (none)')
    .option('--full', 'do not cut values at 80 characters')
    .option('--initial', 'print the pods that are there at the start too, as ADDED')
    .addOption(
      new Option('-o, --output <format>', 'table for people; json and jsonl: one JSON object a line, values uncut')
        .choices(['table', 'json', 'jsonl'])
        .default('table'),
    )
    .addHelpText(
      'after',
      `
Begins with "N total pods, M with annotations". Then each pod that comes (ADDED), whose annotations change (UPDATED) or
that goes (DELETED), with its phase and node, and the keys that were added (+), changed (~, old → new) or removed (-).
What kubectl last applied (kubectl.kubernetes.io/last-applied-configuration) repeats the whole manifest: it is left out,
as in the ledger, unless --key asks for it. With --key, pods that come or go without such an annotation are not
reported. With -l, a pod that no longer matches is printed as DELETED.

All of it is read from one watch; nothing else is asked of the API server. Changes of a pod that follow each other
faster than they are printed may be printed as one. podtrail record keeps each of them, for podtrail changes.

Examples:
  podtrail annotations -n shop
  podtrail annotations -A --key 'prometheus.io/*' -o jsonl
  podtrail annotations -n shop -l app=cart --all --full`,
    )
    .action(cli.finishes((options: AnnotationsOptions) => run(cli, options)));
}

async function run(cli: Cli, options: AnnotationsOptions): Promise<ExitCode> {
  const { commandEnv } = cli;
  const { clock, random, signal, stdout, stderr } = commandEnv;
  const reporter = reporterOn(stderr, () => clock.now());
  const { kubeconfig, context, all = false, full = false } = options;
  if (options.namespace !== undefined) namespaceName('--namespace')(options.namespace);
  const config = await commandEnv.loadConfig({ kubeconfig, context });
  const client = await commandEnv.connect(config);
  const followed = followPods({
    ...{ client, clock, random, reporter },
    namespace: options.allNamespaces === true ? undefined : (options.namespace ?? config.namespace),
    labelSelector: options.selector,
    checked: true,
  });
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => undefined);
  const print = async (text: string) => {
    try {
      await stdout.write(text);
    } catch (error) {
      // A reader that has gone does not come back: no use in trying again.
      if ((error as { code?: unknown }).code === 'EPIPE') gone.reject(error);
      throw error;
    }
  };
  const isText = options.output === 'table';
  const watcher = new AnnotationWatcher({
    ...{ pods: followed.informer, keys: options.key, initial: options.initial === true, clock, random },
    onStart: (summary) => print(isText ? summaryText(summary) : summaryLine(summary, clock.now())),
    emit: (report) => print(isText ? reportText(report, { all, full }) : reportLine(report, { all }, clock.now())),
    onFailure: ({ key, error, retryInMs }) => {
      const message =
        retryInMs === undefined ? 'a change was not reported; going on' : 'a change could not be reported yet';
      void reporter.event(retryInMs === undefined ? 'error' : 'warn', message, {
        pod: key,
        problem: problemText(error),
      });
    },
  });
  const drained = withinDrain(cli, () => watcher.waiting);
  const giveUp = new AbortController();
  try {
    await Promise.race([followed.start(), drained.stopped]);
    if (!signal.aborted) await Promise.race([watcher.run(signal, giveUp.signal), gone.promise, drained.late]);
    return EXIT.answered;
  } catch (error) {
    // Before the first listing there was nothing to drain.
    if (signal.aborted && !(error instanceof CliError && error.code === 'not-reported')) return EXIT.answered;
    throw error;
  } finally {
    drained.end();
    giveUp.abort();
    await followed.stop();
    await client.close();
  }
}

/** `stopped` resolves at the signal; `late` rejects when draining has taken too long since. */
function withinDrain(cli: Cli, waiting: () => number) {
  const { clock, signal } = cli.commandEnv;
  const stopped = Promise.withResolvers<void>();
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  let timer = { cancel: () => {} };
  const onAbort = () => {
    stopped.resolve();
    timer = clock.setTimer(DRAIN_MS, () => {
      late.reject(
        new CliError('not-reported', `${waiting()} pods could not be reported before the end`, {
          hint: 'the reader of the output was too slow; podtrail changes has what a recorder saw.',
        }),
      );
    });
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const end = () => {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  };
  return { stopped: stopped.promise, late: late.promise, end };
}

function keyOf(glob: string, before: readonly string[]): string[] {
  if (glob === '') throw new UsageError('--key needs a pattern', "as in --key 'prometheus.io/*'.");
  return [...before, glob];
}
