// Where one provocation happens: a namespace, and objects that no other provocation touches. Everything that it does to
// the cluster goes through plain requests.
import { type ControlPlane, type HttpAnswer, type HttpIdentity, until } from '../controlplane/index.ts';
import { PlayedKubelet } from './played-kubelet.ts';
import type { PodWatch, WatchedPod } from './pod-watch.ts';
import type { HitNode, RealGround } from './real/real-ground.ts';

export interface SceneSetup {
  readonly plane: ControlPlane;
  readonly pods: PodWatch;
  readonly namespace: string;
  /** Unique in the cluster. */
  readonly name: string;
  readonly makeNode: () => Promise<string>;
  readonly makePlayedNode: (name: string) => Promise<AsyncDisposable>;
  /** Where workloads run that no node is named for. */
  readonly pool?: Pool;
  /** If the nodes are real ones. */
  readonly ground?: RealGround;
}

/** Nodes that any workload may use; nobody drains, taints or deletes them. */
export interface Pool {
  readonly nodes: number;
  readonly selector: Readonly<Record<string, string>>;
  /** Of pods: what runs there. */
  readonly spec: { readonly containers: readonly object[]; readonly [field: string]: unknown };
}

export interface WorkloadOptions {
  readonly replicas?: number;
  /** A node of its own; pods may go elsewhere when it is closed to them. */
  readonly node?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Of the workload itself. */
  readonly spec?: object;
  /** Of its pods, beside what the pool gives them. */
  readonly podSpec?: object;
  /** Its pods stay when they are deleted, until `release`. */
  readonly isHeld?: boolean;
}

/** Keeps an object that is to be deleted. */
const HOLD = 'podtrail.dev/hold';

export const SHARED = { 'podtrail.dev/pool': 'shared' };

export const KWOK_POOL: Pool = {
  ...{ nodes: 3, selector: SHARED },
  spec: {
    containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }],
    terminationGracePeriodSeconds: 5,
  },
};
type Kind = 'deployments' | 'statefulsets' | 'daemonsets';

export class Scene {
  readonly namespace: string;
  readonly name: string;
  readonly pods: PodWatch;
  readonly kubelet: PlayedKubelet;
  readonly pool: Pool;
  readonly #setup: SceneSetup;
  readonly #left = new AsyncDisposableStack();

  constructor(setup: SceneSetup) {
    this.#setup = setup;
    this.namespace = setup.namespace;
    this.name = setup.name;
    this.pods = setup.pods;
    this.pool = setup.pool ?? KWOK_POOL;
    this.kubelet = new PlayedKubelet(this);
  }

  /** A node that only this scene uses. */
  async node(): Promise<string> {
    return this.#setup.ground === undefined ? await this.#setup.makeNode() : (await this.realNode()).name;
  }

  /** A real node that only this scene uses, until the scene is over: whatever happens to it is made good then. */
  async realNode(): Promise<HitNode> {
    return this.#left.use(await this.ground.take());
  }

