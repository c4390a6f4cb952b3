// Which parts of a span nobody watched, from the coverage of a cluster: what every listing says beside its records.
import type { Engine } from '@podtrail/history';
import type { Boundary, Coverage, Span } from '../ledger-types.ts';
import { showDuration } from '../times/duration.ts';
import { showBoundary, showSpan, showTime, toUtcText } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';
import { gapReason } from './gap.ts';

export interface Unwatched {
  readonly from: number;
  /** Undefined: it goes on. */
  readonly to: number | undefined;
  readonly reason: Coverage['opened'] | 'not-watching' | 'removed';
}

export interface Watching {
  /** The first and the last instant of watching; undefined when nothing was ever recorded. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly gaps: readonly Unwatched[];
}

/** A recorder tells the store every half second that it watches; silent for longer than this, it does not. */
const SILENT_MS = 5000;

export async function readWatching(engine: Engine, cluster: string, span: Span, now: number): Promise<Watching> {
  const [coverage, expired] = await Promise.all([engine.coverage(cluster), engine.expired(cluster)]);
  const gaps: Unwatched[] = expired.map(({ from, to }) => ({ from, to, reason: 'removed' }));
  let last: number | undefined;
  for (const { from, to, opened } of coverage) {
    if (last !== undefined && from > last) gaps.push({ from: last, to: from, reason: opened });
    last = last === undefined ? to : Math.max(last, to);
  }
  if (last !== undefined && now - last > SILENT_MS) gaps.push({ from: last, to: undefined, reason: 'not-watching' });
  const touching = gaps.filter((gap) => gap.from < span.to && (gap.to === undefined || gap.to > span.from));
  return { first: coverage[0]?.from, last, gaps: touching };
}

/** The last instant at which anybody is known to have watched. */
export function lastOf(coverage: readonly Coverage[]): number | undefined {
  return coverage.reduce<number | undefined>(
    (last, { to }) => (last === undefined || to > last ? to : last),
    undefined,
  );
}

export function unwatchedReason(reason: Unwatched['reason']): string {
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

/** How far a record without an end is known to have lasted: to now while somebody watches, else to the last word. */
export function openUntil({ last }: Pick<Watching, 'last'>, now: number): number {
  return last === undefined || now - last <= SILENT_MS ? now : last;
}

/** The end of a record, or until when it is known to have lasted. */
export function endText(end: Boundary | undefined, watching: Pick<Watching, 'last'>, now: number, zone: Zone): string {
  if (end !== undefined) return showBoundary(end, zone);
  const until = openUntil(watching, now);
  return until === now ? '<present>' : `<open at ${showTime(until, zone)}>`;
}

export function gapLength({ from, to }: Unwatched, now: number): string {
  return showDuration((to ?? now) - from);
}
