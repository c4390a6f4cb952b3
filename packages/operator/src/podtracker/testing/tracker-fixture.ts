// Pods, nodes and trackers for the tests of this folder, and an API server's two collections in memory.
import {
  type MetadataOnlyView,
  metadataCodec,
  type NodeView,
  nodeCodec,
  type PodView,
  podCodec,
} from '@podtrail/machinery';
import { aPod, ManualClock, MemoryResourceClient } from '@podtrail/machinery/testing';
import type { PodTracker, PodTrackerSpec } from '../../crds/podtracker.ts';
import type { PodTrackerSlice } from '../../crds/podtracker-slice.ts';
import type { Reuse } from '../released-addresses.ts';
import { sliceView } from '../slice-view.ts';
import { Tracked, type TrackerEnv } from '../tracked.ts';

export interface PodSketch {
  readonly namespace?: string;
  readonly node?: string;
  readonly ip?: string;
  readonly phase?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

export function podView(name: string, sketch: PodSketch = {}): PodView {
  const { namespace = 'default', node = 'n1', ip = '10.0.0.1', phase = 'Running', labels = {} } = sketch;
  const pod = aPod(name).inNamespace(namespace).onNode(node).inPhase(phase).withLabels(labels);
  if (sketch.annotations !== undefined) pod.withAnnotations(sketch.annotations);
  if (ip !== '') pod.withIp(...ip.split(','));
  return podCodec.fromJson(pod.build());
}

export function nodeView(name: string, cpu = '4'): NodeView {
  return nodeCodec.fromJson({
    metadata: { name, uid: `uid-${name}` },
    status: {
      capacity: { cpu, memory: '8Gi' },
      allocatable: { cpu },
      addresses: [
        { type: 'Hostname', address: name },
        { type: 'InternalIP', address: '192.168.0.1' },
      ],
    },
  });
}

export function namespaceView(name: string, labels: Record<string, string>): MetadataOnlyView {
  return metadataCodec.fromJson({ metadata: { name, labels } });
}

export function aTracker(name: string, spec: PodTrackerSpec = {}): PodTracker {
  return {
    apiVersion: 'podtrail.dev/v1',
    kind: 'PodTracker',
    metadata: { name, uid: `uid-${name}`, resourceVersion: '1', generation: 1 },
    spec,
  };
}

/** A cluster that a tracker looks at: change its maps, then notify the tracker. */
export class Scene implements TrackerEnv {
  readonly home = 'podtrail';
  readonly clock = new ManualClock();
  readonly podViews = new Map<string, PodView>();
  readonly nodeViews = new Map<string, NodeView>();
  readonly namespaceViews = new Map<string, MetadataOnlyView>();
  readonly reuses: Reuse[] = [];

  pods(): Iterable<PodView> {
    return this.podViews.values();
  }
  node(name: string): NodeView | undefined {
    return this.nodeViews.get(name);
  }
  namespaceLabels(name: string): ReadonlyMap<string, string> | undefined {
    return this.namespaceViews.get(name)?.metadata.labels;
  }
  monotonic(): number {
    return this.clock.monotonic();
  }
  addressReused(_tracked: Tracked, reuse: Reuse): void {
    this.reuses.push(reuse);
  }

  /** Into the cluster, and to the trackers. */
  add(pod: PodView, ...trackers: Tracked[]): boolean {
    this.podViews.set(pod.metadata.uid, pod);
    return trackers.map((tracked) => tracked.see(pod)).some((changed) => changed);
  }

  remove(pod: PodView, ...trackers: Tracked[]): boolean {
    this.podViews.delete(pod.metadata.uid);
    return trackers.map((tracked) => tracked.lose(pod.metadata.uid)).some((changed) => changed);
  }
}

/** The server's side: both collections with one counter of versions. */
export class Collections {
  readonly trackers: MemoryResourceClient<PodTracker>;
  readonly slices: MemoryResourceClient<PodTrackerSlice>;
  #version = 0;

  constructor() {
    const nextVersion = () => ++this.#version;
    const apiVersion = 'podtrail.dev/v1';
    this.trackers = new MemoryResourceClient({ apiVersion, kind: 'PodTracker', nextVersion });
    this.slices = new MemoryResourceClient({ apiVersion, kind: 'PodTrackerSlice', nextVersion });
  }

  async create(name: string, spec: PodTrackerSpec, scene: Scene): Promise<Tracked> {
    const tracker = { ...aTracker(name, spec), metadata: { name, generation: 1 } };
    return new Tracked(await this.trackers.create(tracker), scene);
  }

  /** What the informer would deliver of all slices. */
  async deliverSlices(tracked: Tracked): Promise<void> {
    for (const slice of (await this.slices.list()).items) tracked.learnSlice(sliceView(slice));
  }

  get written(): string[] {
    const writes = (calls: readonly { verb: string; name: string }[]) =>
      calls.filter(({ verb }) => verb !== 'get' && verb !== 'list').map(({ verb, name }) => `${verb} ${name}`);
    return [...writes(this.trackers.calls), ...writes(this.slices.calls)];
  }

  forgetCalls(): void {
    this.trackers.calls.length = 0;
    this.slices.calls.length = 0;
  }
}
