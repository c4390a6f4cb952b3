// Kubernetes resourceVersions: decimals of any length, compared here and nowhere else. Never a JavaScript number:
// etcd revisions may pass 2^53, and a lossy compare would let an old object rise from the dead.

declare const brand: unique symbol;
/** A decimal without leading zeros, or one of the two special values `''` (most recent) and `'0'` (any). */
export type ResourceVersion = string & { readonly [brand]: 'ResourceVersion' };

export const MOST_RECENT = '' as ResourceVersion;
export const ANY_VERSION = '0' as ResourceVersion;

export function isComparable(version: string): boolean {
  return /^(?:0|[1-9][0-9]*)$/.test(version);
}

/** Negative if `a` is older than `b`. Both must be comparable (see `isComparable`). */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
