// When the ledger was watching, and when not: coverage records in their order, and the gaps between them.
import type { Expired } from '../engines/snapshot.ts';
import { type Coverage, type Holder, sees } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';

export interface Gap {
  readonly from: EpochMillis;
  readonly to: EpochMillis;
  readonly reason: Coverage['opened'];
}

export interface WatchedTime {
  /** Undefined before the first record. */
  readonly first: EpochMillis | undefined;
  readonly last: EpochMillis | undefined;
  readonly gaps: readonly Gap[];
  readonly stretches: readonly Coverage[];
  /** Lying over the stretches: services or nodes may have come and gone unseen. */
  readonly partial: readonly Coverage[];
  /** Ranges whose closed records were removed. */
  readonly expired: readonly Expired[];
}

/** `coverage` is in order of its beginnings. A later record that overlaps an earlier one leaves no gap. */
export function watchedTime(coverage: readonly Coverage[], expired: readonly Expired[] = []): WatchedTime {
  const gaps: Gap[] = [];
  const stretches = coverage.filter(({ scope }) => scope.kind !== 'pods');
  const partial = coverage.filter(({ scope }) => scope.kind === 'pods');
  let last: EpochMillis | undefined;
  for (const { from, to, opened } of stretches) {
    if (last !== undefined && from > last) gaps.push({ from: last, to: from, reason: opened });
    if (last === undefined || to > last) last = to;
  }
  return { first: stretches[0]?.from, last, gaps, stretches, partial, expired };
}

/** The stretch in which the instant lies. Both ends belong to it: at both the watch was seen alive. */
export function stretchAt(watched: WatchedTime, at: EpochMillis): Coverage | undefined {
  const around = (c: Coverage) => c.from <= at && at <= c.to;
  const stretch = watched.stretches.findLast(around);
  const partial = stretch?.scope.kind === 'cluster' ? watched.partial.find(around) : undefined;
  return stretch === undefined || partial === undefined ? stretch : { ...stretch, scope: partial.scope };
}

export function gapAt(watched: WatchedTime, at: EpochMillis): Gap | undefined {
  return watched.gaps.find((gap) => gap.from < at && at < gap.to);
}

/** The gap that the instant is too close to: not everything about it had been reported when the watch was lost. */
export function gapSoonAfter(watched: WatchedTime, at: EpochMillis): Gap | undefined {
  const stretch = stretchAt(watched, at);
  if (stretch === undefined || at <= stretch.confirmed) return undefined;
  return watched.gaps.find((gap) => gap.from === stretch.to);
}

export function isExpiredAt(watched: WatchedTime, at: EpochMillis): boolean {
  return watched.expired.some(({ from, to }) => from <= at && at < to);
}

/** Only a recorder of the whole cluster can say that nobody held an address. */
export function seesEverything(scope: Coverage['scope']): boolean {
  return scope.kind === 'cluster';
}

/** Until when somebody watched what this holder is part of: a recorder of other namespaces says nothing about it. */
export function lastSeen(
  { stretches, last }: WatchedTime,
  holder: Pick<Holder, 'kind' | 'namespace'>,
): EpochMillis | undefined {
  const present = stretches.at(-1);
  if (present === undefined || sees(present.scope, holder)) return last;
  return stretches.findLast(({ scope }) => sees(scope, holder))?.to;
}
