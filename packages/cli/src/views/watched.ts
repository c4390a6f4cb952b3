// What of a span nobody watched, and how long records lasted as far as that is known, in words for people.
import { type Boundary, type EpochMillis, openUntil, type Unwatched, type Watching } from '@podtrail/history/wire';
import { showDuration } from '../times/duration.ts';
import { showBoundary, showSpan, showTime } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';
import { gapReason } from './gap.ts';

const UNKNOWN = '<unknown>';

export function unwatchedReason(reason: Unwatched['reason']): string {
  if (reason === 'in-the-future') return 'that time is in the future';
  if (reason === 'before-first-record') return 'nothing had been recorded yet';
  if (reason === 'pods-only') return 'pods were watched, services or nodes were not';
  if (reason === 'not-watching') return 'no recorder is watching';
  return reason === 'removed' ? 'records of that time have expired and were removed' : gapReason(reason);
}

/** For standard error, beside a listing that may lack something. Undefined when there is nothing to say. */
export function gapWarning({ gaps }: Watching, zone: Zone): string | undefined {
  const [first] = gaps;
  if (first === undefined) return undefined;
  const when =
    first.to === undefined ? `since ${showTime(first.from, zone)}` : `from ${showSpan(first.from, first.to, zone)}`;
  const others = gaps.length === 1 ? '' : `, and ${gaps.length - 1} more ${gaps.length === 2 ? 'gap' : 'gaps'}`;
  return `nobody was watching ${when} (${unwatchedReason(first.reason)})${others}: what happened then may be missing here`;
}

/** How long a record has lasted, as far as that is known. */
export function lastedText(
  { start, end }: { readonly start: Boundary; readonly end: Boundary | undefined },
  watching: Pick<Watching, 'last'>,
  now: EpochMillis,
): string {
  const until = end?.at ?? openUntil(watching, now);
  return until === undefined ? UNKNOWN : showDuration(until - start.at);
}

/** The end of a record, or until when it is known to have lasted. */
export function endText(
  end: Boundary | undefined,
  watching: Pick<Watching, 'last'>,
  now: EpochMillis,
  zone: Zone,
): string {
  if (end !== undefined) return showBoundary(end, zone);
  const until = openUntil(watching, now);
  if (until === undefined) return UNKNOWN;
  return until === now ? '<present>' : `<open at ${showTime(until, zone)}>`;
}

export function gapLength({ from, to }: Unwatched, now: EpochMillis): string {
  return showDuration((to ?? now) - from);
}
