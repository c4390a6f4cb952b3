// Says where commands that ask would ask from here, and why: one line for each place, in their order.
import type { ClusterConfig } from '@podtrail/machinery';
import type { CommandEnv } from '../command-env.ts';
import { HISTORY_GROUP } from '../remote/cluster-asker.ts';
import { type PlaceOptions, placeOf } from '../remote/place.ts';
import { type Finding, found } from './finding.ts';

const WITHIN_MS = 10_000;

export async function checkAsking(options: PlaceOptions, commandEnv: CommandEnv): Promise<Finding[]> {
  const place = await placeOf(options, commandEnv).catch((cause: unknown) => ({ kind: 'failed' as const, cause }));
  const chosen =
    place.kind === 'store' ? place.by : place.kind === 'cluster' && place.by === 'flag' ? '--context' : place.kind;
  const line = (name: string, isChosen: boolean, detail: string) =>
    found(`asking: ${name}`, isChosen ? 'ok' : 'skipped', isChosen ? `${detail}: commands ask here` : detail);
  const store = place.kind === 'store' ? place.url : '';
  const { env } = commandEnv;
  const lines = [
    line('--store', chosen === '--store', options.store === undefined ? 'not given' : store),
    line('--server', chosen === 'server', options.server ?? 'not given'),
    line('PODTRAIL_STORE', chosen === 'PODTRAIL_STORE', env['PODTRAIL_STORE'] ? env['PODTRAIL_STORE'] : 'not set'),
    line(
      'default ledger',
      chosen === 'default',
      chosen === 'default'
        ? store
        : place.kind === 'nowhere' || chosen === 'cluster'
          ? 'there is none'
          : 'not looked for',
    ),
  ];
  if (place.kind === 'cluster') return [...lines, await checkHistory(place.config, commandEnv)];
  const name = 'asking: Kubernetes API';
  if (place.kind === 'store' || place.kind === 'server') return [...lines, found(name, 'skipped', 'not needed')];
  const { message } = place.cause as Error;
  const hint =
    'start `podtrail record`, or name a ledger with --store, a server with --server or a cluster with --context.';
  return [...lines, found(name, 'warning', message, hint)];
}

async function checkHistory(config: ClusterConfig, commandEnv: CommandEnv): Promise<Finding> {
  const name = 'asking: Kubernetes API';
  const { origin } = config;
  try {
    const client = await commandEnv.connect(config);
    try {
      await client.raw({ method: 'GET', path: `/apis/${HISTORY_GROUP}/v1` }, { timeoutMs: WITHIN_MS });
      return found(name, 'ok', `${origin} serves ${HISTORY_GROUP}: commands ask here`);
    } finally {
      await client.close();
    }
  } catch (error) {
    const hint = 'let the operator run with --history (docs/api-kubernetes.md), or ask a ledger with --store.';
    return found(name, 'warning', `${origin} does not serve ${HISTORY_GROUP}: ${(error as Error).message}`, hint);
  }
}
