// Every record in canonical order, a chunk at a time: the caller asks again with where the last chunk ended.
import { possibleFact, possibleKey, type StoredFact, tenureKey } from '../../model/fact.ts';
import type { OccurrenceKind } from '../../model/occurrence.ts';
import type { Placement, PossibleTenure, Tenure } from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import { canonicalOrder, factKinds } from '../canonical.ts';
import { factOf, isOccurrence, typeOf } from '../occurrences/registry.ts';
import { compareTexts } from '../order.ts';
import type { RecordsChunk } from '../snapshot.ts';
import type { Life } from './format/record-layout.ts';
import type { ClusterEntry } from './head/head.ts';
import type { HeadReader } from './head/head-read.ts';
import type { IndexedTable } from './head/roots.ts';
import type { UidRow } from './head/row-reader.ts';
import type { Weeks } from './week/weeks.ts';

const FACTS_PER_CHUNK = 500;
const ALWAYS = { from: Number.MIN_SAFE_INTEGER as EpochMillis, to: Number.MAX_SAFE_INTEGER as EpochMillis };

/** `after` is "KIND:PLACE": the place is the last UID given, or the last time. */
export function recordsFrom(
  reader: HeadReader,
  order: HeadOrder,
  weeks: Weeks,
  cluster: ClusterEntry,
  after: string | undefined,
  isKept: (record: Tenure | Placement) => boolean,
): RecordsChunk {
  const kinds = factKinds();
  const cut = after?.indexOf(':') ?? 0;
  const kind = (after?.slice(0, cut) ?? kinds[0]) as StoredFact['kind'];
  const place = after === undefined || after.length === cut + 1 ? undefined : after.slice(cut + 1);
  const facts: StoredFact[] = [];
  let last: string | undefined;
  for (const [at, group] of groups(reader, order, weeks, cluster, kind, place, isKept)) {
    facts.push(...canonicalOrder(group));
    if (facts.length < FACTS_PER_CHUNK) continue;
    last = at;
    break;
  }
  if (last !== undefined) return { facts, next: `${kind}:${last}` };
  const following = kinds[kinds.indexOf(kind) + 1];
  return { facts, next: following === undefined ? undefined : `${following}:` };
}

/** Facts of one kind that share a UID, or a time. */
function* groups(
  reader: HeadReader,
  order: HeadOrder,
  weeks: Weeks,
  cluster: ClusterEntry,
  kind: StoredFact['kind'],
  after: string | undefined,
  isKept: (record: Tenure | Placement) => boolean,
): Generator<readonly [place: string, facts: StoredFact[]]> {
  const { number } = cluster;
  if (isOccurrence({ kind })) {
    yield* occurrenceGroups(reader, cluster, kind as OccurrenceKind, after);
    return;
  }
  switch (kind) {
    case 'coverage':
      yield ['', reader.coverage.of(number).map((coverage): StoredFact => ({ kind: 'coverage', coverage }))];
      return;
    case 'tenure':
    case 'placement':
      for (const [uid, lives] of byUid(reader, weeks, cluster, order.rows(kind), after ?? '')) {
        if (uid === after) continue;
        const facts = kind === 'tenure' ? tenureFacts(lives, isKept) : placementFacts(lives, isKept);
        if (facts.length > 0) yield [uid, facts];
      }
      return;
    case 'possible':
      for (const possible of reader.possible(number, ALWAYS).sort(byKey)) {
        const key = possibleKey(possible);
        const isExpired =
          cluster.expiredTo !== undefined && (possible.end?.notAfter ?? cluster.expiredTo) < cluster.expiredTo;
        if ((after === undefined || compareTexts(key, after) > 0) && !isExpired) yield [key, [possibleFact(possible)]];
      }
      return;
    case 'live':
      for (const row of rowsFrom(order.rows(kind), after ?? '')) {
        const { uid } = row;
        const found = uid === after ? undefined : reader.rows.rowIfThere(number, kind, row);
        if (found === undefined) continue;
        yield [uid, [{ kind: 'live', uid, state: reader.liveState(found).state }]];
      }
  }
}

function byKey(a: PossibleTenure, b: PossibleTenure): number {
  return compareTexts(possibleKey(a), possibleKey(b));
}

