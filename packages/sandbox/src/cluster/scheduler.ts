// The scheduler: binds pods that have no node to the fitting node with the fewest pods, and says why where none fits.
// It knows selectors, required node affinity, taints, cordons, room for pods, CPU and memory, and host ports.
import { ownField } from '../store/own-field.ts';
import { type NodeObject, UNSCHEDULABLE } from './node-object.ts';
import { controllerOf, isLeaving, isTerminal, kubeTime, type NodeRequirement, type PodObject } from './pod-object.ts';
import { quantity } from './quantity.ts';
import { toleratesAll } from './tolerations.ts';
import { WorkKeys } from './work-keys.ts';
import type { World } from './world.ts';

interface Room {
  pods: number;
  cpu: number;
  memory: number;
  readonly hostPorts: Map<string, number>;
  /** How many pods of each owner: pods of one workload are spread. */
  readonly owners: Map<string, number>;
}

interface Wish {
  readonly cpu: number;
  readonly memory: number;
  readonly hostPorts: readonly string[];
}

const RETRY_MS = 5_000;

export class Scheduler {
  readonly #world: World;
  readonly #rooms = new Map<string, Room>();
  readonly #pending = new Set<string>();
  readonly #keys: WorkKeys;
  readonly #retries: WorkKeys;

  constructor(world: World) {
    this.#world = world;
    this.#keys = new WorkKeys(world.clock, 25, (uid) => this.#schedule(uid));
    this.#retries = new WorkKeys(world.clock, RETRY_MS, () => {
      for (const uid of this.#pending) this.#keys.add(uid);
    });
    for (const pod of world.pods.all()) this.#seen(pod, undefined);
    world.pods.follow((type, pod, previous) => {
      if (type === 'DELETED') this.#gone(pod, previous ?? pod);
      else this.#seen(pod, previous);
    });
    world.nodes.follow(() => {
      if (this.#pending.size > 0) this.#retries.add('all', 200);
    });
  }

  #seen(pod: PodObject, previous: PodObject | undefined): void {
    const node = pod.spec.nodeName;
    if (!node) {
      if (previous === undefined) this.#keys.add(pod.metadata.uid);
      return;
    }
    const took = previous?.spec.nodeName !== undefined && !isTerminal(previous);
    const takes = !isTerminal(pod);
    if (takes && !took) this.#change(node, pod, 1);
    else if (took && !takes) this.#free(node, pod);
    if (!previous?.spec.nodeName) this.#pending.delete(pod.metadata.uid);
  }

  #gone(pod: PodObject, last: PodObject): void {
    this.#pending.delete(pod.metadata.uid);
    if (last.spec.nodeName && !isTerminal(last)) this.#free(last.spec.nodeName, last);
  }

  #free(node: string, pod: PodObject): void {
    this.#change(node, pod, -1);
    if (this.#pending.size > 0) this.#retries.add('all', 500);
  }

  #schedule(uid: string): void {
    const pod = this.#world.pods.get(uid);
    if (pod === undefined || pod.spec.nodeName || isLeaving(pod)) {
      this.#pending.delete(uid);
      return;
    }
    const wish = wishOf(pod);
    const objections = new Map<string, number>();
    const best = this.#best(pod, wish, objections);
    const { namespace = '', name } = pod.metadata;
    if (best === undefined) {
      this.#refuse(pod, objections);
      return;
    }
    this.#pending.delete(uid);
    this.#world.attempt(() => this.#world.api.bind(namespace, name, best));
    const message = `Successfully assigned ${namespace}/${name} to ${best}`;
    this.#world.events.tell({
      about: pod,
      type: 'Normal',
      reason: 'Scheduled',
      message,
      component: 'default-scheduler',
    });
  }

  #best(pod: PodObject, wish: Wish, objections: Map<string, number>): string | undefined {
    let best: string | undefined;
    const owner = controllerOf(pod)?.uid ?? '';
    let bestScore = Number.POSITIVE_INFINITY;
    for (const node of this.#world.nodes.all()) {
      const objection = this.#objection(pod, wish, node);
      if (objection !== undefined) {
        objections.set(objection, (objections.get(objection) ?? 0) + 1);
        continue;
      }
      const room = this.#room(node.metadata.name);
      const score = room.pods + 3 * (room.owners.get(owner) ?? 0) + this.#world.random.next();
      if (score < bestScore) {
        bestScore = score;
        best = node.metadata.name;
      }
    }
    return best;
  }

  #objection(pod: PodObject, wish: Wish, node: NodeObject): string | undefined {
    const tolerations = pod.spec.tolerations ?? [];
    const { unschedulable, taints = [] } = node.spec;
    if (unschedulable === true && !toleratesAll(tolerations, [{ key: UNSCHEDULABLE, effect: 'NoSchedule' }])) {
      return 'node(s) were unschedulable';
    }
    const barring = taints.filter(({ effect }) => effect !== 'PreferNoSchedule');
    if (barring.length > 0 && !toleratesAll(tolerations, barring)) return 'node(s) had untolerated taint(s)';
    if (!wantsNode(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
    const room = this.#room(node.metadata.name);
    const { allocatable } = node.status;
    if (room.pods + 1 > quantity(allocatable?.['pods'] ?? '110')) return 'Too many pods';
    if (wish.cpu > 0 && room.cpu + wish.cpu > quantity(allocatable?.['cpu'])) return 'Insufficient cpu';
    if (wish.memory > 0 && room.memory + wish.memory > quantity(allocatable?.['memory'])) return 'Insufficient memory';
    if (wish.hostPorts.some((port) => room.hostPorts.has(port))) {
      return "node(s) didn't have free ports for the requested pod ports";
    }
    return undefined;
  }

  #refuse(pod: PodObject, objections: ReadonlyMap<string, number>): void {
    const { uid } = pod.metadata;
    const already = this.#pending.has(uid);
    this.#pending.add(uid);
    this.#retries.add('all');
    const reasons = [...objections].map(([text, count]) => `${count} ${text}`).sort();
    const message = `0/${this.#world.nodes.size} nodes are available: ${reasons.join(', ')}.`;
    const before = pod.status.conditions ?? [];
    const last = before.find(({ type }) => type === 'PodScheduled');
    if (already && last?.message === message) return;
    const condition = {
      type: 'PodScheduled',
      status: 'False' as const,
      reason: 'Unschedulable',
      message,
      lastProbeTime: null,
      lastTransitionTime: last?.status === 'False' ? last.lastTransitionTime : kubeTime(this.#world.clock.now()),
    };
    const conditions = [...before.filter(({ type }) => type !== 'PodScheduled'), condition];
    const status = { ...pod.status, conditions };
    this.#world.attempt(() => this.#world.api.update('pods', { ...pod, status }, 'status'));
    this.#world.events.tell({
      about: pod,
      type: 'Warning',
      reason: 'FailedScheduling',
      message,
      component: 'default-scheduler',
    });
  }

  #change(node: string, pod: PodObject, by: 1 | -1): void {
    const room = this.#room(node);
    const wish = wishOf(pod);
    room.pods += by;
    room.cpu += by * wish.cpu;
    room.memory += by * wish.memory;
    for (const port of wish.hostPorts) count(room.hostPorts, port, by);
    const owner = controllerOf(pod);
    if (owner !== undefined) count(room.owners, owner.uid, by);
  }

  #room(node: string): Room {
    let room = this.#rooms.get(node);
    if (room === undefined) {
      room = { pods: 0, cpu: 0, memory: 0, hostPorts: new Map(), owners: new Map() };
      this.#rooms.set(node, room);
    }
    return room;
  }
}

