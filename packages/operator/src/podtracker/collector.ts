// Removes what deleted PodTrackers leave behind, at once: slices, and the ConfigMaps that nobody else owns. Called by
// the controller where it leads. Nothing waits for it: by the owner references the garbage collector removes the same,
// a little later, wherever this process is not there, may not, or does not know (ConfigMaps, after a restart).
import {
  type Clock,
  type EventRecorder,
  isNotFound,
  type KubeObject,
  type ObjectMeta,
  type ResourceClient,
} from '@podtrail/machinery';
import type { PodTracker } from '../crds/podtracker.ts';
import type { PodTrackerSlice } from '../crds/podtracker-slice.ts';
import type { ListMetadata } from '../footprints/config-map-names.ts';
import { OWN_SHARD_SELECTOR } from '../footprints/shard-objects.ts';
import { placeOf } from './footprint-places.ts';
import { serverSentence } from './server-sentence.ts';
import type { SliceView } from './slice-view.ts';

export interface CollectorOptions {
  readonly clock: Clock;
  /** The operator's own namespace: where the ConfigMaps of a spec without a namespace are. */
  readonly home: string;
  readonly trackers: Pick<ResourceClient<PodTracker>, 'get'>;
  /** Fenced, like the ConfigMaps: refuses to write when this process does not lead. */
  readonly slices: Pick<ResourceClient<PodTrackerSlice>, 'delete'>;
  readonly configMaps: (namespace: string) => {
    readonly client: Pick<ResourceClient<KubeObject>, 'delete'>;
    readonly list: ListMetadata;
  };
  readonly events?: Pick<EventRecorder, 'record'> | undefined;
}

/** A tracker that was deleted and had ConfigMaps. */
interface Departed {
  readonly name: string;
  readonly uid: string;
  /** Of its ConfigMaps, by its last spec. */
  readonly namespace: string;
  /** When that was seen, by the monotonic clock. */
  readonly at: number;
  /** Why its ConfigMaps could not be removed so far. */
  problem?: unknown;
  isSettled: boolean;
}

/** After this long the rest is left to the garbage collector. */
const LIMIT_MS = 60_000;
const AT_ONCE = 8;

export class Collector {
  readonly #options: CollectorOptions;
  /** By UID, also for a while after its ConfigMaps were removed: others may be owned by it and by the next to go. */
  readonly #departed = new Map<string, Departed>();

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** A tracker was deleted; a standby takes note too, so that it can go on where a leader ended. */
  note({ metadata, spec }: PodTracker): void {
    const at = this.#options.clock.monotonic();
    // A standby settles nothing: without this it would remember every tracker that ever was. Twice the limit, so that
    // a leader comes to report what it could not remove.
    for (const [uid, departed] of this.#departed) if (at - departed.at > 2 * LIMIT_MS) this.#departed.delete(uid);
    const { name = '', uid = '' } = metadata;
    const namespace = placeOf(spec, this.#options.home)?.namespace;
    if (namespace !== undefined) this.#departed.set(uid, { name, uid, namespace, at, isSettled: false });
  }

  /** etcd was restored: what was deleted may be back. */
  forget(): void {
    this.#departed.clear();
  }

  /**
   * What trackers of this name left. `slices`: those that the cache has under the name while it has no such tracker.
   * Rejects if something is left that should be tried again.
   */
  async collect(name: string, slices: readonly SliceView[], signal: AbortSignal): Promise<void> {
    const departed = [...this.#departed.values()].filter((each) => each.name === name && !each.isSettled);
    const done = await Promise.allSettled([
      this.#collectSlices(name, slices, signal),
      ...departed.map((each) => this.#collectConfigMaps(each, signal)),
    ]);
    for (const each of done) if (each.status === 'rejected') throw each.reason;
  }

  /**
   * Asks the server whether there is no such tracker: the caches of two kinds are not of one instant. A new tracker of
   * the name adopts what it finds; that changes the version of a slice, and so it cannot be deleted here any more.
   */
  async #collectSlices(name: string, slices: readonly SliceView[], signal: AbortSignal): Promise<void> {
    if (slices.length === 0 || (await this.#exists(name, signal))) return;
    const metadata = slices.map((slice) => slice.metadata);
    await removeAll(this.#options.slices, metadata, signal);
  }

  async #exists(name: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.trackers.get(name, { signal });
      return true;
    } catch (error) {
      // No such tracker, or no such kind any more.
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #collectConfigMaps(departed: Departed, signal: AbortSignal): Promise<void> {
    const { clock, configMaps } = this.#options;
    if (clock.monotonic() - departed.at > LIMIT_MS) {
      departed.isSettled = true;
      this.#reportIncomplete(departed);
      return;
    }
    const { client, list } = configMaps(departed.namespace);
    try {
      const found = await list(OWN_SHARD_SELECTOR, signal);
      const left = found.filter((metadata) => this.#isLeft(metadata));
      await removeAll(client, left, signal);
    } catch (error) {
      departed.problem = error;
      throw error;
    }
    departed.isSettled = true;
  }

  /** Invariant: only what deleted trackers alone own is removed, by UID; what nobody owns is not ours to remove. */
  #isLeft({ ownerReferences = [] }: ObjectMeta): boolean {
    return ownerReferences.length > 0 && ownerReferences.every(({ uid }) => this.#departed.has(uid));
  }

  /** Not where nothing was tried: an earlier leader did what there was to do. */
  #reportIncomplete({ name, uid, namespace, problem }: Departed): void {
    if (problem === undefined) return;
    const note = `Its ConfigMaps in ${namespace} are left to the garbage collector: ${serverSentence(problem)}`;
    const regarding = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name, uid };
    this.#options.events?.record({ regarding, type: 'Warning', reason: 'CleanupIncomplete', note });
  }
}

/** Each only as it was read. Rejects with the first failure, after all that were begun have ended. */
async function removeAll(
  client: Pick<ResourceClient<unknown>, 'delete'>,
  items: readonly ObjectMeta[],
  signal: AbortSignal,
): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
      const { name = '', uid = '', resourceVersion = '' } = item;
      await client.delete(name, { preconditions: { uid, resourceVersion }, signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  };
  const workers = Array.from({ length: Math.min(AT_ONCE, items.length) }, worker);
  for (const ended of await Promise.allSettled(workers)) if (ended.status === 'rejected') throw ended.reason;
}
