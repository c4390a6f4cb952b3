// How long `record --retention` keeps what has ended.
import { UsageError } from '../errors.ts';
import { parseDuration } from '../times/duration.ts';

/** Shorter ones are typing errors: what is forgotten does not come back. */
const LEAST_MS = 3_600_000;

/** A duration as Go writes it, or days of 24 hours: where everything is forgotten by the hour, no calendar matters. */
export function retentionMs(text: string): number {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const ms = days === undefined ? parseDuration(text) : Number(days) * 86_400_000;
  if (ms === undefined) throw new UsageError(`--retention ${text} is not a duration`, 'write 30d or 720h.');
  if (ms < LEAST_MS) throw new UsageError(`--retention ${text} is too short`, 'an hour is the least: 1h.');
  return ms;
}
