// What happens to whole nodes while pods live on them, one at a time. Each leaves its node as it found it.
import { type ChurnWorld, NAMESPACE } from './churn-world.ts';

export type NodeEvent = (world: ChurnWorld, node: string) => Promise<void>;

export const NODE_EVENTS: Readonly<Record<string, NodeEvent>> = {
  'kubelet-restarted': async (world, name) => {
    const node = world.plane.realNodes.node(name);
    await node.stopKubelet(world.chance.next() < 0.5 ? 'SIGKILL' : 'SIGTERM');
    await node.startKubelet();
  },
  'containerd-restarted': async (world, name) => {
    const node = world.plane.realNodes.node(name);
    await node.stopContainerd(world.chance.next() < 0.5 ? 'SIGKILL' : 'SIGTERM');
    await world.pause(0, 2);
    await node.startContainerd();
  },
  drained: async (world, name) => {
    await cordon(world, name, true);
    for (const pod of await podsOn(world, name)) await world.evict(pod);
    await world.pause(8, 12);
    await cordon(world, name, false);
  },
  'kubelet-down': async (world, name) => {
    const node = world.plane.realNodes.node(name);
    await node.stopKubelet();
    await world.pause(2, 6);
    // Meanwhile pods are deleted that nobody stops.
    for (const pod of await podsOn(world, name)) {
      const chance = world.chance.next();
      if (chance < 0.35) await world.delete(pod, 0);
      else if (chance < 0.6) await world.delete(pod, 3);
    }
    await world.pause(15, 45);
    await node.startKubelet();
  },
  rebooted: async (world, name) => {
    const node = world.plane.realNodes.node(name);
    await node.crash();
    await world.pause(2, 12);
    await node.start();
  },
  /** Long enough for the control plane to give the node up and to delete its pods. */
  lost: async (world, name) => {
    const node = world.plane.realNodes.node(name);
    const off = world.chance.next() < 0.5;
    world.log({ what: off ? 'node switched off' : 'kubelet stopped', node: name });
    if (off) await node.crash();
    else await node.stopKubelet();
    await world.pause(45, 60);
    if (off) await node.start();
    else await node.startKubelet();
  },
  'node-deleted': async (world, name) => {
    const node = world.plane.realNodes.node(name);
    await node.stopKubelet();
    await world.pause(1, 3);
    await world.request(`/api/v1/nodes/${name}`, { method: 'DELETE' });
    await world.pause(25, 40);
    await node.startKubelet();
  },
  pressure: async (world, name) => {
    const node = world.plane.realNodes.node(name);
    await node.stopKubelet();
    await node.startKubelet({ pressed: true });
    await world.pause(20, 30);
    await node.stopKubelet();
    await node.startKubelet();
  },
};

/** One after the other in a drawn order, with calm between, until the world stops. Every node is Ready at the end. */
export async function failNodes(
  world: ChurnWorld,
  names: readonly string[],
  calmSeconds: readonly [number, number],
  say: (line: string) => void,
): Promise<void> {
  let waiting: string[] = [];
  const nodes = world.plane.realNodes.nodes.map((node) => node.name);
  while (!world.stopped && names.length > 0) {
    await world.pause(...calmSeconds);
    if (world.stopped) break;
    if (waiting.length === 0) waiting = shuffled(names, world);
    const name = waiting.pop() as string;
    const node = world.chance.pick(nodes);
    const at = Date.now();
    say(`${name}: ${node}`);
    await (NODE_EVENTS[name] as NodeEvent)(world, node);
    await world.plane.realNodes.ready(node).catch((error) => say(String(error)));
    world.log({ at, until: Date.now(), what: name, node });
  }
}

function shuffled(names: readonly string[], world: ChurnWorld): string[] {
  return names
    .map((name) => ({ name, order: world.chance.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ name }) => name);
}

async function cordon(world: ChurnWorld, node: string, unschedulable: boolean): Promise<void> {
  await world.request(`/api/v1/nodes/${node}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/merge-patch+json' },
    body: { spec: { unschedulable } },
  });
}

async function podsOn(world: ChurnWorld, node: string): Promise<{ name: string; uid: string }[]> {
  const path = `/api/v1/namespaces/${NAMESPACE}/pods?fieldSelector=spec.nodeName%3D${node}`;
  const { items } = (await world.request(path, {})).json() as { items: { metadata: { name: string; uid: string } }[] };
  return items.map(({ metadata }) => metadata);
}
