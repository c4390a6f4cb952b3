// Ages of what may be forgotten: a duration as Go writes it, or days of 24 hours. Where everything is forgotten by the
// hour, no calendar matters.
import { UsageError } from '../errors.ts';
import { parseDuration } from './duration.ts';

/** Shorter ones are typing errors: what is forgotten does not come back. */
const LEAST_MS = 3_600_000;

export function ageMs(flag: string): (text: string) => number {
  return (text) => {
    const days = /^(\d{1,5})d$/.exec(text)?.[1];
    const ms = days === undefined ? parseDuration(text) : Number(days) * 86_400_000;
    if (ms === undefined) throw new UsageError(`${flag} ${text} is not a duration`, 'write 30d or 720h.');
    if (ms < LEAST_MS) throw new UsageError(`${flag} ${text} is too short`, 'an hour is the least: 1h.');
    return ms;
  };
}
