// Hours that trackers have left behind: their ConfigMaps now go elsewhere or are switched off, and nobody writes where
// they were. They expire all the same, by the retention of then, as long as this process remembers.
import type { Client, Clock, KubeObject } from '@podtrail/machinery';
import { TRACKER_LABEL } from '../crds/manifests.ts';
import { configMapNames } from '../footprints/config-map-names.ts';
import { HOUR_MS } from '../footprints/hour.ts';
import { deleteExpired } from '../footprints/retention.ts';
import { OWN_SHARD_SELECTOR } from '../footprints/shard-objects.ts';

export interface LeftHour {
  readonly tracker: string;
  readonly namespace: string;
  readonly retentionMs: number;
}

export type SweptHours = LeftHour & ({ readonly names: readonly string[] } | { readonly error: unknown });

export interface LeftHoursOptions {
  readonly client: Pick<Client, 'configMaps' | 'table'>;
  readonly clock: Clock;
  readonly onSwept: (swept: SweptHours) => void;
}

export class LeftHours {
  readonly #options: LeftHoursOptions;
  #left: readonly LeftHour[] = [];

  constructor(options: LeftHoursOptions) {
    this.#options = options;
  }

  note(left: LeftHour): void {
    this.forget(left.tracker, left.namespace);
    if (Number.isFinite(left.retentionMs)) this.#left = [...this.#left, left];
  }

  /** It writes there again; without a namespace: it is gone, and its ConfigMaps go with it. */
  forget(tracker: string, namespace?: string): void {
    this.#left = this.#left.filter(
      (left) => left.tracker !== tracker || (namespace !== undefined && left.namespace !== namespace),
    );
  }

  /** Only what carries the label of the tracker: what others shared is theirs. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { client, clock, onSwept } = this.#options;
    for (const left of this.#left) {
      if (signal.aborted) return;
      const { tracker, namespace, retentionMs } = left;
      const configMaps = client.configMaps(namespace);
      const list = configMapNames(client, namespace);
      const labelled = `${TRACKER_LABEL}=${tracker}`;
      try {
        if (!(await this.#agrees(namespace, signal))) continue;
        const before = clock.now() - retentionMs;
        const listNames = () => list(`${OWN_SHARD_SELECTOR},${labelled}`, signal);
        const names = await deleteExpired({ configMaps, listNames, before, signal });
        if (names.length > 0) onSwept({ ...left, names });
        if ((await listNames()).length === 0) this.forget(tracker, namespace);
      } catch (error) {
        if (!signal.aborted) onSwept({ ...left, error });
      }
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
