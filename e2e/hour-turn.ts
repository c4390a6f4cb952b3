// Hourly ConfigMaps turn with the clock, and a process of its own has no clock but the machine's: a test that counts
// the ConfigMaps of one hour begins when enough of that hour is left.
import { setTimeout as sleep } from 'node:timers/promises';

const HOUR_MS = 3_600_000;

/** Resolves at once or, with fewer than `seconds` left of the hour (UTC), when the next one has begun. */
export async function hourWithRoomFor(seconds: number): Promise<void> {
  const left = HOUR_MS - (Date.now() % HOUR_MS);
  if (left < seconds * 1_000) await sleep(left + 1_000);
}
