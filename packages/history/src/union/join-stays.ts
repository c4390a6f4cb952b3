// What several ledgers say of the same thing (a pod with an address, a pod on a node), joined to one record where that is
// sure. Each ledger's bounds are right by themselves, so what lies in the bounds of all of them is, too. Pure.
//
// Invariant: no instant is certain that not one of the ledgers is certain of, and none of which another one that was
// watching knows nothing.
import type { Boundary } from '../model/boundary.ts';
import type { Holder } from '../model/records.ts';
import { clamp, type EpochMillis, epochMillis, NOT_KNOWN_YET, REPORTING_LAG_MS } from '../model/time.ts';
import { isDoubtful, neverCertain } from '../observe/boundaries.ts';
import { lastOf, type Part } from './part.ts';

interface Stay {
  readonly start: Boundary;
  readonly end: Boundary | undefined;
}

export interface Kind<T> {
  /** Records of one key may be the same thing. */
  readonly keyOf: (record: T) => string;
  readonly holderOf: (record: T) => Holder;
  /** A ledger that watched would have this record: else it speaks against it. */
  readonly isShownToAll: boolean;
}

type WatchedPart = Pick<Part, 'coverage'>;

/** `found[i]`: what `parts[i]` has. */
export function joinStays<T extends Stay>(
  parts: readonly WatchedPart[],
  found: readonly (readonly T[])[],
  kind: Kind<T>,
): T[] {
  const groups = new Map<string, (readonly T[])[]>();
  for (const [i, records] of found.entries()) {
    for (const record of records) {
      const key = kind.keyOf(record);
      let group = groups.get(key);
      if (group === undefined) groups.set(key, (group = parts.map(() => [])));
      (group[i] as T[]).push(record);
    }
  }
  const last = parts.map(lastOf);
  const latest = Math.max(...last.map((instant) => instant ?? Number.NEGATIVE_INFINITY));
  return [...groups.values()].flatMap((group) => joinGroup(parts, group, kind, last, latest));
}

function joinGroup<T extends Stay>(
  parts: readonly WatchedPart[],
  group: readonly (readonly T[])[],
  kind: Kind<T>,
  last: readonly (EpochMillis | undefined)[],
  latest: number,
): T[] {
  const doubted = (record: T): T => {
    const isDoubted =
      kind.isShownToAll && parts.some((part, i) => group[i]?.length === 0 && speaksAgainst(part, record));
    return isDoubted && isPodOfItsOwn(kind.holderOf(record))
      ? { ...record, start: neverCertain(record.start) }
      : record;
  };
  const knowing = group.filter(({ length }) => length > 0);
  // Several lives of one thing in one ledger: which is which in another is not sure, and all of them stay.
  if (knowing.every(({ length }) => length === 1)) {
    const open = group.findIndex(
      (records, i) => records[0]?.end === undefined && records.length > 0 && last[i] === latest,
    );
    const [first, ...others] = knowing.flat() as [T, ...T[]];
    let joined = first;
    for (const other of others) joined = joinTwo(joined, other);
    if (joined.end !== undefined || open >= 0) return [doubted(joined)];
    return [doubted({ ...joined, end: openEnd(joined, newestOf(group, last)) })];
  }
  return group.flatMap((records, i) =>
    records.map((record) => {
      const isStale = record.end === undefined && (last[i] ?? 0) < latest;
      return doubted(isStale ? { ...record, end: openEnd(record, last[i]) } : record);
    }),
  );
}

/** It has not ended as far as these ledgers know, and others know more of the time after. */
function openEnd({ start }: Stay, last: EpochMillis | undefined): Boundary {
  const notBefore = last !== undefined && last > start.at ? last : start.at;
  return { ...start, source: 'inferred', at: notBefore, notBefore, notAfter: NOT_KNOWN_YET, observedAt: notBefore };
}

function newestOf<T>(
  group: readonly (readonly T[])[],
  last: readonly (EpochMillis | undefined)[],
): EpochMillis | undefined {
  const known = group.flatMap((records, i) => (records.length > 0 ? (last[i] ?? []) : []));
  return known.length === 0 ? undefined : epochMillis(Math.max(...known));
}

function joinTwo<T extends Stay>(a: T, b: T): T {
  const end = a.end === undefined ? b.end : b.end === undefined ? a.end : joinBoundaries(a.end, b.end);
  const start = joinBoundaries(a.start, b.start);
  // Where one that has ended knows more of the holder, and else the first.
  const base = a.end === undefined && b.end !== undefined ? b : a;
  if (end !== undefined && end.at < start.at) return { ...base, start: { ...start, at: start.notBefore }, end };
  return { ...base, start, end };
}

/** What both allow; where nothing is left, they disagree, and everything that either allows is possible. */
function joinBoundaries(a: Boundary, b: Boundary): Boundary {
  const notBefore = a.notBefore > b.notBefore ? a.notBefore : b.notBefore;
  const notAfter = a.notAfter < b.notAfter ? a.notAfter : b.notAfter;
  const tighter = a.notAfter - a.notBefore <= b.notAfter - b.notBefore ? a : b;
  if (notBefore <= notAfter) return { ...tighter, notBefore, notAfter, at: clamp(tighter.at, notBefore, notAfter) };
  return {
    ...tighter,
    notBefore: a.notBefore < b.notBefore ? a.notBefore : b.notBefore,
    notAfter: a.notAfter > b.notAfter ? a.notAfter : b.notAfter,
  };
}

/** It watched everything while the record certainly lasted, and has none. */
function speaksAgainst({ coverage }: WatchedPart, { start, end }: Stay): boolean {
  if (isDoubtful(start)) return false;
  const until = end?.notBefore ?? start.observedAt;
  return coverage.some(({ scope, from, confirmed }) => {
    if (scope.kind !== 'cluster') return false;
    const [first, last] = [Math.max(from, start.notAfter), Math.min(confirmed, until)];
    return last - first > REPORTING_LAG_MS;
  });
}

function isPodOfItsOwn({ kind, hostNetwork }: Holder): boolean {
  return kind === 'Pod' && !hostNetwork;
}
