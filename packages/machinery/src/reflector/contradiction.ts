// Distinguishes one history of versions from another. An etcd that was restored from a backup hands its versions out again, and
// soon reaches the old ones: then only the objects show it. Called where a listing is compared with the cache.
import type { Cacheable } from '../objects/kube-object.ts';
import { compareResourceVersions, isComparable } from '../objects/resource-version.ts';

/**
 * `listed` comes from a consistent read; `held` is what the cache has under its key, with every event up to `version`
 * applied. True when both cannot be of one history (or when an event was lost, which looks the same from here).
 */
export function isContradicted(listed: Cacheable, held: Cacheable | undefined, version: string): boolean {
  const at = listed.metadata.resourceVersion ?? '';
  if (!isComparable(at) || !isComparable(version) || compareResourceVersions(at, version) > 0) return false;
  return held?.metadata.uid !== listed.metadata.uid || held?.metadata.resourceVersion !== at;
}
