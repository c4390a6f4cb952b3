// Everything of a cluster but its API server: nodes with kubelets, a scheduler, workload controllers, node lifecycle.
// All of it acts through the verbs of the API server, on virtual time, so that people can interfere as they would
// with a real cluster. `truth` is the only thing it knows that the API does not show.
import type { ClusterApi } from '../api/cluster-api.ts';
import { SeededRandom } from '../clock/random.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { AllocationOrder } from './address-pool.ts';
import { DaemonSetController } from './controllers/daemon-set-controller.ts';
import { DeploymentController } from './controllers/deployment-controller.ts';
import { JobController } from './controllers/job-controller.ts';
import { ReplicaSetController } from './controllers/replica-set-controller.ts';
import { StatefulSetController } from './controllers/stateful-set-controller.ts';
import type { WorkloadObject } from './controllers/workload-object.ts';
import { Drain, setCordon } from './drain.ts';
import { type EventLevel, EventLog } from './event-log.ts';
import { Fleet, type PodRange } from './fleet.ts';
import type { PodWorker } from './kubelet/pod-worker.ts';
import { type KubeletTimings, USUAL_TIMINGS } from './kubelet/timings.ts';
import { PodCollector } from './pod-collector.ts';
import { isLeaving, isReady, isTerminal, kubeTime, type PodObject } from './pod-object.ts';
import { type Population, populate } from './population.ts';
import { Scheduler } from './scheduler.ts';
import { TaintEviction } from './taint-eviction.ts';
import { TruthJournal } from './truth-journal.ts';
import { World } from './world.ts';

export interface SimulatedClusterOptions {
  readonly api: ClusterApi;
  readonly clock: VirtualClock;
  /** Decides everything that is left to chance. */
  readonly seed?: number;
  readonly nodes?: number;
  readonly nodePrefix?: string;
  /** Ranges for pods, the first family being the preferred one. By default IPv4 in /25s and IPv6 in /64s. */
  readonly podRanges?: readonly PodRange[];
  readonly nodeRanges?: readonly string[];
  readonly podsPerNode?: number;
  /** `next` like host-local, or `lowest`: the most reuse there can be. */
  readonly addressOrder?: AllocationOrder;
  readonly events?: EventLevel;
  readonly leases?: boolean;
  /** How often an unchanged node reports again; 0 never. */
  readonly nodeStatusEveryMs?: number;
  readonly timings?: Partial<KubeletTimings>;
  /** Of all nodes; `v1.36.3` unless said. Older ones report a pod's network later. */
  readonly kubeletVersion?: string;
  /** Closed tenures that the truth remembers; all by default. */
  readonly truthKept?: number;
  /** Ended pods beyond this many are collected, the oldest first. */
  readonly mostEndedPods?: number;
}

export type ScalableKind = 'deployments.apps' | 'statefulsets.apps';

export const DUAL_STACK_RANGES: readonly PodRange[] = [
  { cidr: '10.244.0.0/16', nodePrefix: 25 },
  { cidr: 'fd00:10:244::/48', nodePrefix: 64 },
];
const NODE_RANGES = ['172.18.0.0/16', 'fd00:18::/64'];
const KUBELET_VERSION = 'v1.36.3';
const NODE_STATUS_MS = 300_000;
const REBOOT_MS = 25_000;

export class SimulatedCluster {
  readonly truth: TruthJournal;
  readonly #world: World;
  readonly #fleet: Fleet;
  readonly #deployments: DeploymentController;
  readonly #statefulSets: StatefulSetController;
  readonly #daemonSets: DaemonSetController;
  readonly #jobs: JobController;
  readonly #replicaSets: ReplicaSetController;
  readonly #drains = new Map<string, Drain>();