  get ground(): RealGround {
    if (this.#setup.ground === undefined) throw new Error('this run has no real nodes');
    return this.#setup.ground;
  }

  /** Simulated pods cost nothing and stay; those of real nodes go. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#setup.ground?.clear(this.namespace, this.#left);
  }

  /** A node whose kubelet is played: ready, with a Lease that is renewed until it is disposed of. */
  playedNode(name = `played-${this.name}`): Promise<AsyncDisposable> {
    return this.#setup.makePlayedNode(name);
  }

  async kubectl(...args: string[]): Promise<void> {
    await this.#setup.plane.kubectl(args);
  }

  /** `kubectl edit`, with a program that replaces one text by another. */
  async kubectlEdit(object: string, from: string, to: string): Promise<void> {
    const environment = { KUBE_EDITOR: `sed -i 's/${from}/${to}/'` };
    await this.#setup.plane.kubectl(['-n', this.namespace, 'edit', object], { environment });
  }

  /** One of them, another one in each scene. */
  pick<T>(items: readonly T[]): T {
    const number = Number(/\d+$/.exec(this.name)?.[0] ?? 0);
    return items[(number * 7) % items.length] as T;
  }

  async post(path: string, body: object): Promise<HttpAnswer> {
    return await this.#send('POST', path, body);
  }

  async patch(path: string, body: object, type: 'merge' | 'strategic' = 'merge'): Promise<HttpAnswer> {
    return await this.#send('PATCH', path, body, { 'Content-Type': `application/${PATCHES[type]}` });
  }

  async remove(path: string, options: object = {}): Promise<HttpAnswer> {
    return await this.#send('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', ...options });
  }

  async gone(path: string): Promise<void> {
    const isGone = async () => (await this.#setup.plane.request(path)).status === 404;
    await until(`${path} is gone`, isGone, { withinMs: 60_000, everyMs: 100 });
  }

  pathOf(resource: string, name = this.name, group = '/api/v1'): string {
    return `${group}/namespaces/${this.namespace}/${resource}${name === '' ? '' : `/${name}`}`;
  }

  podPath({ metadata }: WatchedPod): string {
    return `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
  }

  workload(kind: Kind): string {
    return this.pathOf(kind, this.name, '/apis/apps/v1');
  }

  /** Creates it and resolves with its pods once all of them run. */
  async deployment(options: WorkloadOptions = {}): Promise<WatchedPod[]> {
    return await this.#workload('Deployment', 'deployments', options);
  }

  async statefulSet(options: WorkloadOptions = {}): Promise<WatchedPod[]> {
    return await this.#workload('StatefulSet', 'statefulsets', {
      ...options,
      spec: { serviceName: 'none', ...options.spec },
    });
  }

  /** One pod on each shared node, or on those with other labels. */
  async daemonSet(
    nodes = this.pool.nodes,
    nodeSelector: Readonly<Record<string, string>> = this.pool.selector,
    spec: object = {},
  ): Promise<WatchedPod[]> {
    return await this.#workload('DaemonSet', 'daemonsets', { replicas: nodes, nodeSelector, spec });
  }

  /** Resolves with its UID. */
  async job(node: string | undefined, spec: object = {}, ownerReferences: readonly object[] = []): Promise<string> {
    const template = { metadata: this.#labelled(), spec: this.podSpec(node) };
    const made = await this.post(this.pathOf('jobs', '', '/apis/batch/v1'), {
      ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: this.name, ownerReferences } },
      spec: { template, backoffLimit: 0, ...spec },
    });
    return made.json().metadata.uid as string;
  }

  /** Of a pod that is not started again. */
  podSpec(node: string | undefined): object {
    const placed = node === undefined ? { nodeSelector: this.pool.selector } : { nodeName: node };
    return { ...placed, restartPolicy: 'Never', ...this.pool.spec };
  }

  /** A pod without an owner, once it runs. */
  async pod(spec: object = {}, node?: string): Promise<WatchedPod> {
    const nodeSelector = node === undefined ? this.pool.selector : { 'kubernetes.io/hostname': node };
    await this.post(this.pathOf('pods', ''), {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: this.name, ...this.#labelled() } },
      spec: { nodeSelector, ...this.pool.spec, ...spec },
    });
    const [pod] = await this.running(1);
    return pod as WatchedPod;
  }

  /** A pod on a node whose kubelet is played, before that has said anything about it. */
  async boundPod(node: string, spec: object = {}): Promise<WatchedPod> {
    await this.post(this.pathOf('pods', ''), {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: this.name, ...this.#labelled() } },
      spec: { nodeName: node, ...this.pool.spec, ...spec },
    });
    return await this.appeared();
  }

  /** The same, once it runs. */
  async playedPod(node: string, spec: object = {}): Promise<WatchedPod> {
    const pod = await this.boundPod(node, spec);
    await this.kubelet.runs(pod, '10.9.0.8');
    return pod;
  }

  /** Once exactly so many of its pods run, and none is ending. */
  running(count: number): Promise<WatchedPod[]> {
    return this.pods.until(`${count} pods of ${this.name} run`, (all) => {
      const own = all.filter((pod) => this.#isOwn(pod) && !isEnding(pod));
      return own.length === count && own.every(({ status }) => status.phase === 'Running') ? own : undefined;
    });
  }

  /** So many of its pods, as soon as they are there, whatever they are. */
  present(count: number): Promise<WatchedPod[]> {
    return this.pods.until(`${count} pods of ${this.name} are there`, (all) => {
      const own = all.filter((pod) => this.#isOwn(pod) && !isEnding(pod));
      return own.length === count ? own : undefined;
    });
  }

  /** Its first pod, as soon as it is there. */
  appeared(): Promise<WatchedPod> {
    return this.pods.until(`a pod of ${this.name} is there`, (all) => all.find((pod) => this.#isOwn(pod)));
  }

  /** Once all of them have begun to end, or are gone. */
  async ended(...pods: readonly WatchedPod[]): Promise<Ended> {
    const uids = pods.map(({ metadata }) => metadata.uid);
    const names = pods.map(({ metadata }) => metadata.name).join(', ');
    await this.pods.until(`${names} end`, (all) => {
      const going = all.filter(({ metadata }) => uids.includes(metadata.uid));
      return going.every(isEnding) ? true : undefined;
    });
    return { uids };
  }

  /** Once it has failed or succeeded; a pod may still be running for a while after its end was decided. */
  async terminal(pod: WatchedPod): Promise<Ended> {
    const { uid, name } = pod.metadata;
    await this.pods.until(`${name} is terminal`, (all) =>
      all.find(({ metadata, status }) => metadata.uid === uid && TERMINAL.has(status.phase)),
    );
    return { uids: [uid] };
  }

  /** One of them has begun to end. */
  async oneEnded(pods: readonly WatchedPod[]): Promise<Ended> {
    const uids = pods.map(({ metadata }) => metadata.uid);
    const uid = await this.pods.until(`one pod of ${this.name} ends`, (all) =>
      uids.find((one) => all.every((pod) => pod.metadata.uid !== one || isEnding(pod))),
    );
    return { uids: [uid] };
  }

  /** As many as that of them have begun to end, or are gone. */
  async someEnded(pods: readonly WatchedPod[], count: number): Promise<Ended> {
    const uids = pods.map(({ metadata }) => metadata.uid);
    return await this.pods.until(`${count} pods of ${this.name} end`, (all) => {
      const ended = uids.filter((one) => all.every((pod) => pod.metadata.uid !== one || isEnding(pod)));
      return ended.length >= count ? { uids: ended } : undefined;
    });
  }

  /** It stays when it is deleted, until `release`; pods that take its place are not held. */
  async hold(pod: WatchedPod): Promise<void> {
    await this.patch(this.podPath(pod), { metadata: { finalizers: [HOLD] } });
  }

  /** A pod that is held may go. */
  async release(pod: WatchedPod): Promise<void> {
    const path = this.podPath(pod);
    const answer = await this.#setup.plane.request(path, {
      method: 'PATCH',
      body: { metadata: { finalizers: null } },
      headers: { 'Content-Type': `application/${PATCHES.merge}` },
    });
    if (answer.status >= 400 && answer.status !== 404) throw new Error(`${path} is held: ${answer.body}`);
  }

  /** An Event about a pod or a node, as a program of that name writes it. */
  async says(about: object, component: string, reason: string, message: string): Promise<void> {
    const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    await this.post(this.pathOf('events', ''), {
      ...{
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { generateName: `${this.name}.` },
        type: 'Normal',
        reason,
        message,
      },
      ...{ involvedObject: about, source: { component }, reportingComponent: component },
      ...{ firstTimestamp: at, lastTimestamp: at, count: 1 },
    });
  }

  /** As the administrator, or as a program with this account, which may do everything. */
  async evict(pod: WatchedPod, account?: string): Promise<void> {
    const { name, namespace } = pod.metadata;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    const identity = account === undefined ? {} : this.#identityOf(account);
    await this.#send('POST', `${this.podPath(pod)}/eviction`, eviction, {}, identity);
  }

  #identityOf(account: string): HttpIdentity {
    const subject = { commonName: account, organizations: ['system:masters'] };
    return this.#setup.plane.pki.cluster.issue({ subject, usage: 'client' });
  }

  async #workload(kind: string, resource: Kind, options: WorkloadOptions): Promise<WatchedPod[]> {
    const { replicas = 1, node, nodeSelector = this.pool.selector } = options;
    const placed = node === undefined ? { nodeSelector } : placement(node, this.pool.selector);
    const held = options.isHeld === true ? { finalizers: [HOLD] } : {};
    const metadata = { ...this.#labelled(), ...held };
    const template = { metadata, spec: { ...this.pool.spec, ...placed, ...options.podSpec } };
    const own = { selector: { matchLabels: { scene: this.name } }, template, ...options.spec };
    await this.post(this.pathOf(resource, '', '/apis/apps/v1'), {
      ...{ apiVersion: 'apps/v1', kind, metadata: { name: this.name } },
      spec: kind === 'DaemonSet' ? own : { replicas, ...own },
    });
    return await this.running(replicas);
  }

  #labelled(): object {
    return { labels: { scene: this.name } };
  }

  #isOwn({ metadata }: WatchedPod): boolean {
    return metadata.labels?.['scene'] === this.name;
  }

  /** As the administrator unless another identity is given. */
  async #send(
    method: string,
    path: string,
    body: object,
    headers: Record<string, string> = {},
    identity: HttpIdentity = {},
  ): Promise<HttpAnswer> {
    const answer = await this.#setup.plane.request(path, { method, body, headers, ...identity });
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return answer;
  }
}

export interface Ended {
  readonly uids: readonly string[];
}

const PATCHES = { merge: 'merge-patch+json', strategic: 'strategic-merge-patch+json' } as const;

const TERMINAL = new Set(['Failed', 'Succeeded']);

function isEnding({ metadata, status }: WatchedPod): boolean {
  return metadata.deletionTimestamp !== undefined || TERMINAL.has(status.phase);
}

/** On its own node if possible, else in the pool. */
function placement(node: string, pool: Pool['selector']): object {
  const is = (key: string, value: string) => ({ matchExpressions: [{ key, operator: 'In', values: [value] }] });
  const own = is('kubernetes.io/hostname', node);
  const shared = Object.entries(pool).map(([key, value]) => is(key, value));
  return {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [own, ...shared] },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: own }],
      },
    },
  };
}
