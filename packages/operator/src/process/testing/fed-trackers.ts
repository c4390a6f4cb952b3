// Real informers of PodTrackers and namespaces that a test feeds, and a log that is kept: for tests of this folder.
import {
  type Cacheable,
  type Clock,
  type GroupVersionResource,
  Informer,
  jsonCodec,
  type MetadataOnlyView,
  metadataCodec,
  NAMESPACES,
  type ObjectCodec,
  type Transport,
} from '@podtrail/machinery';
import { feed } from '@podtrail/machinery/testing';
import { PODTRACKERS } from '../../crds/manifests.ts';
import type { PodTracker, PodTrackerSpec } from '../../crds/podtracker.ts';
import { Log } from '../log.ts';

class Fed<T extends Cacheable> extends Informer<T> {
  readonly #codec: ObjectCodec<T>;
  #version = 0;

  constructor(resource: GroupVersionResource, codec: ObjectCodec<T>, clock: Clock) {
    super({ transport: {} as Transport, resource, codec, clock });
    this.#codec = codec;
    const to = 0;
    feed(this)
      .beginReplace(false)
      .commit({
        ...{ reason: 'start', resourceVersion: '0', previousVersion: undefined, from: undefined, to },
      });
  }

  deliver(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: { metadata: object }): void {
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    feed(this).onEvent(type, this.#codec.fromJson({ ...object, metadata }));
  }
}

export class FedTrackers extends Fed<PodTracker> {
  #generation = 0;

  constructor(clock: Clock) {
    super(PODTRACKERS, jsonCodec<PodTracker>('podtrail.dev/v1', 'PodTracker'), clock);
  }

  put(
    type: 'ADDED' | 'MODIFIED' | 'DELETED',
    name: string,
    spec: PodTrackerSpec,
    more: object = {},
    besides: Pick<PodTracker, 'status'> = {},
  ): void {
    const metadata = { name, uid: `uid-${name}`, generation: ++this.#generation, ...more };
    this.deliver(type, { metadata, spec, ...besides } as PodTracker);
  }
}

export class FedNamespaces extends Fed<MetadataOnlyView> {
  constructor(clock: Clock) {
    super(NAMESPACES, metadataCodec, clock);
  }
}

/** A log whose lines are kept as objects. */
export function keptLog(): { readonly log: Log; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = new Log({ level: 'debug', now: () => 0, write: (line) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}
