// The order of resourceVersions: decimals of any length. The same rule as in machinery, on which history may not lean.

export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