  constructor(options: SimulatedClusterOptions) {
    const { api, clock, nodes = 3, podRanges = DUAL_STACK_RANGES } = options;
    const random = new SeededRandom(options.seed ?? 1);
    const events = new EventLog(api, clock, random.fork(), options.events ?? 'important');
    this.truth = new TruthJournal(options.truthKept === undefined ? {} : { keep: options.truthKept });
    this.#world = new World({ api, clock, random, events });
    this.#fleet = new Fleet(this.#world, this.truth, {
      podRanges,
      nodeRanges: options.nodeRanges ?? NODE_RANGES.slice(0, podRanges.length),
      namePrefix: options.nodePrefix ?? 'node-',
      mostPods: options.podsPerNode ?? 110,
      statusEveryMs: options.nodeStatusEveryMs ?? NODE_STATUS_MS,
      leases: options.leases ?? false,
      timings: { ...USUAL_TIMINGS, ...options.timings },
      order: options.addressOrder ?? 'next',
      kubeletVersion: options.kubeletVersion ?? KUBELET_VERSION,
    });
    new TaintEviction(this.#world);
    new PodCollector(this.#world, options.mostEndedPods ?? 500);
    new Scheduler(this.#world);
    this.#replicaSets = new ReplicaSetController(this.#world);
    this.#deployments = new DeploymentController(this.#world, this.#replicaSets);
    this.#statefulSets = new StatefulSetController(this.#world);
    this.#daemonSets = new DaemonSetController(this.#world);
    this.#jobs = new JobController(this.#world);
    for (let n = 0; n < nodes; n++) this.#fleet.add();
  }

  get clock(): VirtualClock {
    return this.#world.clock;
  }

  get api(): ClusterApi {
    return this.#world.api;
  }

  get nodeNames(): readonly string[] {
    return this.#fleet.names;
  }

  isNodeUp(node: string): boolean {
    return this.#fleet.isUp(node);
  }

  isCordoned(node: string): boolean {
    return this.#world.node(node)?.spec.unschedulable === true;
  }

  /** Pods as the API shows them. */
  pods(): Iterable<PodObject> {
    return this.#world.pods.all();
  }

  podsOn(node: string): Iterable<PodObject> {
    return this.#world.podsOn(node).values();
  }

  deployments(): Iterable<WorkloadObject> {
    return this.#deployments.deployments.all();
  }

  statefulSets(): Iterable<WorkloadObject> {
    return this.#statefulSets.sets.all();
  }

  /** Creates namespaces, services and workloads of about so many pods; time must pass for them to run. */
  populate(population: Population): void {
    populate(this.#world.api, this.#fleet.names.length, population);
  }

  /** All workloads have what they want, and nothing is coming or going but jobs. */
  get isSettled(): boolean {
    for (const pod of this.#world.pods.all()) {
      if (isTerminal(pod)) continue;
      if (isLeaving(pod) || !isReady(pod)) return false;
    }
    const wanting = [...this.#deployments.deployments.all(), ...this.#statefulSets.sets.all()];
    if (!wanting.every((one) => has(one, 'readyReplicas') === (one.spec.replicas ?? 1) && isObserved(one)))
      return false;
    return [...this.#daemonSets.sets.all()].every(
      (set) => isObserved(set) && has(set, 'desiredNumberScheduled') === has(set, 'numberReady'),
    );
  }

  addNode(): string {
    return this.#fleet.add();
  }

  /** The machine and its object are gone at once; its pods are collected about a minute later. */
  removeNode(node: string): void {
    this.#drains.get(node)?.callOff();
    this.#fleet.remove(node);
  }

  /** The node no longer reports: after about 50 s it is Unknown, after 5 minutes more its pods are deleted. */
  loseNode(node: string): void {
    this.#fleet.lose(node);
  }

  /** `rebooted`: sandboxes are gone and pods get new addresses; else it was only the network. */
  returnNode(node: string, rebooted = true): void {
    this.#fleet.bringBack(node, rebooted);
  }

  restartNode(node: string, downMs: number = REBOOT_MS): void {
    this.#fleet.lose(node);
    this.#world.clock.in(downMs, () => {
      if (this.#fleet.kubelet(node) !== undefined) this.#fleet.bringBack(node, true);
    });
  }

  drain(node: string, onDone: () => void = () => {}): Drain {
    this.#drains.get(node)?.callOff();
    const drain = new Drain(this.#world, node, onDone);
    this.#drains.set(node, drain);
    return drain;
  }

  cordon(node: string): void {
    setCordon(this.#world, node, true);
  }

  /** Also ends a drain that is still under way. */
  uncordon(node: string): void {
    this.#drains.get(node)?.callOff();
    this.#drains.delete(node);
    setCordon(this.#world, node, false);
  }

  /** As `kubectl rollout restart`: the template is stamped, so every pod is replaced. */
  rollout(namespace: string, name: string, kind: ScalableKind | 'daemonsets.apps' = 'deployments.apps'): void {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': kubeTime(this.#world.clock.now()) };
    this.#world.api.mergePatch(kind, namespace, name, { spec: { template: { metadata: { annotations } } } });
  }

  scale(namespace: string, name: string, replicas: number, kind: ScalableKind = 'deployments.apps'): void {
    this.#world.api.mergePatch(kind, namespace, name, { spec: { replicas } });
  }

  deletePod(namespace: string, name: string, gracePeriodSeconds?: number): void {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    this.#world.api.delete('pods', namespace, name, options);
  }

  /** False when the pod does not run: then nothing happens. */
  oom(namespace: string, name: string): boolean {
    return this.#worker(namespace, name)?.crash({ exitCode: 137, reason: 'OOMKilled' }) ?? false;
  }

  crash(namespace: string, name: string, exitCode = 1): boolean {
    return this.#worker(namespace, name)?.crash({ exitCode, reason: 'Error' }) ?? false;
  }

  /** The same pod, another address. */
  recreateSandbox(namespace: string, name: string): boolean {
    return this.#worker(namespace, name)?.recreateSandbox() ?? false;
  }

  evictByKubelet(namespace: string, name: string, resource = 'memory'): boolean {
    return this.#worker(namespace, name)?.evict(resource) ?? false;
  }

  /** Components no longer learn of anything; timers that are set stay set. */
  close(): void {
    this.#fleet.close();
    this.#world.close();
    for (const index of [this.#replicaSets.sets, this.#deployments.deployments, this.#statefulSets.sets]) index.close();
    for (const index of [this.#daemonSets.sets, this.#jobs.jobs]) index.close();
  }

  /** Undefined where the node is down: nothing can be done to it then. */
  #worker(namespace: string, name: string): PodWorker | undefined {
    const pod = this.#world.api.get('pods', namespace, name) as PodObject | undefined;
    const kubelet = this.#fleet.kubelet(pod?.spec.nodeName ?? '');
    return kubelet?.isUp === true ? kubelet.worker(pod!.metadata.uid) : undefined;
  }
}

function has(object: WorkloadObject, count: string): number {
  return Number(object.status?.[count] ?? 0);
}

function isObserved(object: WorkloadObject): boolean {
  return object.status?.['observedGeneration'] === object.metadata.generation;
}
