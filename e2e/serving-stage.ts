// The operator with its history API on a real control plane, reached by the real aggregator: the Service is one of type
// ExternalName that leads to this machine. Used by the serving tests.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
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

/** An endpoint may not be a loopback address; what is sent to this one does not leave the machine either. */
export function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((of) => of ?? []);
  const found = all.find(({ family, internal }) => family === 'IPv4' && !internal);
  assert.ok(found, 'this machine has no address beside loopback, and the endpoint of a Service needs one');
  return found.address;
}

/** The Service of the history API as the manifests have it, but that its endpoints are given to it. */
export async function withoutSelector(plane: ControlPlane): Promise<void> {
  const service = {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'podtrail-history', namespace: 'podtrail' } },
    spec: { ports: [{ name: 'https', port: 443, targetPort: 9444 }] },
  };
  await plane.kubectl(['-n', 'podtrail', 'delete', 'service', 'podtrail-history']);
  await plane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(service) });
}

/** Makes a replica on this machine an endpoint of a Service, as its pod would be. */
export async function addEndpoint(plane: ControlPlane, service: string, name: string, host: string, port: number) {
  const slice = {
    ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4' },
    metadata: {
      ...{ name: `${service}-${name}`, namespace: 'podtrail' },
      labels: { 'kubernetes.io/service-name': service },
    },
    ports: [{ name: 'https', port, protocol: 'TCP' }],
    endpoints: [{ addresses: [host], conditions: { ready: true } }],
  };
  await plane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(slice) });
}
