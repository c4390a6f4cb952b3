// Lets a populated cluster live: rollouts, scalings, drains, nodes that die and come back, jobs, OOM kills, sandboxes
// that break. Each kind of thing happens at random, so far apart on average as its rate says. It does nothing that a
// person or a failing machine could not do; it is seeded, and never draws from the cluster's own chance.
import { ApiStatusError } from '../api/api-status-error.ts';
import type { ClusterApi } from '../api/cluster-api.ts';
import { SeededRandom } from '../clock/random.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { WorkloadObject } from './controllers/workload-object.ts';
import { EXIT_CODE, RUNS_FOR } from './kubelet/pod-plan.ts';
import { controllerOf, isLeaving, isTerminal, type PodObject } from './pod-object.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import { JOBS, type JobEntry } from './workload-catalogue.ts';

/** Mean milliseconds between two of a kind; what is not named does not happen. */
export interface ChurnRates {
  readonly rollout?: number;
  readonly scale?: number;
  readonly drain?: number;
  readonly nodeLoss?: number;
  readonly nodeRestart?: number;
  readonly nodeReplacement?: number;
  readonly job?: number;
  readonly oom?: number;
  readonly crash?: number;
  readonly sandbox?: number;
  readonly eviction?: number;
  readonly deletion?: number;
  readonly forcedDeletion?: number;
}

export type ChurnKind = keyof ChurnRates;

export interface ChurnOptions {
  readonly cluster: SimulatedCluster;
  readonly seed?: number;
  readonly rates: ChurnRates;
  /** The share of nodes that may be cordoned or down at once. */
  readonly mostNodesOut?: number;
  /** How long a node stays lost or, once drained, cordoned. */
  readonly outageMs?: readonly [least: number, most: number];
  /** How long finished jobs stay. */
  readonly jobKeptSeconds?: readonly [least: number, most: number];
  readonly onChurn?: (kind: ChurnKind, about: string) => void;
}

const MINUTE = 60_000;

/** A day of a cluster of about 2,000 pods that is lived in seconds: some 20,000 pods come and go. */
export const HISTORY_CHURN: ChurnRates = {
  rollout: 4 * MINUTE,
  scale: 10 * MINUTE,
  drain: 45 * MINUTE,
  nodeLoss: 150 * MINUTE,
  nodeRestart: 200 * MINUTE,
  nodeReplacement: 480 * MINUTE,
  job: 20_000,
  oom: 5 * MINUTE,
  crash: 10 * MINUTE,
  sandbox: 4 * MINUTE,
  eviction: 20 * MINUTE,
  deletion: 3 * MINUTE,
  forcedDeletion: 30 * MINUTE,
};

/** The same cluster watched by a person at real speed: there is always something to see. */
export const LIVE_CHURN: ChurnRates = {
  rollout: MINUTE,
  scale: 2 * MINUTE,
  drain: 4 * MINUTE,
  nodeLoss: 8 * MINUTE,
  nodeRestart: 12 * MINUTE,
  nodeReplacement: 30 * MINUTE,
  job: 4_000,
  oom: 40_000,
  crash: 90_000,
  sandbox: 25_000,
  eviction: 3 * MINUTE,
  deletion: 20_000,
  forcedDeletion: 4 * MINUTE,
};

/** For small clusters and proofs: something happens every few seconds, everything happens within minutes. */
export const VIOLENT_CHURN: ChurnRates = {
  rollout: 40_000,
  scale: 30_000,
  drain: 150_000,
  nodeLoss: 180_000,
  nodeRestart: 120_000,
  nodeReplacement: 300_000,
  job: 5_000,
  oom: 25_000,
  crash: 25_000,
  sandbox: 15_000,
  eviction: 40_000,
  deletion: 10_000,
  forcedDeletion: 30_000,
};

export class ChurnDriver {
  readonly #cluster: SimulatedCluster;
  readonly #clock: VirtualClock;
  readonly #api: ClusterApi;
  readonly #random: SeededRandom;
  readonly #options: ChurnOptions;
  readonly #counts = new Map<ChurnKind, number>();
  /** The size a workload had when it was first scaled: later ones stay around it. */
  readonly #sizes = new Map<string, number>();
  readonly #out = new Set<string>();
  #rates: ChurnRates;
  #life = 0;

