// An informer on pods for a command that lives from its cache: started, reported on standard error when it cannot
// watch, ended with the command. A refusal before the first listing ends it; anything later is waited out.
import {
  ApiError,
  type Client,
  type Clock,
  Informer,
  PODS,
  type PodView,
  podCodec,
  type Random,
} from '@podtrail/machinery';
import { CliError, describeError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Reporter } from '../record/reporter.ts';

export interface FollowPodsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly reporter: Reporter;
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** How long an unreachable cluster is waited for before the first listing. Undefined: for ever. */
  readonly patienceMs?: number | undefined;
  /** Compare the cache with the server's now and then: for those who run for days. */
  readonly checked: boolean;
}

export interface FollowedPods {
  readonly informer: Informer<PodView>;
  /** Resolves with the first listing; rejects if there will be none. */
  start(): Promise<void>;
  /** Resolves when nothing more is delivered. */
  stop(): Promise<void>;
}

const CONSISTENCY_MS = 600_000;
/** Refusals that asking again does not change. */
const FINAL = new Set([400, 401, 403, 404]);

export function followPods(options: FollowPodsOptions): FollowedPods {
  const { client, clock, random, reporter, namespace, labelSelector, patienceMs } = options;
  const stop = new AbortController();
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => undefined);
  let failures = 0;
  let handlerFailures = 0;
  let running: Promise<void> | undefined;
  const informer = new Informer<PodView>({
    transport: client.transport,
    resource: PODS,
    codec: podCodec,
    namespace,
    labelSelector,
    clock,
    random,
    consistencyMs: options.checked ? CONSISTENCY_MS : undefined,
    onHandlerFailure: ({ handler, error, givenUp }) => {
      handlerFailures++;
      if ((handlerFailures & (handlerFailures - 1)) !== 0) return;
      const fields = { handler, times: handlerFailures, givenUp, problem: problemText(error) };
      void reporter.event('error', 'a change could not be taken in; the others go on', fields);
    },
    onState: (state) => {
      if (state.kind === 'watching') failures = 0;
      if (state.kind !== 'waiting') return;
      const { error } = state;
      if (!informer.synced && error instanceof ApiError && FINAL.has(error.status)) {
        refused.reject(refusal(error, labelSelector));
        return;
      }
      if (!informer.synced && patienceMs !== undefined && clock.monotonic() - startedAt >= patienceMs) {
        refused.reject(unreachable(error, patienceMs));
        return;
      }
      failures++;
      // Every try would be a flood: the first is reported, and then each time the number doubles.
      if ((failures & (failures - 1)) === 0)
        void reporter.event('warn', 'the cluster cannot be watched; trying again', { problem: problemText(error) });
    },
  });
  const startedAt = clock.monotonic();
  return {
    informer,
    start: async () => {
      running = informer.start(stop.signal);
      await Promise.race([informer.waitForSync(stop.signal), refused.promise]);
    },
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}

/** An error as one line of a log. */
export function problemText(error: unknown): string {
  return describeError(error, false)
    .replace(/^podtrail: /, '')
    .replace(REQUEST, '')
    .replaceAll('\n', '; ');
}

/** How machinery begins the message of a failed call. */
const REQUEST = /^[A-Z]+ \/\S*: /;

/** What the server said, without the request that it answered: the reader knows what he asked for. */
export function withoutRequest(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(REQUEST, '');
}

function unreachable(error: Error, patienceMs: number): CliError {
  const { hint } = error as { readonly hint?: string };
  const seconds = Math.round(patienceMs / 1000);
  const sentence = `the pods could not be listed within ${seconds} s: ${withoutRequest(error)}`;
  return new CliError('not-listed', sentence, { hint, cause: error });
}

function refusal(error: ApiError, labelSelector: string | undefined): Error {
  if (error.status === 403) {
    return new CliError('forbidden', `pods may not be watched: ${withoutRequest(error)}`, {
      hint: 'grant list and watch on pods, or name a namespace in which this user has them with -n.',
      exitCode: EXIT.forbidden,
      cause: error,
    });
  }
  if (error.status === 400 && labelSelector !== undefined) {
    return new CliError('usage', `the label selector ${labelSelector} is refused: ${withoutRequest(error)}`, {
      hint: 'selectors are written as for kubectl: app=cart, tier!=db, env in (prod,stage).',
      exitCode: EXIT.usage,
      cause: error,
    });
  }
  return error;
}
