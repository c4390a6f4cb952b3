// The order of resourceVersions: decimals of any length. The same rule as in machinery, on which history may not lean.

export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Order is by (epoch, resourceVersion), never by time: what is not newer than the record is in it. */
export function isRecorded(
  before: { readonly epoch: number; readonly resourceVersion: string } | undefined,
  epoch: number,
  resourceVersion: string,
): boolean {
  return before?.epoch === epoch && compareVersions(resourceVersion, before.resourceVersion) <= 0;
}
