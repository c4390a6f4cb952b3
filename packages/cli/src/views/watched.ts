// Which parts of a span nobody watched, from the gaps of a cluster: what every listing says beside its records.
import {
  type Boundary,
  type Coverage,
  epochMillis,
  gaps,
  LONGEST_SPAN_MS,
  type Snapshot,
  type Span,
} from '@podtrail/history';
import { showDuration } from '../times/duration.ts';
import { showBoundary, showSpan, showTime, toUtcText } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';
import { gapReason } from './gap.ts';

export interface Unwatched {
  readonly from: number;
  /** Undefined: it goes on. */
  readonly to: number | undefined;
  readonly reason: Coverage['opened'] | 'not-watching' | 'removed' | 'in-the-future';
}

export interface Watching {
  /** The first and the last instant of watching; undefined when nothing was ever recorded. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly gaps: readonly Unwatched[];
}

/** A recorder tells the store every half second that it watches; silent for longer than this, it does not. */
const SILENT_MS = 5000;

const UNKNOWN = '<unknown>';

/** How far around the span gaps are told whole. */
const AROUND_MS = 30 * 86_400_000;

/**
 * Gaps that touch the span, whole: that an instant lies in one says little without its ends. `removed`: ranges of which
 * only what is asked for here has expired.
 */
export async function readWatching(
  snapshot: Snapshot,
  span: Span,
  now: number,
  removed: readonly Span[] = [],
): Promise<Watching> {
  const around = Math.min(AROUND_MS, Math.floor((LONGEST_SPAN_MS - (span.to - span.from)) / 2));
  const wide = { from: epochMillis(Math.max(0, span.from - around)), to: epochMillis(span.to + around) };
  const { first, last, gaps: found, expired } = await gaps(snapshot, { span: wide });
  const all: Unwatched[] = [
    ...[...expired, ...removed].map(({ from, to }) => ({ from, to, reason: 'removed' as const })),
    ...found,
  ];
  if (last !== undefined && now - last > SILENT_MS) all.push({ from: last, to: undefined, reason: 'not-watching' });
  if (span.to > now + 1) all.push({ from: now, to: undefined, reason: 'in-the-future' });
  const touching = all.filter((gap) => gap.from < span.to && (gap.to === undefined || gap.to > span.from));
  return { first, last, gaps: touching };
}

/** The last instant at which anybody is known to have watched. */
export function lastOf(coverage: readonly Coverage[]): number | undefined {
  return coverage.reduce<number | undefined>(
    (last, { to }) => (last === undefined || to > last ? to : last),
    undefined,
  );
}

export function unwatchedReason(reason: Unwatched['reason']): string {
  if (reason === 'in-the-future') return 'that time is in the future';
  if (reason === 'not-watching') return 'no recorder is watching';
  return reason === 'removed' ? 'records of that time have expired and were removed' : gapReason(reason);
}

export function unwatchedJson({ from, to, reason }: Unwatched) {
  return { from: toUtcText(from), to: to === undefined ? null : toUtcText(to), reason };
}

export function watchingJson({ first, last, gaps }: Watching) {
  return {
    from: first === undefined ? null : toUtcText(first),
    to: last === undefined ? null : toUtcText(last),
    gaps: gaps.map(unwatchedJson),
  };
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

/**
 * How far a record without an end is known to have lasted: to now while somebody watches, else to the last word.
 * Undefined where no time was watched at all, as after an import that was cut off.
 */
export function openUntil({ last }: Pick<Watching, 'last'>, now: number): number | undefined {
  return last === undefined || now - last > SILENT_MS ? last : now;
}

/** How long a record has lasted, as far as that is known. */
export function lastedText(
  { start, end }: { readonly start: Boundary; readonly end: Boundary | undefined },
  watching: Pick<Watching, 'last'>,
  now: number,
): string {
  const until = end?.at ?? openUntil(watching, now);
  return until === undefined ? UNKNOWN : showDuration(until - start.at);
}

/** The end of a record, or until when it is known to have lasted. */
export function endText(end: Boundary | undefined, watching: Pick<Watching, 'last'>, now: number, zone: Zone): string {
  if (end !== undefined) return showBoundary(end, zone);
  const until = openUntil(watching, now);
  if (until === undefined) return UNKNOWN;
  return until === now ? '<present>' : `<open at ${showTime(until, zone)}>`;
}

export function gapLength({ from, to }: Unwatched, now: number): string {
  return showDuration((to ?? now) - from);
}
