// What somebody writes into a field for a time: whatever the URL takes, or a wall time of the reader's zone.
import { parseInstant } from './span.ts';
import { instantInZone } from './zone.ts';

export const INSTANT_FORMS = '2026-11-15 10:05:00 in your zone, 2026-11-15T10:05:00Z, or 6h for six hours ago';

export function readInstant(text: string, now: number): number | undefined {
  const at = parseInstant(text, now);
  if (at !== undefined) return at;
  const wall = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?)?$/.exec(text.trim());
  return wall === null ? undefined : instantInZone(`${wall[1]}T${wall[2] ?? '00:00'}${wall[3] ?? ':00'}`);
}
