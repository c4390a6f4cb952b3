// A PodTracker controller on a real API server, with pods that no kubelet touches: tests create them, give them
// addresses and take them away. Used by the PodTracker tests.
import { fileURLToPath } from 'node:url';
import {
  Client,
  EVENTS,
  EventRecorder,
  Informer,
  type KubeEvent,
  type KubeObject,
  loadClusterConfig,
  metadataCodec,
  NAMESPACES,
  NODES,
  nodeCodec,
  PODS,
  type PodView,
  podCodec,
} from '@podtrail/machinery';
import {
  PODTRACKER_SLICES,
  PODTRACKERS,
  type PodEntry,
  type PodTracker,
  PodTrackerController,
  type PodTrackerControllerOptions,
  type PodTrackerSlice,
  type PodTrackerSpec,
} from '@podtrail/operator';
import { type ControlPlane, until } from './controlplane/index.ts';

interface TestContext {
  after(done: () => Promise<void>): void;
}

export const CRDS = fileURLToPath(new URL('../deploy/crds/', import.meta.url));

export async function installDefinitions(plane: ControlPlane): Promise<void> {
  await plane.kubectl(['apply', '-f', CRDS]);
  await untilServed(plane);
}

/** Each definition is taken up on its own: one being served says nothing of the other. */
export async function untilServed(plane: ControlPlane): Promise<void> {
  for (const resource of ['podtrackers', 'podtrackerslices']) {
    const served = async () => (await plane.request(`/apis/podtrail.dev/v1/${resource}`)).status === 200;
    await until(`${resource} are served`, served);
  }
}

export interface StageOptions {
  /** Also the user in the audit log. */
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly controller?: Partial<PodTrackerControllerOptions>;
}

export class PodTrackerStage {
  readonly controller: PodTrackerController;
  readonly pods: Informer<PodView>;
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  static async start(t: TestContext, plane: ControlPlane, options: StageOptions = {}): Promise<PodTrackerStage> {
    const { user = 'podtracker', groups = ['system:masters'] } = options;
    const kubeconfig = await plane.kubeconfig({ user, groups: [...groups] });
    const client = Client.connect(await loadClusterConfig({ kubeconfig }));
    const stage = new PodTrackerStage(client, options);
    t.after(() => stage.stop());
    return stage;
  }

  private constructor(client: Client, options: StageOptions) {
    this.#client = client;
    const { transport } = client;
    const { signal } = this.#stop;
    this.pods = new Informer({ transport, resource: PODS, codec: podCodec });
    const nodes = new Informer({ transport, resource: NODES, codec: nodeCodec });
    const namespaces = new Informer({ transport, resource: NAMESPACES, codec: metadataCodec });
    const events = new EventRecorder({
      events: (namespace) => client.resource<KubeEvent>(EVENTS, namespace),
      reportingController: 'podtrail.dev/operator',
      reportingInstance: 'e2e',
    });
    this.controller = new PodTrackerController({
      home: 'podtrail',
      client,
      pods: this.pods,
      nodes,
      namespaces,
      events,
      ...options.controller,
    });
    this.#running = Promise.all([
      this.pods.start(signal),
      nodes.start(signal),
      namespaces.start(signal),
      this.controller.start(signal),
    ]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#client.close();
  }
}

interface PodObject extends KubeObject {
  spec: { nodeName?: string };
  status: { phase?: string; podIP?: string; podIPs?: { ip: string }[] };
}

/** The administrator's hand: what a test does to the cluster, and what it sees there. */
export class Hand {
  readonly client: Client;

  static async of(t: TestContext, plane: ControlPlane): Promise<Hand> {
    const hand = new Hand(Client.connect(await loadClusterConfig({ kubeconfig: plane.adminKubeconfig })));
    t.after(() => hand.client.close());
    return hand;
  }

  private constructor(client: Client) {
    this.client = client;
  }

  get trackers() {
    return this.client.resource<PodTracker>(PODTRACKERS);
  }

  get slices() {
    return this.client.resource<PodTrackerSlice>(PODTRACKER_SLICES);
  }

  async createNode(name: string, cpu = '8'): Promise<void> {
    await this.client.nodes().create({ metadata: { name } });
    const quantities = { cpu, memory: '32Gi', pods: '110' };
    const addresses = [{ type: 'InternalIP', address: `192.168.0.${name.match(/\d+$/)?.[0] ?? '1'}` }];
    const status = { capacity: quantities, allocatable: quantities, addresses };
    await this.client.nodes().patch(name, { kind: 'merge', body: { status } }, { subresource: 'status' });
  }

  async createTracker(name: string, spec: PodTrackerSpec = {}): Promise<void> {
    await this.trackers.create({ apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata: { name }, spec });
  }

  async createPod(namespace: string, name: string, nodeName: string, ip: string, labels: Record<string, string> = {}) {
    await this.client.pods(namespace).create({
      metadata: { name, labels },
      spec: { nodeName, automountServiceAccountToken: false, containers: [{ name: 'c', image: 'none' }] },
    });
    await this.setStatus(namespace, name, ip, 'Running');
  }

  async setStatus(namespace: string, name: string, ip: string, phase: string): Promise<void> {
    const status = { phase, podIP: ip, podIPs: [{ ip }] };
    await this.client.pods(namespace).patch(name, { kind: 'merge', body: { status } }, { subresource: 'status' });
  }

  async annotate(namespace: string, name: string, annotations: Record<string, string>): Promise<void> {
    await this.client.pods(namespace).patch(name, { kind: 'merge', body: { metadata: { annotations } } });
  }

  async deletePod(namespace: string, name: string): Promise<void> {
    await this.client.pods(namespace).delete(name, { gracePeriodSeconds: 0 });
  }

  async slicesOf(tracker: string): Promise<PodTrackerSlice[]> {
    return (await this.slices.list({ labelSelector: `podtrail.dev/tracker=${tracker}` })).items;
  }

  /** What is listed by a tracker, in status or slices; throws if a pod is listed twice. */
  async listed(tracker: string): Promise<Map<string, PodEntry>> {
    const { status = {} } = await this.trackers.get(tracker);
    const found = new Map(Object.entries(status.pods ?? {}));
    for (const slice of await this.slicesOf(tracker)) {
      for (const [uid, entry] of Object.entries(slice.entries ?? {})) {
        if (found.has(uid)) throw new Error(`${entry.podName} is listed twice`);
        found.set(uid, entry);
      }
    }
    return found;
  }

  /** What should be listed, from the pods as the server has them. */
  async selected(selects: (pod: PodObject) => boolean): Promise<Map<string, PodEntry>> {
    const { items } = (await this.client.pods().list()) as unknown as { items: PodObject[] };
    const listed = items.filter(({ status }) => !['Succeeded', 'Failed'].includes(status.phase ?? '') && status.podIP);
    return new Map(
      listed.filter(selects).map(({ metadata, spec, status }) => [
        metadata.uid ?? '',
        {
          podName: metadata.name ?? '',
          namespace: metadata.namespace ?? '',
          ip: status.podIP ?? '',
          ips: (status.podIPs ?? []).map(({ ip }) => ip),
          nodeName: spec.nodeName ?? '',
          creationTimestamp: metadata.creationTimestamp ?? '',
          phase: status.phase ?? '',
        },
      ]),
    );
  }

  async condition(tracker: string, type: string) {
    return (await this.trackers.get(tracker)).status?.conditions?.find((condition) => condition.type === type);
  }
}

/** Runs `act` for each item, some at a time. */
export async function forEach<T>(
  items: readonly T[],
  act: (item: T, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      await act(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: 12 }, worker));
}
