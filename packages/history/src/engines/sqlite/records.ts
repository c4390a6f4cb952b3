// Every record in canonical order, a chunk at a time: the caller asks again with where the last chunk ended.
import { possibleFact, possibleKey, type StoredFact, tenureKey } from '../../model/fact.ts';
import type { Placement, PossibleTenure, Tenure } from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import { canonicalOrder, KINDS } from '../canonical.ts';
import { compareTexts } from '../order.ts';
import type { RecordsChunk } from '../snapshot.ts';
import type { Life } from './format/record-layout.ts';
import type { ClusterEntry } from './head/head.ts';
import type { HeadReader, UidRow } from './head/head-read.ts';
import type { IndexedTable } from './head/roots.ts';
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
  const cut = after?.indexOf(':') ?? 0;
  const kind = (after?.slice(0, cut) ?? KINDS[0]) as StoredFact['kind'];
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
  const following = KINDS[KINDS.indexOf(kind) + 1];
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
  // What has expired is hidden before it is removed.
  const isChange = kind === 'change';
  const first = Math.max(
    cluster.expiredTo ?? ALWAYS.from,
    (isChange ? cluster.changesExpiredTo : undefined) ?? ALWAYS.from,
  );
  const span = { from: (after === undefined ? first : Number(after) + 1) as EpochMillis, to: ALWAYS.to };
  const byTime = <T extends { readonly observedAt: number }>(records: Iterable<T>, toFact: (record: T) => StoredFact) =>
    grouped(records, (record) => String(record.observedAt), toFact);
  switch (kind) {
    case 'coverage':
      yield ['', reader.coverage(number).map((coverage): StoredFact => ({ kind: 'coverage', coverage }))];
      return;
    case 'tenure':
    case 'placement':
      for (const [uid, lives] of byUid(reader, weeks, cluster, order.rows(kind), after ?? '')) {
        if (uid === after) continue;
        const facts = kind === 'tenure' ? tenureFacts(lives, isKept) : placementFacts(lives, isKept);
        if (facts.length > 0) yield [uid, facts];
      }
      return;
    case 'change':
      yield* byTime(reader.allChanges(number, span), (change) => ({ kind: 'change', change }));
      return;
    case 'conflict':
      yield* byTime(reader.conflicts(number, span), (conflict) => ({ kind: 'conflict', conflict }));
      return;
    case 'anomaly':
      yield* byTime(reader.anomalies(number, span), (anomaly) => ({ kind: 'anomaly', anomaly }));
      return;
    case 'possible':
      for (const possible of reader.possible(number, ALWAYS).sort(byKey)) {
        const key = possibleKey(possible);
        const isExpired = cluster.expiredTo !== undefined && (possible.end?.notAfter ?? first) < cluster.expiredTo;
        if ((after === undefined || compareTexts(key, after) > 0) && !isExpired) yield [key, [possibleFact(possible)]];
      }
      return;
    case 'live':
      for (const row of rowsFrom(order.rows(kind), after ?? '')) {
        const { uid } = row;
        const found = uid === after ? undefined : reader.rowIfThere(number, kind, row);
        if (found === undefined) continue;
        yield [uid, [{ kind: 'live', uid, state: reader.liveState(found).state }]];
      }
  }
}

function byKey(a: PossibleTenure, b: PossibleTenure): number {
  return compareTexts(possibleKey(a), possibleKey(b));
}

function* grouped<T>(
  records: Iterable<T>,
  placeOf: (record: T) => string,
  toFact: (record: T) => StoredFact,
): Generator<readonly [string, StoredFact[]]> {
  let place: string | undefined;
  let facts: StoredFact[] = [];
  for (const record of records) {
    const next = placeOf(record);
    if (place !== undefined && next !== place) {
      yield [place, facts];
      facts = [];
    }
    place = next;
    facts.push(toFact(record));
  }
  if (place !== undefined) yield [place, facts];
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
    const row = reader.rowIfThere(cluster, ordered.table, ordered);
    if (row !== undefined) yield reader.life(row);
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
      rows = this.#reader.byUid(table, this.#cluster).map((row) => ({ table, ...row }));
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
