// Where one provocation happens: a namespace, and objects that no other provocation touches. Everything that it does to
// the cluster goes through plain requests.
import type { ControlPlane, HttpAnswer } from '../controlplane/index.ts';
import { PlayedKubelet } from './played-kubelet.ts';
import type { PodWatch, WatchedPod } from './pod-watch.ts';

export interface SceneSetup {
  readonly plane: ControlPlane;
  readonly pods: PodWatch;
  readonly namespace: string;
  /** Unique in the cluster. */
  readonly name: string;
  readonly makeNode: () => Promise<string>;
  readonly makePlayedNode: (name: string) => Promise<AsyncDisposable>;
}

export interface WorkloadOptions {
  readonly replicas?: number;
  /** A node of its own; pods may go elsewhere when it is closed to them. */
  readonly node?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

/** Nodes that any workload may use; nobody drains, taints or deletes them. */
export const SHARED = { 'podtrail.dev/pool': 'shared' };

const CONTAINERS = {
  containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }],
  terminationGracePeriodSeconds: 5,
};
type Kind = 'deployments' | 'statefulsets' | 'daemonsets';

export class Scene {
  readonly namespace: string;
  readonly name: string;
  readonly pods: PodWatch;
  readonly kubelet: PlayedKubelet;
  readonly #setup: SceneSetup;

  constructor(setup: SceneSetup) {
    this.#setup = setup;
    this.namespace = setup.namespace;
    this.name = setup.name;
    this.pods = setup.pods;
    this.kubelet = new PlayedKubelet(this);
  }

  /** A kwok node that only this scene uses. */
  node(): Promise<string> {
    return this.#setup.makeNode();
  }

  /** A node whose kubelet is played: ready, with a Lease that is renewed until it is disposed of. */
  playedNode(name = `played-${this.name}`): Promise<AsyncDisposable> {
    return this.#setup.makePlayedNode(name);
  }

  async kubectl(...args: string[]): Promise<void> {
    await this.#setup.plane.kubectl(args);
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
    return await this.#workload('StatefulSet', 'statefulsets', { ...options, spec: { serviceName: 'none' } });
  }

  /** One pod on each shared node, or on those with other labels. */
  async daemonSet(nodes: number, nodeSelector: Readonly<Record<string, string>> = SHARED): Promise<WatchedPod[]> {
    return await this.#workload('DaemonSet', 'daemonsets', { replicas: nodes, nodeSelector });
  }

  async job(node: string | undefined, spec: object = {}): Promise<void> {
    const placed = node === undefined ? { nodeSelector: SHARED } : { nodeName: node };
    const template = { metadata: this.#labelled(), spec: { ...placed, restartPolicy: 'Never', ...CONTAINERS } };
    await this.post(this.pathOf('jobs', '', '/apis/batch/v1'), {
      ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: this.name } },
      spec: { template, backoffLimit: 0, ...spec },
    });
  }

  /** A pod without an owner, once it runs. */
  async pod(spec: object = {}, node?: string): Promise<WatchedPod> {
    const placed = node === undefined ? { nodeSelector: SHARED } : { nodeSelector: { 'kubernetes.io/hostname': node } };
    await this.post(this.pathOf('pods', ''), {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: this.name, ...this.#labelled() } },
      spec: { ...placed, ...CONTAINERS, ...spec },
    });
    const [pod] = await this.running(1);
    return pod as WatchedPod;
  }

  /** A pod on a node whose kubelet is played, before that has said anything about it. */
  async boundPod(node: string, spec: object = {}): Promise<WatchedPod> {
    await this.post(this.pathOf('pods', ''), {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: this.name, ...this.#labelled() } },
      spec: { nodeName: node, ...CONTAINERS, ...spec },
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

  /** One of them has begun to end. */
  async oneEnded(pods: readonly WatchedPod[]): Promise<Ended> {
    const uids = pods.map(({ metadata }) => metadata.uid);
    const uid = await this.pods.until(`one pod of ${this.name} ends`, (all) =>
      uids.find((one) => all.every((pod) => pod.metadata.uid !== one || isEnding(pod))),
    );
    return { uids: [uid] };
  }

  async #workload(kind: string, resource: Kind, options: WorkloadOptions): Promise<WatchedPod[]> {
    const { replicas = 1, node, nodeSelector = SHARED } = options;
    const template = { metadata: this.#labelled(), spec: { ...CONTAINERS, ...placement(node, nodeSelector) } };
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

  async #send(method: string, path: string, body: object, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    const answer = await this.#setup.plane.request(path, { method, body, headers });
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return answer;
  }
}

export interface Ended {
  readonly uids: readonly string[];
}

const PATCHES = { merge: 'merge-patch+json', strategic: 'strategic-merge-patch+json' } as const;

function isEnding({ metadata, status }: WatchedPod): boolean {
  return metadata.deletionTimestamp !== undefined || status.phase === 'Failed' || status.phase === 'Succeeded';
}

/** On the shared nodes; with a node of its own, there if possible. */
function placement(node: string | undefined, nodeSelector: object): object {
  if (node === undefined) return { nodeSelector };
  const is = (key: string, value: string) => ({ matchExpressions: [{ key, operator: 'In', values: [value] }] });
  const own = is('kubernetes.io/hostname', node);
  const shared = Object.entries(SHARED).map(([key, value]) => is(key, value));
  return {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [own, ...shared] },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: own }],
      },
    },
  };
}
