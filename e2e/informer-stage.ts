// A pod informer on a real API server, with everything it said written down. Used by the informer tests.
import {
  Client,
  type Delta,
  type DeltaHandler,
  Informer,
  type InformerOptions,
  loadClusterConfig,
  PODS,
  type PodView,
  podCodec,
} from '@podtrail/machinery';
import { until } from './controlplane/index.ts';

interface TestContext {
  after(done: () => Promise<void>): void;
}

export class InformerStage {
  readonly client: Client;
  readonly informer: Informer<PodView>;
  readonly deltas: Delta<PodView>[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  static async start(
    t: TestContext,
    kubeconfig: string,
    options: Partial<InformerOptions<PodView>> = {},
    handler: Partial<DeltaHandler<PodView>> = {},
  ): Promise<InformerStage> {
    const client = Client.connect(await loadClusterConfig({ kubeconfig }));
    const stage = new InformerStage(client, options, handler);
    t.after(() => stage.stop());
    return stage;
  }

  private constructor(
    client: Client,
    options: Partial<InformerOptions<PodView>>,
    handler: Partial<DeltaHandler<PodView>>,
  ) {
    this.client = client;
    this.informer = new Informer({ transport: client.transport, resource: PODS, codec: podCodec, ...options });
    this.informer.addHandler({
      name: 'recording',
      marks: true,
      onDelta: (delta) => void this.deltas.push(delta),
      ...handler,
    });
    this.#running = this.informer.start(this.#stop.signal);
  }

  get names(): string[] {
    return this.informer.lister
      .list()
      .map((pod) => pod.metadata.name)
      .sort();
  }

  get relists(): string[] {
    return this.deltas.flatMap((delta) => (delta.kind === 'relist-began' ? [delta.relist.reason] : []));
  }

  has(name: string): boolean {
    return this.informer.lister.list().some((pod) => pod.metadata.name === name);
  }

  async untilHas(name: string, withinMs = 60_000): Promise<void> {
    await until(`the cache has ${name}`, () => this.has(name), { withinMs });
  }

  async untilLacks(name: string, withinMs = 60_000): Promise<void> {
    await until(`the cache lacks ${name}`, () => !this.has(name), { withinMs });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.client.close();
  }
}

/** A pod that no scheduler and no kubelet touches: it is bound to a node that does not exist. */
export function pod(name: string, annotations: Record<string, string> = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations },
    spec: { nodeName: 'nowhere', automountServiceAccountToken: false, containers: [{ name: 'c', image: 'none' }] },
  });
}
