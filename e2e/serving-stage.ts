// The operator with its history API on a real control plane, reached by the real aggregator: the Service is one of type
// ExternalName that leads to this machine. Used by the serving tests.

import { freePort } from './controlplane/free-port.ts';
import { type ControlPlane, until } from './controlplane/index.ts';
import { OperatorReplica } from './operator-stage.ts';

export const HISTORY = 'history.podtrail.dev';
export const API_SERVICE = `v1.${HISTORY}`;

interface TestContext {
  after(done: () => Promise<unknown>): void;
}

export interface ServedHistory {
  readonly operator: OperatorReplica;
  /** Of the TLS server itself, beside the API server. */
  readonly port: number;
}

/** Once kubectl gets an answer. The manifests have been applied. */
export async function serveHistory(
  t: TestContext,
  plane: ControlPlane,
  name: string,
  options: { readonly words?: readonly string[]; readonly store?: string } = {},
): Promise<ServedHistory> {
  const port = await freePort();
  await leadServiceHere(plane);
  const words = [
    ...['--history', '--history-port', `${port}`, '--history-service-port', `${port}`, '--history-service-local'],
    ...(options.words ?? ['--no-conversion']),
  ];
  const operator = await OperatorReplica.start(t, plane, name, { ...options, words });
  await untilAvailable(plane);
  return { operator, port };
}

/** In place of the one of the manifests, which selects pods. */
async function leadServiceHere(plane: ControlPlane): Promise<void> {
  await plane.kubectl(['-n', 'podtrail', 'delete', 'service', 'podtrail-history', '--ignore-not-found']);
  const external = ['--external-name=localhost', '--tcp=443'];
  await plane.kubectl(['-n', 'podtrail', 'create', 'service', 'externalname', 'podtrail-history', ...external]);
}

export async function untilAvailable(plane: ControlPlane): Promise<void> {
  await until('the history API is available', async () => {
    const { status } = JSON.parse(await plane.kubectl(['get', 'apiservice', API_SERVICE, '-o', 'json']));
    const available = status?.conditions?.find(({ type }: { type: string }) => type === 'Available');
    if (available?.status === 'True') return true;
    throw new Error(available?.message);
  });
}
