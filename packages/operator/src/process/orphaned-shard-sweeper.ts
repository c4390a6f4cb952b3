// Hours that trackers have left behind: their ConfigMaps now go elsewhere or are switched off, and nobody writes where
// they were. They expire all the same, by the retention of then. Where to look is remembered in the status of trackers,
// so that a leader that was started later finds them too; looks nowhere else.
import { type Client, type Clock, isConflict, isNotFound, type KubeObject, type ObjectMeta } from '@podtrail/machinery';
import type { PodTracker } from '../crds/podtracker.ts';
import { configMapMetadata } from '../footprints/config-map-names.ts';
import { HOUR_MS, parseShardName } from '../footprints/hour.ts';
import { OWN_SHARD_SELECTOR } from '../footprints/shard-objects.ts';
import { leftPlaces, placeOf } from '../podtracker/footprint-places.ts';
import { parseAge } from './age.ts';

export interface OrphanedShardSweeperOptions {
  /** Fenced. */
  readonly client: Pick<Client, 'configMaps' | 'table'>;
  readonly clock: Clock;
  readonly trackers: () => Iterable<PodTracker>;
  /** The operator's own namespace: where the ConfigMaps of a spec without a namespace are. */
  readonly home: string;
  readonly hasNamespace: (name: string) => boolean;
  readonly onSwept: (swept: SweptShards) => void;
  /** Nothing of the tracker is left there. */
  readonly onEmptied: (tracker: { readonly name: string; readonly uid: string }, namespace: string) => void;
}

export type SweptShards = { readonly namespace: string } & (
  | { readonly names: readonly string[] }
  | { readonly error: unknown }
);

/** A tracker that left a namespace. */
interface Leaver {
  readonly name: string;
  readonly uid: string;
  readonly retentionMs: number;
}

export class OrphanedShardSweeper {
  readonly #options: OrphanedShardSweeperOptions;

  constructor(options: OrphanedShardSweeperOptions) {
    this.#options = options;
  }

  /** Asks the server only about namespaces that somebody has left. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { onSwept } = this.#options;
    for (const [namespace, leavers] of this.#left()) {
      if (signal.aborted) return;
      try {
        const names = await this.#sweepOne(namespace, leavers, signal);
        if (names.length > 0) onSwept({ namespace, names });
      } catch (error) {
        if (!signal.aborted) onSwept({ namespace, error });
      }
    }
  }

  #left(): Map<string, Leaver[]> {
    const left = new Map<string, Leaver[]>();
    for (const tracker of this.#options.trackers()) {
      const { name = '', uid = '', deletionTimestamp } = tracker.metadata;
      // What it leaves goes with it.
      if (deletionTimestamp !== undefined) continue;
      for (const { namespace, retention } of leftPlaces(tracker, this.#options.home)) {
        const leaver = { name, uid, retentionMs: parseAge(retention) ?? Number.POSITIVE_INFINITY };
        left.set(namespace, [...(left.get(namespace) ?? []), leaver]);
      }
    }
    return left;
  }

  async #sweepOne(namespace: string, leavers: readonly Leaver[], signal: AbortSignal): Promise<string[]> {
    const { client, clock, hasNamespace, onEmptied } = this.#options;
    if (!hasNamespace(namespace)) {
      for (const leaver of leavers) onEmptied(leaver, namespace);
      return [];
    }
    const deleted: string[] = [];
    const staying = new Set<string>();
    let agrees: boolean | undefined;
    for (const shard of await configMapMetadata(client, namespace)(OWN_SHARD_SELECTOR, signal)) {
      const owners = leavers.filter(({ uid }) => isOwnedBy(shard, uid));
      if (owners.length === 0 || this.#isWritten(namespace, shard)) continue;
      // Shared by several, it is kept as long as any of them wanted.
      const keptMs = Math.max(...owners.map(({ retentionMs }) => retentionMs));
      const hour = parseShardName(shard.name ?? '');
      const isDue = hour !== undefined && hour.start + HOUR_MS <= clock.now() - keptMs;
      if (isDue) agrees ??= await this.#agrees(namespace, signal);
      if (isDue && agrees === true && (await this.#delete(namespace, shard, signal))) deleted.push(shard.name ?? '');
      else for (const { uid } of owners) staying.add(uid);
    }
    for (const leaver of leavers) if (!staying.has(leaver.uid)) onEmptied(leaver, namespace);
    return deleted;
  }

  /** Another tracker still has its hours there: they expire with those that are being written. */
  #isWritten(namespace: string, shard: ObjectMeta): boolean {
    const { trackers, home } = this.#options;
    for (const { metadata, spec } of trackers()) {
      if (placeOf(spec, home)?.namespace === namespace && isOwnedBy(shard, metadata.uid ?? '')) return true;
    }
    return false;
  }

  /** Only as it was read. False if it is to be looked at again. */
  async #delete(namespace: string, { name = '', uid, resourceVersion }: ObjectMeta, signal: AbortSignal) {
    if (uid === undefined || resourceVersion === undefined) return false;
    try {
      await this.#options.client
        .configMaps(namespace)
        .delete(name, { preconditions: { uid, resourceVersion }, signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return true;
      if (isConflict(error)) return false;
      throw error;
    }
  }

  /** Our clock decides what is deleted: only while the server's agrees. A dry run asks it and makes nothing. */
  async #agrees(namespace: string, signal: AbortSignal): Promise<boolean> {
    const { client, clock } = this.#options;
    const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'podtrail-clock' } };
    const { metadata } = await client.configMaps(namespace).create(object, { dryRun: true, signal });
    return Math.abs(Date.parse(metadata.creationTimestamp ?? '') - clock.now()) < HOUR_MS;
  }
}

function isOwnedBy({ ownerReferences = [] }: ObjectMeta, uid: string): boolean {
  return ownerReferences.some((reference) => reference.uid === uid);
}
