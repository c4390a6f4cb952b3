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

interface Requests {
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
    const request = requestsOf(pod);
    const objections = new Map<string, number>();
    const best = this.#best(pod, request, objections);
    const { namespace = '', name } = pod.metadata;
    if (best === undefined) {
      this.#refuse(pod, objections);
      return;
    }
    this.#pending.delete(uid);
    this.#world.attempt(() => this.#world.api.bind(namespace, name, best));
    const message = `Successfully assigned ${namespace}/${name} to ${best}`;
    this.#world.events.record({
      about: pod,
      type: 'Normal',
      reason: 'Scheduled',
      message,
      component: 'default-scheduler',
    });
  }

  #best(pod: PodObject, request: Requests, objections: Map<string, number>): string | undefined {
    let best: string | undefined;
    const owner = controllerOf(pod)?.uid ?? '';
    let bestScore = Number.POSITIVE_INFINITY;
    for (const node of this.#world.nodes.all()) {
      const objection = this.#objection(pod, request, node);
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

  #objection(pod: PodObject, request: Requests, node: NodeObject): string | undefined {
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
    if (request.cpu > 0 && room.cpu + request.cpu > quantity(allocatable?.['cpu'])) return 'Insufficient cpu';
    if (request.memory > 0 && room.memory + request.memory > quantity(allocatable?.['memory']))
      return 'Insufficient memory';
    if (request.hostPorts.some((port) => room.hostPorts.has(port))) {
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
    this.#world.events.record({
      about: pod,
      type: 'Warning',
      reason: 'FailedScheduling',
      message,
      component: 'default-scheduler',
    });
  }

  #change(node: string, pod: PodObject, by: 1 | -1): void {
    const room = this.#room(node);
    const request = requestsOf(pod);
    room.pods += by;
    room.cpu += by * request.cpu;
    room.memory += by * request.memory;
    for (const port of request.hostPorts) count(room.hostPorts, port, by);
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

const known = new WeakMap<object, Requests>();

/** Specs are frozen and shared between versions, so the requests of one are worked out once. */
function requestsOf(pod: PodObject): Requests {
  const { containers } = pod.spec;
  let request = known.get(containers);
  if (request === undefined) {
    const requests = containers.map(({ resources }) => resources?.requests ?? {});
    request = {
      cpu: requests.reduce((sum, request) => sum + quantity(request['cpu']), 0),
      memory: requests.reduce((sum, request) => sum + quantity(request['memory']), 0),
      hostPorts: hostPortsOf(pod),
    };
    known.set(containers, request);
  }
  return request;
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
