// Deletes the ConfigMaps of hours that ended long enough ago: only those that carry our label, looked at once more
// before, and only as they were then.
import { isConflict, isNotFound, type ResourceClient } from '@podtrail/machinery';
import type { ListNames } from './config-map-names.ts';
import { HOUR_MS, parseShardName } from './hour.ts';
import { isOurs, OWN_SHARD_SELECTOR } from './shard-objects.ts';

export interface Expiry {
  readonly configMaps: ResourceClient;
  readonly listNames: ListNames;
  /** Hours that ended at this instant or earlier go. */
  readonly before: number;
  readonly signal: AbortSignal | undefined;
}

/** The names of what was deleted. */
export async function deleteExpired({ configMaps, listNames, before, signal }: Expiry): Promise<string[]> {
  const deleted: string[] = [];
  for (const name of await listNames(OWN_SHARD_SELECTOR, signal)) {
    const hour = parseShardName(name);
    if (hour === undefined || hour.start + HOUR_MS > before) continue;
    try {
      const found = await configMaps.get(name, { signal });
      const { uid, resourceVersion } = found.metadata;
      if (!isOurs(found) || uid === undefined || resourceVersion === undefined) continue;
      await configMaps.delete(name, { preconditions: { uid, resourceVersion }, signal });
      deleted.push(name);
    } catch (error) {
      // Gone, or somebody has just touched it: then it is looked at in an hour.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
  return deleted;
}