function* occurrenceGroups(
  reader: HeadReader,
  cluster: ClusterEntry,
  kind: OccurrenceKind,
  after: string | undefined,
): Generator<readonly [time: string, facts: StoredFact[]]> {
  // What has expired is hidden before it is removed.
  const from = after === undefined ? Math.max(keptSince(cluster, kind), ALWAYS.from) : Number(after) + 1;
  const { place } = typeOf(kind);
  let time: number | undefined;
  let facts: StoredFact[] = [];
  for (const record of reader.occurrences.within(cluster.number, kind, { from: from as EpochMillis, to: ALWAYS.to })) {
    const next = place(record as never).time;
    if (time !== undefined && next !== time) {
      yield [String(time), facts];
      facts = [];
    }
    time = next;
    facts.push(factOf(kind, record));
  }
  if (time !== undefined) yield [String(time), facts];
}

/** Occurrences of the kind before it have expired. */
export function keptSince({ expiredTo, expiredKinds }: ClusterEntry, kind: OccurrenceKind): number {
  const ofKind = expiredKinds.get(typeOf(kind).number)?.expired_to;
  return Math.max(expiredTo ?? Number.NEGATIVE_INFINITY, ofKind ?? Number.NEGATIVE_INFINITY);
}

/** The head's version of a record comes first and wins. */
function tenureFacts(lives: readonly Life[], isKept: (tenure: Tenure) => boolean): StoredFact[] {
  const found = new Map<string, Tenure>();
  for (const tenure of lives.flatMap(({ tenures }) => tenures)) {
    const key = tenureKey(tenure);
    if (!found.has(key)) found.set(key, tenure);
  }
  return [...found.values()].filter(isKept).map((tenure) => ({ kind: 'tenure', tenure }));
}

function placementFacts(lives: readonly Life[], isKept: (placement: Placement) => boolean): StoredFact[] {
  const placement = lives.find((life) => life.placement !== undefined)?.placement;
  return placement === undefined || !isKept(placement) ? [] : [{ kind: 'placement', placement }];
}

function* byUid(
  reader: HeadReader,
  weeks: Weeks,
  cluster: ClusterEntry,
  rows: readonly OrderedRow[],
  from: string,
): Generator<readonly [uid: string, lives: readonly Life[]]> {
  const head = headLives(reader, cluster.number, rowsFrom(rows, from));
  const sources: Iterator<Life>[] = [head, ...cluster.weeks.map((entry) => weeks.open(entry).livesFrom(from))];
  try {
    const fronts = sources.map((source) => source.next());
    for (;;) {
      let uid: string | undefined;
      for (const front of fronts) {
        if (front.done) continue;
        const other = (front.value as Life).holder.uid;
        if (uid === undefined || compareTexts(other, uid) < 0) uid = other;
      }
      if (uid === undefined) return;
      const lives: Life[] = [];
      for (const [i, source] of sources.entries()) {
        for (let front = fronts[i]!; !front.done && front.value.holder.uid === uid; front = fronts[i]!) {
          lives.push(front.value);
          fronts[i] = source.next();
        }
      }
      yield [uid, lives];
    }
  } finally {
    for (const source of sources) source.return?.();
  }
}

function* headLives(reader: HeadReader, cluster: number, rows: Iterable<OrderedRow>): Generator<Life> {
  for (const ordered of rows) {
    const row = reader.rows.rowIfThere(cluster, ordered.table, ordered);
    if (row !== undefined) yield reader.rows.life(row);
  }
}

interface OrderedRow extends UidRow {
  readonly table: IndexedTable;
}

/** The head's rows in the order of their UIDs, found once for each export and kind. */
export class HeadOrder {
  readonly #reader: HeadReader;
  readonly #cluster: number;
  readonly #rows = new Map<string, readonly OrderedRow[]>();

  constructor(reader: HeadReader, cluster: number) {
    this.#reader = reader;
    this.#cluster = cluster;
  }

  rows(table: OrderedRow['table']): readonly OrderedRow[] {
    let rows = this.#rows.get(table);
    if (rows === undefined) {
      rows = this.#reader.rows.byUid(table, this.#cluster).map((row) => ({ table, ...row }));
      this.#rows.clear();
      this.#rows.set(table, rows);
    }
    return rows;
  }
}

/** From the first whose UID is not before `uid`. */
function* rowsFrom(rows: readonly OrderedRow[], uid: string): Generator<OrderedRow> {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareTexts(rows[middle]!.uid, uid) < 0) low = middle + 1;
    else high = middle;
  }
  for (; low < rows.length; low++) yield rows[low]!;
}