function count(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const left = (counts.get(key) ?? 0) + by;
  if (left === 0) counts.delete(key);
  else counts.set(key, left);
}

const wishes = new WeakMap<object, Wish>();

/** Specs are frozen and shared between versions, so the wish of one is worked out once. */
function wishOf(pod: PodObject): Wish {
  const { containers } = pod.spec;
  let wish = wishes.get(containers);
  if (wish === undefined) {
    const requests = containers.map(({ resources }) => resources?.requests ?? {});
    wish = {
      cpu: requests.reduce((sum, request) => sum + quantity(request['cpu']), 0),
      memory: requests.reduce((sum, request) => sum + quantity(request['memory']), 0),
      hostPorts: hostPortsOf(pod),
    };
    wishes.set(containers, wish);
  }
  return wish;
}

function hostPortsOf(pod: PodObject): string[] {
  const ports = pod.spec.containers.flatMap(({ ports = [] }) => ports);
  const taken = ports.map(({ hostPort, containerPort, protocol = 'TCP' }) => ({
    port: hostPort ?? (pod.spec.hostNetwork === true ? containerPort : undefined),
    protocol,
  }));
  return taken.filter(({ port }) => port !== undefined).map(({ port, protocol }) => `${port}/${protocol}`);
}

/** The node selector and the required affinity of a pod. */
export function wantsNode(pod: Pick<PodObject, 'spec'>, node: NodeObject): boolean {
  const labels = node.metadata.labels ?? {};
  const { nodeSelector, affinity } = pod.spec;
  for (const [key, value] of Object.entries(nodeSelector ?? {})) if (ownField(labels, key) !== value) return false;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined) return true;
  return terms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.every((one) => meets(ownField(labels, one.key) as string | undefined, one)) &&
      matchFields.every((one) => meets(one.key === 'metadata.name' ? node.metadata.name : undefined, one)),
  );
}

function meets(value: string | undefined, { operator, values = [] }: NodeRequirement): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return Number(value) > Number(values[0]);
    case 'Lt':
      return Number(value) < Number(values[0]);
    default:
      return false;
  }
}
