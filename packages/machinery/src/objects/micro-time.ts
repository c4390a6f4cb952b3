// Kubernetes' MicroTime, as Leases and Events carry it.

/** RFC 3339 with exactly six decimals, which the server insists on. */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
