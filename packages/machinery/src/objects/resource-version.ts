// Kubernetes resourceVersions: decimals of any length, compared here and nowhere else. Never a JavaScript number:
// etcd revisions may pass 2^53, and a lossy comparison would bring back a deleted object.

/** Runs for every event, hence no regular expression. */
export function isComparable(version: string): boolean {
  const length = version.length;
  if (length === 0 || (length > 1 && version.charCodeAt(0) === 48)) return false;
  for (let i = 0; i < length; i++) {
    const digit = version.charCodeAt(i);
    if (digit < 48 || digit > 57) return false;
  }
  return true;
}

/** Negative if `a` is older than `b`. Both must be comparable (see `isComparable`). */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
