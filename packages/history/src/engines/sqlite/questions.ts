// What a store is asked, answered from head and week files as one. Called within one view of the store (view.ts);
// changes nothing.
import { isVoid, type LiveState, presentCoverage } from '../../model/fact.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type { OccurrenceKind, OccurrenceRecords } from '../../model/occurrence.ts';
import type { Coverage, Placement, PossibleTenure, Tenure } from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import { budgetStart, changeUses } from '../../observe/change-budget.ts';
import type { Resumption } from '../ledger-writer.ts';
import { concerns, isAsked, isExpired, isWithin, touches } from '../matching.ts';
import { typeOf } from '../occurrences/registry.ts';
import { cutPage, placementPlace, possiblePlace, sortedBy, tenurePlace } from '../order.ts';
import type { SizeLimit } from '../size-limit.ts';
import type {
  Cluster,
  Expired,
  Moment,
  OccurrenceQuestion,
  Page,
  Paged,
  RecordsChunk,
  Span,
  Subject,
} from '../snapshot.ts';
import type { StayKind, StaysChunk } from '../stay-columns.ts';
import type { Patrolled, Room, StoreStatus } from '../store-admin.ts';
import { answerPacked, type PackedAnswers, type PackedMoments } from './bulk.ts';
import { answerSpans, type PackedSpans, type PackedTenures } from './bulk-spans.ts';
import { handleOf } from './format/checksum.ts';
import { ipHandle } from './format/ip-key.ts';
import type { ClusterEntry, Head } from './head/head.ts';
import type { HeadReader } from './head/head-read.ts';
import { type Lookup, lookupOf } from './head/lookup.ts';
import { collect, sinceCursor } from './page-filling.ts';
import { readPatrolNote } from './patrol-note.ts';
import { HeadOrder, keptSince, recordsFrom } from './records.ts';
import { roomOf, storeBytes } from './room.ts';
import { StayReading } from './stays-within.ts';
import { Timelines } from './timelines.ts';
import { PLACEMENTS, Sealed, type SealedLookup, sealedLookup, TENURES } from './week/sealed.ts';
import type { Weeks } from './week/weeks.ts';

const ALWAYS: Span = { from: Number.MIN_SAFE_INTEGER as EpochMillis, to: Number.MAX_SAFE_INTEGER as EpochMillis };

/** Of those that somebody began and did not end, as many are remembered; what is forgotten is found again. */
const MOST_READINGS = 8;

