// What somebody wrote into the field for the time: whatever the URL takes, or a time as logs write it. Pure.
import { parseInstant } from '../times/span.ts';
import { type PasteClock, withoutDay } from './days.ts';
import { findTimes } from './times.ts';

/** `day`: of a time of day alone. Undefined unless all of it is understood: what is left may be a date or a zone. */
export function readWhen(typed: string, day: string | undefined, clock: PasteClock): number | undefined {
  return parseInstant(typed, clock.now) ?? wholeTime(`${day ?? ''} ${typed}`, clock) ?? wholeTime(typed, clock);
}

function wholeTime(text: string, clock: PasteClock): number | undefined {
  const [time, second] = findTimes(text, clock);
  if (time === undefined || second !== undefined || time.rank > 3) return undefined;
  const rest = text.replace(time.text, '');
  // The date may stand apart.
  return /^\W*$/.test(time.hasDate ? withoutDay(rest) : rest) ? time.at : undefined;
}
