// When anybody was watching: what every listing says beside its records, because silence in a gap is not absence.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import type { Coverage } from '../model/records.ts';
import { type EpochMillis, epochMillis, toText } from '../model/time.ts';
import { gaps } from '../query/gaps.ts';
import { LONGEST_SPAN_MS } from '../query/limits.ts';
import { LIVENESS_MS } from '../query/liveness.ts';
import type { AskedSpan } from './asked.ts';
import { textOrNull } from './holder.ts';
import type { GapDocument, WatchingDocument } from './schemas/index.ts';
import { watchedUntil } from './watched-until.ts';

export interface Unwatched {
  readonly from: EpochMillis;
  /** Undefined: it goes on. */
  readonly to: EpochMillis | undefined;
  readonly reason:
    | Coverage['opened']
    | 'before-first-record'
    | 'not-watching'
    | 'removed'
    | 'in-the-future'
    /** Pods were watched, and services or nodes were not: nothing is free. */
    | 'pods-only';
}

export interface Watching {
  /** The first and the last instant of watching; undefined when nothing was ever recorded. */
  readonly first: EpochMillis | undefined;
  readonly last: EpochMillis | undefined;
  /** What documents say instead of `last`: no more than was asked about, while somebody watches. */
  readonly until: EpochMillis | undefined;
  readonly gaps: readonly Unwatched[];
  /** Where only pods were watched: no gap for them. */
  readonly podsOnly: readonly Unwatched[];
}

/** `at`: it is that instant. */
type WatchedSpan = Span & Partial<Pick<AskedSpan, 'hasSince' | 'hasUntil'>> & { readonly at?: EpochMillis | undefined };

/** How far around the span gaps are given whole. */
const AROUND_MS = 30 * 86_400_000;

/**
 * Gaps that touch the span, whole: that an instant lies in one says little without its ends. `removed`: ranges of which
 * only what is asked for here has expired.
 */
export async function readWatching(
  snapshot: Snapshot,
  span: WatchedSpan,
  now: EpochMillis,
  removed: readonly Span[] = [],
): Promise<Watching> {
  const around = Math.min(AROUND_MS, Math.floor((LONGEST_SPAN_MS - (span.to - span.from)) / 2));
  const wide = { from: epochMillis(Math.max(0, span.from - around)), to: epochMillis(span.to + around) };
  const { first, last, gaps: found, podsOnly, expired } = await gaps(snapshot, { span: wide });
  const all: Unwatched[] = [
    ...[...expired, ...removed].map(({ from, to }) => ({ from, to, reason: 'removed' as const })),
    ...found,
  ];
  if (first !== undefined && span.from < first && isAskedBefore(span, first))
    all.push({ from: span.from, to: first, reason: 'before-first-record' });
  if (last !== undefined && now - last > LIVENESS_MS) all.push({ from: last, to: undefined, reason: 'not-watching' });
  if (span.to > now + 1) all.push({ from: now, to: undefined, reason: 'in-the-future' });
  const touches = ({ from, to }: Unwatched) => from < span.to && (to === undefined || to > span.from);
  const end = span.hasUntil === false ? Number.POSITIVE_INFINITY : (span.at ?? span.to);
  return {
    ...{ first, last, until: watchedUntil(last, end, now), gaps: inOrder(all.filter(touches)) },
    podsOnly: podsOnly.map(({ from, to }) => ({ from, to, reason: 'pods-only' as const })).filter(touches),
  };
}

/** Whoever gave no beginning asks about what there is, but for a time that ended before that. */
function isAskedBefore({ at, to, hasSince, hasUntil }: WatchedSpan, first: EpochMillis): boolean {
  return hasSince === true || at !== undefined || (hasUntil === true && to <= first);
}

export function inOrder(gaps: readonly Unwatched[]): Unwatched[] {
  return gaps.toSorted((a, b) => a.from - b.from);
}

/** The first and the last instant of which anybody is known to have watched everything, or the recorder's namespaces. */
export type Watched = Pick<Watching, 'first' | 'last'>;

export function watchedFromTo(coverage: readonly Coverage[]): Watched {
  let first: EpochMillis | undefined;
  let last: EpochMillis | undefined;
  for (const { scope, from, to } of coverage) {
    if (scope.kind !== 'pods' && (first === undefined || from < first)) first = from;
    if (last === undefined || to > last) last = to;
  }
  return { first, last };
}

/**
 * How far a record without an end is known to have lasted: to now while somebody watches, else to the last word.
 * Undefined where no time was watched at all, as after an import that was cut off.
 */
export function openUntil({ last }: Pick<Watching, 'last'>, now: EpochMillis): EpochMillis | undefined {
  return last === undefined || now - last > LIVENESS_MS ? last : now;
}

/** The span to read: while somebody watches, the last word of the watch stands for now. */
export function asFarAsKnown(span: Span, { last }: Pick<Watching, 'last'>, now: EpochMillis): Span {
  if (last === undefined || last >= span.from || openUntil({ last }, now) !== now) return span;
  return { from: last, to: span.to };
}

export function gapDocument({ from, to, reason }: Unwatched): GapDocument {
  return { from: toText(from), to: textOrNull(to), reason };
}

export function watchingDocument({ first, until, gaps }: Omit<Watching, 'podsOnly' | 'last'>): WatchingDocument {
  return { from: textOrNull(first), to: textOrNull(until), gaps: gaps.map(gapDocument) };
}
