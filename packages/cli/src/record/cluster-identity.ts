// Which cluster this is: the UID of its kube-system namespace, and a name for people. Asks until the cluster answers.
import type { Cluster, Engine } from '@podtrail/history';
import {
  type Client,
  type Clock,
  type ClusterConfig,
  ConnectionError,
  exponentialDelay,
  isForbidden,
  sleep,
} from '@podtrail/machinery';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

const PAUSES = { firstMs: 500, longestMs: 10_000 };

export interface Patience {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called at every try that failed; it is tried again. */
  readonly onFailure: (error: unknown) => Promise<void>;
}

/** Tries for ever while the cluster cannot be reached; a refusal ends it. */
export async function askClusterId(client: Client, { clock, signal, onFailure }: Patience): Promise<string> {
  for (let failures = 0; ; failures++) {
    try {
      const namespace = await client.namespaces().get('kube-system', { signal, timeoutMs: 10_000 });
      return namespace.metadata.uid ?? '';
    } catch (error) {
      if (isForbidden(error)) throw notAllowed(error);
      if (signal.aborted || !(error instanceof ConnectionError || isPassing(error))) throw error;
      await onFailure(error);
      await sleep(clock, exponentialDelay(PAUSES, failures), signal);
    }
  }
}

/** The name that was given, else the one the store knows, else that of the context. */
export async function nameCluster(
  engine: Engine,
  id: string,
  given: string | undefined,
  config: Pick<ClusterConfig, 'origin' | 'server'>,
): Promise<Cluster> {
  if (given !== undefined) return { id, name: given };
  const known = (await engine.clusters()).find((cluster) => cluster.id === id);
  return known ?? { id, name: nameOf(config) };
}

function nameOf({ origin, server }: Pick<ClusterConfig, 'origin' | 'server'>): string {
  return /^context "(.*)" of /.exec(origin)?.[1] || (origin === 'in-cluster' ? origin : new URL(server).host);
}

function isPassing(error: unknown): boolean {
  const status = (error as { status?: unknown }).status;
  return status === 429 || (typeof status === 'number' && status >= 500);
}

function notAllowed(cause: unknown): CliError {
  return new CliError('forbidden', 'this user may not read the namespace kube-system, whose UID names the cluster', {
    hint: 'grant `get` on that namespace, or pass --cluster-id with an id of your own.',
    exitCode: EXIT.forbidden,
    cause,
  });
}
