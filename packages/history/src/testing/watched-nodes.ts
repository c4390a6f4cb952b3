// A ledger whose observer watches pods and two nodes, for tests of what is concluded from kubelets: the nodes, a pod, and a
// kubelet that goes on writing. Seconds are those of the test ledger.
import type { Observation, ObservedNode } from '../observe/observation.ts';
import { aNode, aPod, type PodBuilder } from './observed-pod.ts';
import { at, TestLedger } from './test-ledger.ts';

export interface NodeStatus {
  readonly version?: string;
  readonly ready?: boolean;
  readonly bootID?: string;
  readonly podCIDRs?: readonly string[];
  readonly heartbeat?: number;
  readonly contents?: number;
}

/** A ready Node of kubelet 1.36 unless `said` differs. */
export function aKubeletNode(name: string, rv: number, said: NodeStatus = {}): ObservedNode {
  const { version = 'v1.36.3', ready = true, bootID = 'boot-1', podCIDRs = ['10.0.0.0/24'], heartbeat = 0 } = said;
  const condition = { type: 'Ready', status: ready ? 'True' : 'Unknown', lastHeartbeatTime: at(heartbeat) };
  const plain = aNode(name, rv, '192.168.0.1');
  const nodeInfo = { bootID, kubeletVersion: version };
  const contents = said.contents === undefined ? {} : { contents: said.contents };
  const status = { ...plain.status, conditions: [condition], nodeInfo, ...contents };
  return { ...plain, spec: { podCIDRs }, status };
}

/** A Lease is read when it was renewed, or when its node came to be in question. */
export function renewal(name: string, second: number, since = 30.5): Observation {
  return { kind: 'renewed', node: name, renewTime: at(second), at: at(Math.max(second, since)) };
}

/** Pods and nodes are watched from second 0; node-a and node-b are there. */
export async function watchingNodes(status: NodeStatus = {}): Promise<TestLedger> {
  const ledger = new TestLedger({ kind: 'cluster' }, undefined, undefined, ['Node']);
  await ledger.list(0, 'start');
  const other = { ...status, podCIDRs: ['10.0.1.0/24'] };
  const present = [aKubeletNode('node-a', 2, status), aKubeletNode('node-b', 3, other)].map((object) => ({
    kind: 'Node' as const,
    object,
  }));
  const rest = { reason: 'start', resourceVersion: '4', whole: true, goneUids: [], at: at(0) } as const;
  await ledger.observe({ kind: 'listed', resource: 'Node', present, ...rest });
  return ledger;
}

export const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(10)).startedAt(at(11)).readyAt(at(12)).atVersion(10);
export const busyPod = (second: number, version: number): PodBuilder =>
  aPod(`busy-${version}`)
    .withIp(`10.0.0.${100 + (version % 100)}`)
    .createdAt(at(second))
    .readyAt(at(second))
    .atVersion(version);

/** The kubelet of node-a writes something every second. */
export async function keepWriting(ledger: TestLedger, from: number, to: number, version: number): Promise<void> {
  for (let second = from; second <= to; second++)
    await ledger.see(second + 0.5, busyPod(second, version + second - from));
  await ledger.alive(to + 1);
}
