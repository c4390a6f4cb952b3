// What is removed when a PodTracker is deleted: its slices, and the ConfigMaps that carry its label. Bounded in time:
// a deletion must not hang because something cannot be removed; owner references let the garbage collector finish.
import {
  type Client,
  type Clock,
  isNotFound,
  type KubeObject,
  type ResourceClient,
  retryOnConflict,
} from '@podtrail/machinery';
import { TRACKER_LABEL } from '../crds/manifests.ts';
import type { PodTracker } from '../crds/podtracker.ts';
import type { PodTrackerSlice } from '../crds/podtracker-slice.ts';

const FINALIZER = 'podtrail.dev/cleanup';
const CLEANUP_LIMIT_MS = 60_000;
const AT_ONCE = 8;

export interface CleanupOptions {
  readonly clock: Clock;
  readonly slices: ResourceClient<PodTrackerSlice>;
  /** The ConfigMaps of a namespace. */
  readonly configMaps: (namespace: string) => ResourceClient<KubeObject>;
}

/** Only while there is something to remove: a finalizer that waits for nothing only makes trouble at an uninstall. */
export function needsFinalizer(tracker: PodTracker, slices: number, sliced: boolean): boolean {
  return sliced || slices > 0 || tracker.spec?.footprints?.configMaps?.enabled === true;
}

export function hasFinalizer(tracker: PodTracker): boolean {
  return tracker.metadata.finalizers?.includes(FINALIZER) === true;
}

/** The whole list, as a merge patch needs it. */
export function finalizersWith({ metadata }: PodTracker, wanted: boolean): string[] {
  const others = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  return wanted ? [...others, FINALIZER] : others;
}

/** Milliseconds until the deletion goes on without us; negative when it must. */
export function cleanupTimeLeft({ metadata }: PodTracker, clock: Clock): number {
  const since = Date.parse(metadata.deletionTimestamp ?? '');
  return Number.isNaN(since) ? CLEANUP_LIMIT_MS : since + CLEANUP_LIMIT_MS - clock.now();
}

/** Removes what is there, told by the server and not by a cache. Throws if something is left. */
export async function removeBelongings(tracker: PodTracker, options: CleanupOptions, signal: AbortSignal) {
  const labelSelector = `${TRACKER_LABEL}=${tracker.metadata.name}`;
  await removeAll(options.slices, labelSelector, signal);
  const namespace = tracker.spec?.footprints?.configMaps?.namespace;
  if (namespace !== undefined) await removeAll(options.configMaps(namespace), labelSelector, signal);
}

/**
 * Takes our finalizer off every tracker: for an uninstall, after which nobody would. What they own is left to the
 * garbage collector. Returns the names of those that had one.
 */
export async function releaseTrackers(trackers: ResourceClient<PodTracker>, signal?: AbortSignal): Promise<string[]> {
  const released: string[] = [];
  for await (const { items } of trackers.pages({ limit: 100, signal })) {
    for (const { metadata } of items.filter(hasFinalizer)) {
      const name = metadata.name ?? '';
      await retryOnConflict(async () => {
        const tracker = await trackers.get(name, { signal });
        const { resourceVersion } = tracker.metadata;
        const body = { metadata: { resourceVersion, finalizers: finalizersWith(tracker, false) } };
        await trackers.patch(name, { kind: 'merge', body }, { signal });
      });
      released.push(name);
    }
  }
  return released;
}

async function removeAll(client: ResourceClient<KubeObject>, labelSelector: string, signal: AbortSignal) {
  try {
    for await (const { items } of client.pages({ labelSelector, limit: 500, signal })) {
      const waiting = [...items];
      const worker = async () => {
        for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await remove(client, item, signal);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    }
  } catch (error) {
    // The definition of slices was deleted, and all of them with it: there is nothing to wait for.
    if (!isNotFound(error)) throw error;
  }
}

async function remove(client: ResourceClient<KubeObject>, { metadata }: KubeObject, signal: AbortSignal) {
  const { name = '', uid = '', resourceVersion = '' } = metadata;
  try {
    await client.delete(name, { preconditions: { uid, resourceVersion }, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

export function configMapsOf(client: Client): (namespace: string) => ResourceClient<KubeObject> {
  return (namespace) => client.configMaps(namespace);
}
