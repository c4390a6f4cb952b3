// Node objects for kwok to bring to life: named, addressed and labelled like the nodes of a small cloud region.
import { ControlPlaneError } from './control-plane-error.ts';
import type { HttpAnswer, HttpRequest } from './http-request.ts';
import { until } from './until.ts';

export interface NodeClient {
  request(path: string, request?: HttpRequest): Promise<HttpAnswer>;
}

export interface SimulatedNodes {
  readonly count: number;
  /** The number of the first; 0 unless given. */
  readonly first?: number;
  /** With a controller manager, which takes off the taint that every node begins with some time after it is Ready. */
  readonly untainted?: boolean;
}

/** Creates node-FIRST … and resolves with their names once all are Ready and, where asked for, may be given pods. */
export async function createSimulatedNodes(client: NodeClient, wanted: SimulatedNodes): Promise<string[]> {
  const { count, first = 0, untainted = false } = wanted;
  const names = Array.from({ length: count }, (_, index) => `node-${first + index}`);
  for (const [index, name] of names.entries()) {
    const answer = await client.request('/api/v1/nodes', { body: simulatedNode(name, first + index) });
    if (answer.status !== 201) throw new ControlPlaneError(`Node ${name} was not created: ${answer.body}`);
  }
  await until(`nodes ${names[0]} to ${names.at(-1)} are Ready`, async () => {
    const { items } = (await client.request('/api/v1/nodes')).json() as { items: NodeObject[] };
    const usable = (node: NodeObject) => isReady(node) && !(untainted && hasTaint(node));
    const ready = new Set(items.filter(usable).map((node) => node.metadata.name));
    return names.every((name) => ready.has(name));
  });
  return names;
}

interface NodeObject {
  metadata: { name: string };
  spec?: { taints?: unknown[] };
  status?: { conditions?: { type: string; status: string }[] };
}

function isReady(node: NodeObject): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

function hasTaint({ spec }: NodeObject): boolean {
  return (spec?.taints ?? []).length > 0;
}

function simulatedNode(name: string, index: number): unknown {
  const resources = { cpu: '32', memory: '256Gi', pods: '1000' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake', 'node.alpha.kubernetes.io/ttl': '0' },
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/zone': `zone-${'abc'[index % 3]}`,
        'node-role.kubernetes.io/agent': '',
        type: 'kwok',
      },
    },
    status: {
      capacity: resources,
      allocatable: resources,
      addresses: [
        { type: 'InternalIP', address: `10.0.${Math.floor(index / 250)}.${(index % 250) + 1}` },
        { type: 'Hostname', address: name },
      ],
    },
  };
}
