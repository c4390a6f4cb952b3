// The whole PodTracker controller on informers that a test feeds and collections in memory: what one event does to
// several trackers. No server, no sleeping; the clock moves when asked.
import {
  type Client,
  type EventRecorder,
  Informer,
  metadataCodec,
  NAMESPACES,
  NODES,
  nodeCodec,
  PODS,
  type PodView,
  podCodec,
  type Relist,
  type Transport,
} from '@podtrail/machinery';
import { feed, ManualClock } from '@podtrail/machinery/testing';
import { PODTRACKERS } from '../../crds/manifests.ts';
import type { PodTracker, PodTrackerSpec } from '../../crds/podtracker.ts';
import { PodTrackerController, type PodTrackerControllerOptions } from '../podtracker-controller.ts';
import { Collections, type PodSketch, podView } from './tracker-fixture.ts';

interface TestContext {
  after(done: () => Promise<void>): void;
}

export class ControllerStage {
  readonly clock = new ManualClock();
  readonly collections = new Collections();
  readonly events: Parameters<EventRecorder['record']>[0][] = [];
  readonly controller: PodTrackerController;
  readonly pods: Informer<PodView>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #version = 0;

  constructor(t: TestContext, options: Partial<PodTrackerControllerOptions> = {}) {
    const { clock, collections } = this;
    const transport = {} as Transport;
    this.pods = new Informer({ transport, resource: PODS, codec: podCodec, clock });
    const nodes = new Informer({ transport, resource: NODES, codec: nodeCodec, clock });
    const namespaces = new Informer({ transport, resource: NAMESPACES, codec: metadataCodec, clock });
    const client = {
      transport,
      resource: ({ resource }: { resource: string }) =>
        resource === PODTRACKERS.resource ? collections.trackers : collections.slices,
    } as unknown as Client;
    const { pods } = this;
    const record: EventRecorder['record'] = (event) => void this.events.push(event);
    this.controller = new PodTrackerController({
      home: 'podtrail',
      ...{ client, pods, nodes, namespaces, clock, events: { record } },
      ...options,
    });
    const { trackers, slices } = this.controller;
    for (const target of [feed(pods), feed(nodes), feed(namespaces), feed(trackers), feed(slices)]) {
      target.beginReplace(false).commit(START);
    }
    const { signal } = this.#stop;
    this.#running = this.controller.controller.run({ stop: signal, abort: signal });
    t.after(() => this.stop());
  }

  /** Into the server's collection, and delivered to the informer: as it is then, valid or not. */
  async putTracker(name: string, spec: unknown): Promise<void> {
    const metadata = { name, generation: 1 };
    this.deliverTracker(await this.collections.trackers.create({ metadata, spec: spec as PodTrackerSpec }));
  }

  deliverTracker(tracker: PodTracker): void {
    feed(this.controller.trackers).onEvent('MODIFIED', structuredClone(tracker));
  }

  putPod(name: string, sketch: PodSketch = {}): void {
    const pod = podView(name, sketch);
    const metadata = { ...pod.metadata, resourceVersion: String(++this.#version) };
    feed(this.pods).onEvent('MODIFIED', { ...pod, metadata } as PodView);
  }

  /** The pods that the cache has are listed again, for this reason. */
  relist(reason: Relist['reason'], from: number): void {
    const replacement = feed(this.pods).beginReplace(false);
    for (const pod of this.pods.lister) replacement.add(pod);
    const versions = { resourceVersion: String(++this.#version), previousVersion: '0' };
    replacement.commit({ ...versions, reason, from, to: this.clock.now() });
  }

  /** Long enough for every pass that waits. */
  async settle(): Promise<void> {
    for (let i = 0; i < 3; i++) await this.clock.advance(1_000);
  }

  /** Names of the pods that status lists, as the server has it. */
  listed(tracker: string): string[] {
    const { pods = {} } = this.collections.trackers.peek(tracker)?.status ?? {};
    return Object.values(pods)
      .map(({ podName }) => podName)
      .sort();
  }

  condition(tracker: string, type: string) {
    return this.collections.trackers.peek(tracker)?.status?.conditions?.find((each) => each.type === type);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.settle();
    await this.#running;
  }
}

const START: Relist = {
  ...{ reason: 'start', resourceVersion: '0', previousVersion: undefined, from: undefined, to: 0 },
};