export class Questions {
  readonly #head: Head;
  readonly #reader: HeadReader;
  readonly #weeks: Weeks;
  readonly #sealed: Sealed;
  readonly #version: number;
  readonly #timelines = new Timelines({
    sealed: (cluster, ip, from, to, isEnough) => this.#sealed.tenures(cluster, ip, from, to, isEnough),
    head: (cluster, ip) => [...this.#reader.tenures(cluster.number, { column: 'ip', ip }, ALWAYS)],
  });
  /** By cluster: of a reading in parts. */
  readonly #orders = new Map<number, HeadOrder>();
  /** By what is read; those that are under way. */
  readonly #readings = new Map<string, StayReading>();

  /** `version` is that of the store's format. */
  constructor(head: Head, reader: HeadReader, weeks: Weeks, version: number) {
    this.#head = head;
    this.#reader = reader;
    this.#weeks = weeks;
    this.#sealed = new Sealed(weeks);
    this.#version = version;
  }

  /** At the beginning of a view: what is remembered of a reading in parts is that of another state. */
  begin(): void {
    this.#orders.clear();
    this.#readings.clear();
  }

  clusters(): Cluster[] {
    return Array.from(this.#head.clusters().values(), ({ id, name }) => ({ id, name }));
  }

  resume(id: string): Resumption {
    const cluster = this.#head.cluster(id);
    const { number } = cluster;
    const checkpoint = this.#reader.coverage.checkpoint(number);
    const coverage = presentCoverage(this.#reader.coverage.of(number));
    const live = this.#reader.live(number);
    const span = keptSpan(cluster, 'change', { from: budgetStart(coverage?.to), to: ALWAYS.to });
    const uses = changeUses(sortedBy(this.#reader.occurrences.within(number, 'change', span), typeOf('change').place));
    const epoch = checkpoint?.epoch ?? coverage?.epoch ?? 1;
    return { state: { epoch, live, coverage, changeUses: uses }, checkpoint };
  }

  tenuresAt(id: string, ip: IpAddress, at: EpochMillis): Tenure[] {
    const cluster = this.#head.cluster(id);
    const { tenures: found, hasVersion } = this.#reader.tenuresAt(cluster.number, ip, at);
    for (const tenure of this.#sealed.tenures(cluster, ip, at, at + 1)) {
      // The head's version of a tenure wins, also where it does not hold.
      if (!hasVersion(tenure)) found.push(tenure);
    }
    const kept = cluster.expiredTo === undefined ? found : found.filter((tenure) => isKept(cluster, tenure));
    return kept.length > 1 ? sortedBy(kept, tenurePlace) : kept;
  }

  tenuresAtMany(id: string, moments: PackedMoments): PackedAnswers {
    return answerPacked(moments, this.#tenuresAsker(id));
  }

  /** The same for whoever is in the thread: nothing needs to be packed. */
  tenuresAtEach(id: string, moments: readonly Moment[]): readonly (readonly Tenure[])[] {
    const ask = this.#tenuresAsker(id);
    return moments.map(({ ip, at }) => ask(ip, at));
  }

  tenuresOfIp(id: string, ip: IpAddress, span: Span, page: Page): Paged<Tenure> {
    const by: Lookup = { column: 'ip', ip };
    return this.#tenures(id, by, { kind: 'ip', handle: ipHandle(ip) }, span, page, (tenure) => tenure.ip === ip);
  }

  tenuresOfIps(id: string, asked: PackedSpans, most: number): PackedTenures {
    const cluster = this.#head.cluster(id);
    return answerSpans(
      asked,
      most,
      this.#timelines.spanAsker(cluster, most, (tenure) => isKept(cluster, tenure)),
    );
  }

  tenuresOf(id: string, subject: Subject, span: Span, page: Page): Paged<Tenure> {
    const wanted = (tenure: Tenure) => concerns(subject, tenure.holder);
    return this.#tenures(id, lookupOf(subject), sealedLookup(subject), span, page, wanted);
  }

  placementsOf(id: string, subject: Subject, span: Span, page: Page): Paged<Placement> {
    const wanted = (placement: Placement) => concerns(subject, placement.pod);
    return this.#placements(id, lookupOf(subject), sealedLookup(subject), span, page, wanted);
  }

  placementsOn(id: string, node: string, span: Span, page: Page): Paged<Placement> {
    const handle = handleOf(node);
    const wanted = (placement: Placement) => placement.pod.node === node;
    return this.#placements(id, { column: 'node', handle }, { kind: 'node', handle }, span, page, wanted);
  }

  hostNetworkPodsOn(id: string, node: string, span: Span, page: Page): Paged<Placement> {
    const handle = handleOf(node);
    const wanted = ({ pod }: Placement) => pod.node === node && pod.hostNetwork;
    return this.#placements(id, { column: 'node', handle }, { kind: 'node', handle }, span, page, wanted);
  }

  staysWithin(id: string, kind: StayKind, span: Span, after: string | undefined): StaysChunk {
    const cluster = this.#head.cluster(id);
    const key = `${cluster.number} ${kind} ${span.from} ${span.to}`;
    let reading = this.#readings.get(key);
    if (reading === undefined) {
      const isWanted = (stay: Tenure | Placement) => touches(stay, span) && isKept(cluster, stay);
      reading = new StayReading({ reader: this.#reader, weeks: this.#weeks, cluster, kind, span, isWanted });
      if (this.#readings.size >= MOST_READINGS) this.#readings.clear();
      this.#readings.set(key, reading);
    }
    const chunk = reading.chunk(after);
    // Whoever reads it at the same time finds its place again.
    if (chunk.next === undefined) this.#readings.delete(key);
    return chunk;
  }

  possibleTenures(id: string, span: Span): PossibleTenure[] {
    const cluster = this.#head.cluster(id);
    const found = this.#reader.possible(cluster.number, span).filter((possible) => isKept(cluster, possible));
    return sortedBy(found, possiblePlace);
  }

  occurrences<K extends OccurrenceKind>(id: string, question: OccurrenceQuestion<K>): Paged<OccurrenceRecords[K]> {
    const { kind, key, subject, page, order } = question;
    const { place, about } = typeOf(kind);
    const cluster = this.#head.cluster(id);
    const span = sinceCursor(keptSpan(cluster, kind, question.span), page, order);
    const isWanted = (record: OccurrenceRecords[K]) =>
      (key === undefined || place(record).key === key) && isAsked(question, about(record));
    const found: OccurrenceRecords[K][] = [];
    const known = key === undefined ? undefined : this.#reader.occurrences.byKey(cluster.number, kind, key);
    if (known !== undefined) {
      if (isWithin(place(known).time, span) && isWanted(known)) found.push(known);
      return cutPage(found, place, page);
    }
    collect(
      this.#reader.occurrences.within(cluster.number, kind, span, subject, order),
      page,
      place,
      isWanted,
      found,
      order,
    );
    return cutPage(found, place, page, order);
  }

  coverage(id: string): Coverage[] {
    return this.#reader.coverage.of(this.#head.cluster(id).number).filter((one) => !isVoid(one));
  }

  expired(id: string, kind?: OccurrenceKind): Expired[] {
    const { expiredFrom, expiredTo, expiredKinds } = this.#head.cluster(id);
    const ofKind = kind === undefined ? undefined : expiredKinds.get(typeOf(kind).number);
    const [from, to] = kind === undefined ? [expiredFrom, expiredTo] : [ofKind?.expired_from, ofKind?.expired_to];
    return from === undefined || to === undefined ? [] : [{ from: from as EpochMillis, to: to as EpochMillis }];
  }

  liveStates(id: string): LiveState[] {
    return this.#reader.live(this.#head.cluster(id).number);
  }

  room(limit: SizeLimit): Room {
    return roomOf(this.#head, this.#weeks, limit);
  }

  patrolled(): Patrolled | undefined {
    return readPatrolNote(this.#head.path);
  }

  records(id: string, after: string | undefined): RecordsChunk {
    const cluster = this.#head.cluster(id);
    let order = this.#orders.get(cluster.number);
    if (order === undefined) this.#orders.set(cluster.number, (order = new HeadOrder(this.#reader, cluster.number)));
    return recordsFrom(this.#reader, order, this.#weeks, cluster, after, (record) => isKept(cluster, record));
  }

  status(): StoreStatus {
    const { db } = this.#head;
    const count = (table: string, number: number): number =>
      db.prepare(`SELECT count(*) AS n FROM ${table} WHERE cluster = ?`).get(number)!['n'] as number;
    const clusters = Array.from(this.#head.clusters().values(), ({ id, name, number, weeks }) => {
      let tenures = count('tenure', number);
      let placements = count('placement', number);
      for (const week of weeks) {
        tenures += week.tenures;
        placements += week.placements;
      }
      const ofChanges = 'SELECT count(*) AS n FROM occurrence WHERE cluster = ? AND kind = ?';
      const changes = db.prepare(ofChanges).get(number, typeOf('change').number)!['n'] as number;
      const counts = { tenures, placements, changes, live: count('live', number) };
      return { id, name, ...counts, checkpoint: this.#reader.coverage.checkpoint(number) };
    });
    return { version: this.#version, bytes: storeBytes(this.#head, this.#weeks), clusters };
  }

  #tenuresAsker(id: string): (ip: IpAddress, at: EpochMillis) => readonly Tenure[] {
    const cluster = this.#head.cluster(id);
    const ask = this.#timelines.asker(cluster, this.#head.layoutGeneration, this.#head.contentVersion);
    if (cluster.expiredTo === undefined) return ask;
    return (ip, at) => ask(ip, at).filter((tenure) => isKept(cluster, tenure));
  }

  #tenures(
    id: string,
    by: Lookup,
    sealed: SealedLookup,
    span: Span,
    page: Page,
    wanted: (tenure: Tenure) => boolean,
  ): Paged<Tenure> {
    const cluster = this.#head.cluster(id);
    const found: Tenure[] = [];
    const isWanted = (tenure: Tenure) => wanted(tenure) && touches(tenure, span) && isKept(cluster, tenure);
    collect(this.#reader.tenures(cluster.number, by, span), page, tenurePlace, isWanted, found);
    const isOurs = (tenure: Tenure) => isWanted(tenure) && !this.#reader.hasTenure(cluster.number, tenure);
    this.#sealed.collect(cluster, sealed, TENURES, span, page, isOurs, found);
    return cutPage(found, tenurePlace, page);
  }

  #placements(
    id: string,
    by: Lookup,
    sealed: SealedLookup,
    span: Span,
    page: Page,
    wanted: (placement: Placement) => boolean,
  ): Paged<Placement> {
    const cluster = this.#head.cluster(id);
    const found: Placement[] = [];
    const isWanted = (placement: Placement) =>
      wanted(placement) && touches(placement, span) && isKept(cluster, placement);
    collect(this.#reader.placements(cluster.number, by, span), page, placementPlace, isWanted, found);
    const isKnown = this.#reader.placementsKnown(cluster.number);
    const isOurs = (placement: Placement) => isWanted(placement) && !isKnown(placement);
    this.#sealed.collect(cluster, sealed, PLACEMENTS, span, page, isOurs, found);
    return cutPage(found, placementPlace, page);
  }
}

/** Hidden at once, removed when its week goes. */
function isKept(cluster: ClusterEntry, record: Tenure | Placement | PossibleTenure): boolean {
  return !isExpired(record, cluster.expiredTo as EpochMillis | undefined);
}

/** The same for occurrences, of which a kind may expire before the others. */
function keptSpan(cluster: ClusterEntry, kind: OccurrenceKind, span: Span): Span {
  const since = keptSince(cluster, kind);
  return since <= span.from ? span : { from: since as EpochMillis, to: span.to };
}
