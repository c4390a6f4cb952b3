// What the reflector may conclude from two resourceVersions. Only what is certain: versions without an order prove
// nothing.
import { compareResourceVersions, isComparable } from '../objects/resource-version.ts';

/** Certainly older; false when the versions have no order. */
export function isOlder(a: string, b: string): boolean {
  return isComparable(a) && isComparable(b) && compareResourceVersions(a, b) < 0;
}

/** Certainly not newer than what is known already. */
export function isStale(version: string, known: string): boolean {
  return isComparable(version) && isComparable(known) && compareResourceVersions(version, known) <= 0;
}