  constructor(options: ChurnOptions) {
    this.#options = options;
    this.#rates = options.rates;
    this.#cluster = options.cluster;
    this.#clock = options.cluster.clock;
    this.#api = options.cluster.api;
    this.#random = new SeededRandom(options.seed ?? 1);
  }

  /** From now on at these rates, if others are given. */
  start(rates: ChurnRates = this.#rates): void {
    this.#rates = rates;
    const life = ++this.#life;
    for (const [kind, mean] of Object.entries(rates) as [ChurnKind, number][]) this.#plan(kind, mean, life);
  }

  /** Nothing new happens; nodes that are out still come back. */
  stop(): void {
    this.#life++;
  }

  /** How often each kind of thing happened. */
  get counts(): ReadonlyMap<ChurnKind, number> {
    return this.#counts;
  }

  #plan(kind: ChurnKind, mean: number, life: number): void {
    this.#clock.in(Math.ceil(this.#random.waitFor(mean)), () => {
      if (life !== this.#life) return;
      const about = this.#try(kind);
      if (about !== undefined) {
        this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
        this.#options.onChurn?.(kind, about);
      }
      this.#plan(kind, mean, life);
    });
  }

  /** People do things to the cluster too: what they took away meanwhile is left alone. */
  #try(kind: ChurnKind): string | undefined {
    try {
      return this.#do(kind);
    } catch (error) {
      if (error instanceof ApiStatusError) return undefined;
      throw error;
    }
  }

  /** What it was done to; undefined when there was nothing to do it to. */
  #do(kind: ChurnKind): string | undefined {
    switch (kind) {
      case 'rollout':
        return this.#rollOut();
      case 'scale':
        return this.#scale();
      case 'drain':
        return this.#withNode((node) => this.#drain(node));
      case 'nodeLoss':
        return this.#withNode((node) => this.#lose(node));
      case 'nodeRestart':
        return this.#withNode((node) => this.#restart(node));
      case 'nodeReplacement':
        return this.#withNode((node) => this.#replace(node));
      case 'job':
        return this.#startJob();
      case 'oom':
        return this.#withPod((namespace, name) => this.#cluster.oom(namespace, name));
      case 'crash':
        return this.#withPod((namespace, name) => this.#cluster.crash(namespace, name));
      case 'sandbox':
        return this.#withPod((namespace, name) => this.#cluster.recreateSandbox(namespace, name));
      case 'eviction':
        return this.#withPod((namespace, name) => this.#cluster.evictByKubelet(namespace, name));
      case 'deletion':
        return this.#withPod((namespace, name) => this.#delete(namespace, name, undefined));
      case 'forcedDeletion':
        return this.#withPod((namespace, name) => this.#delete(namespace, name, 0));
    }
  }

  #rollOut(): string | undefined {
    const deployment = this.#random.pick([...this.#cluster.deployments()]);
    if (deployment === undefined) return undefined;
    const { namespace = '', name } = deployment.metadata;
    const image = `registry.sandbox.local/${name}:1.${this.#random.between(0, 40)}.${this.#random.between(0, 9)}`;
    const containers = deployment.spec.template.spec.containers.map((one, n) => (n === 0 ? { ...one, image } : one));
    this.#api.mergePatch('deployments.apps', namespace, name, { spec: { template: { spec: { containers } } } });
    return `${namespace}/${name}`;
  }

  #scale(): string | undefined {
    const workload = this.#random.pick<WorkloadObject>([
      ...this.#cluster.deployments(),
      ...this.#cluster.statefulSets(),
    ]);
    if (workload === undefined) return undefined;
    const { namespace = '', name, uid } = workload.metadata;
    const size = this.#sizes.get(uid) ?? workload.spec.replicas ?? 1;
    this.#sizes.set(uid, size);
    const replicas = Math.max(1, Math.round(size * (0.6 + 0.8 * this.#random.next())));
    if (replicas === workload.spec.replicas) return undefined;
    this.#cluster.scale(
      namespace,
      name,
      replicas,
      workload.kind === 'Deployment' ? 'deployments.apps' : 'statefulsets.apps',
    );
    return `${namespace}/${name}`;
  }

  #drain(node: string): void {
    this.#cluster.drain(node, () => this.#backAfterAWhile(node, () => this.#cluster.uncordon(node)));
  }

  #lose(node: string): void {
    this.#cluster.loseNode(node);
    const rebooted = this.#random.happens(0.6);
    this.#backAfterAWhile(node, () => this.#cluster.returnNode(node, rebooted));
  }

  #restart(node: string): void {
    const downMs = this.#random.between(10_000, 45_000);
    this.#cluster.restartNode(node, downMs);
    this.#clock.in(downMs + 1, () => this.#out.delete(node));
  }

  /** The machine is lost, given up after a while, and another one comes. */
  #replace(node: string): void {
    this.#cluster.loseNode(node);
    this.#backAfterAWhile(node, () => {
      this.#cluster.removeNode(node);
      this.#cluster.addNode();
    });
  }

  #backAfterAWhile(node: string, act: () => void): void {
    const [least, most] = this.#options.outageMs ?? [2 * MINUTE, 15 * MINUTE];
    this.#clock.in(this.#random.between(least, most), () => {
      this.#out.delete(node);
      if (this.#cluster.nodeNames.includes(node)) act();
    });
  }

  #startJob(): string | undefined {
    const known = JOBS.filter(({ namespace }) => this.#api.get('namespaces', undefined, namespace) !== undefined);
    const entry = this.#random.pick(known.length > 0 ? known : ANYWHERE);
    if (entry === undefined) return undefined;
    const [least, most] = this.#options.jobKeptSeconds ?? [60, 600];
    const name = this.#jobName(entry);
    const annotations = {
      [RUNS_FOR]: String(this.#random.between(entry.runs[0], entry.runs[1])),
      ...(this.#random.happens(0.06) ? { [EXIT_CODE]: '1' } : {}),
    };
    this.#api.create('jobs.batch', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace: entry.namespace, labels: { app: entry.name } },
      spec: {
        backoffLimit: 1,
        ttlSecondsAfterFinished: this.#random.between(least, most),
        template: {
          metadata: { labels: { app: entry.name }, annotations },
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: entry.name, image: `registry.sandbox.local/${entry.name}:2.1.0` }],
          },
        },
      },
    });
    return `${entry.namespace}/${name}`;
  }

  /** Numbered by the second, as a CronJob numbers by the minute; another driver may have taken the number. */
  #jobName({ namespace, name }: JobEntry): string {
    for (let number = Math.floor(this.#clock.now() / 1000); ; number++) {
      if (this.#api.get('jobs.batch', namespace, `${name}-${number}`) === undefined) return `${name}-${number}`;
    }
  }

  #delete(namespace: string, name: string, grace: number | undefined): boolean {
    this.#cluster.deletePod(namespace, name, grace);
    return true;
  }

  /** A pod of a workload that is neither over nor going; a few tries are enough. */
  #withPod(act: (namespace: string, name: string) => boolean): string | undefined {
    for (let n = 0; n < 4; n++) {
      const node = this.#random.pick(this.#cluster.nodeNames);
      const pods = node === undefined ? [] : [...this.#cluster.podsOn(node)].filter(isOrdinary);
      const pod = this.#random.pick(pods);
      if (pod === undefined || node === undefined || !this.#cluster.isNodeUp(node)) continue;
      const { namespace = '', name } = pod.metadata;
      if (act(namespace, name)) return `${namespace}/${name}`;
    }
    return undefined;
  }

  #withNode(act: (node: string) => void): string | undefined {
    const names = this.#cluster.nodeNames;
    const most = Math.max(1, Math.floor(names.length * (this.#options.mostNodesOut ?? 0.1)));
    if (this.#out.size >= most) return undefined;
    const node = this.#random.pick(
      names.filter((name) => !this.#out.has(name) && this.#cluster.isNodeUp(name) && !this.#cluster.isCordoned(name)),
    );
    if (node === undefined) return undefined;
    this.#out.add(node);
    act(node);
    return node;
  }
}

/** Where none of the catalogue's namespaces is there. */
const ANYWHERE: readonly JobEntry[] = [{ namespace: 'default', name: 'task', runs: [4, 30] }];

function isOrdinary(pod: PodObject): boolean {
  return !isTerminal(pod) && !isLeaving(pod) && controllerOf(pod)?.kind !== 'DaemonSet';
}
