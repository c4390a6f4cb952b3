// Ages as PodTrackers write them: numbers with the units d, h, m and s, one after the other.

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** Milliseconds, or undefined if it is no age. */
export function parseAge(text: string): number | undefined {
  if (!/^(\d+[dhms])+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)([dhms])/g)) ms += Number(count) * UNIT_MS[unit as 'd'];
  return ms;
}
