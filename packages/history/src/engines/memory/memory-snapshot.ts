// One state of a ledger in memory. Plain maps and scans: the reference for what every engine answers.
import type { HistoryError } from '../../errors.ts';
import { isVoid, type LiveState, type StoredFact } from '../../model/fact.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type { OccurrenceKind, OccurrenceRecords } from '../../model/occurrence.ts';
import type { Coverage, Placement, PossibleTenure, Tenure } from '../../model/records.ts';
import { type EpochMillis, epochMillis } from '../../model/time.ts';
import { canonicalOrder } from '../canonical.ts';
import { concerns, isAsked, isWithin, touches } from '../matching.ts';
import { factOf, occurrenceKinds, typeOf } from '../occurrences/registry.ts';
import {
  compareTexts,
  coveragePlace,
  cutPage,
  placementPlace,
  possiblePlace,
  sortedBy,
  tenurePlace,
} from '../order.ts';
import { snapshotClosed } from '../refusals.ts';
import type {
  Expired,
  IpSpan,
  Moment,
  OccurrenceQuestion,
  Page,
  Paged,
  RecordsChunk,
  Snapshot,
  Span,
  Subject,
} from '../snapshot.ts';
import { StayColumnsBuilder, type StayKind, type StaysChunk } from '../stay-columns.ts';
import type { Ledger } from './ledger.ts';

export class MemorySnapshot implements Snapshot {
  readonly cluster: string;
  readonly #state: Ledger;
  readonly #refusal: () => HistoryError | undefined;
  #isClosed = false;

  /** `refusal`: why the engine answers nothing any more. */
  constructor(state: Ledger, refusal: () => HistoryError | undefined) {
    this.cluster = state.cluster.id;
    this.#state = state;
    this.#refusal = refusal;
    state.openSnapshots++;
  }

  async tenuresAt(ip: IpAddress, at: EpochMillis): Promise<readonly Tenure[]> {
    const span = { from: at, to: epochMillis(at + 1) };
    const ofIp = this.#ledger().byIp.get(ip)?.values() ?? [];
    return sortedBy(ofIp, tenurePlace).filter((tenure) => touches(tenure, span));
  }

  tenuresAtMany(moments: readonly Moment[]): Promise<readonly (readonly Tenure[])[]> {
    return Promise.all(moments.map(({ ip, at }) => this.tenuresAt(ip, at)));
  }

  async tenuresOfIp(ip: IpAddress, span: Span, page: Page): Promise<Paged<Tenure>> {
    const ofIp = [...(this.#ledger().byIp.get(ip)?.values() ?? [])];
    return cutPage(
      ofIp.filter((tenure) => touches(tenure, span)),
      tenurePlace,
      page,
    );
  }

  async tenuresOfIps(asked: readonly IpSpan[], most: number): Promise<readonly (readonly Tenure[] | undefined)[]> {
    const pages = asked.map(({ ip, ...span }) => this.tenuresOfIp(ip, span, { limit: most }));
    return (await Promise.all(pages)).map(({ items, cursor }) => (cursor === undefined ? items : undefined));
  }

  async tenuresOf(subject: Subject, span: Span, page: Page): Promise<Paged<Tenure>> {
    const found = this.#ledger().tenures.values();
    return cutPage(
      found.filter((tenure) => concerns(subject, tenure.holder) && touches(tenure, span)),
      tenurePlace,
      page,
    );
  }

  async placementsOf(subject: Subject, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#placements(({ pod }) => concerns(subject, pod), span, page);
  }

  async placementsOn(node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#placements(({ pod }) => pod.node === node, span, page);
  }

  async hostNetworkPodsOn(node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#placements(({ pod }) => pod.node === node && pod.hostNetwork, span, page);
  }

  /** All of them are here already: one chunk. */
  async staysWithin(kind: StayKind, span: Span): Promise<StaysChunk> {
    const { placements, tenures } = this.#ledger();
    const builder = new StayColumnsBuilder(kind === 'placement' ? placements.size : tenures.size);
    if (kind === 'placement') {
      for (const one of placements.values()) if (touches(one, span)) builder.add(one.pod, one.start, one.end);
    } else {
      for (const one of tenures.values()) if (touches(one, span)) builder.add(one.holder, one.start, one.end, one.ip);
    }
    return { stays: builder.build(), next: undefined };
  }

  async possibleTenures(span: Span): Promise<readonly PossibleTenure[]> {
    const found = this.#ledger().possible.values();
    return sortedBy(
      found.filter((possible) => touches(possible, span)),
      possiblePlace,
    );
  }

  async occurrences<K extends OccurrenceKind>(question: OccurrenceQuestion<K>): Promise<Paged<OccurrenceRecords[K]>> {
    const { kind, key, subject, span, page, order } = question;
    const { place, about } = typeOf(kind);
    const ledger = this.#ledger();
    const found =
      subject === undefined ? ledger.occurrences(kind).values() : ledger.occurrencesAbout(kind, subject).values();
    return cutPage(
      found.filter((record) => {
        const at = place(record);
        return isWithin(at.time, span) && (key === undefined || at.key === key) && isAsked(question, about(record));
      }),
      place,
      page,
      order,
    );
  }

  async coverage(): Promise<readonly Coverage[]> {
    return sortedBy(this.#ledger().coverage.values(), coveragePlace).filter((one) => !isVoid(one));
  }

  async expired(kind?: OccurrenceKind): Promise<readonly Expired[]> {
    const { expired, expiredKinds } = this.#ledger();
    const range = kind === undefined ? expired : expiredKinds.get(kind);
    return range === undefined ? [] : [range];
  }

  async liveStates(): Promise<readonly LiveState[]> {
    return liveStates(this.#ledger());
  }

  /** All of them are here already: one chunk. */
  async records(): Promise<RecordsChunk> {
    const ledger = this.#ledger();
    const { coverage, tenures, placements, possible, live } = ledger;
    const facts: StoredFact[] = [];
    for (const record of coverage.values()) facts.push({ kind: 'coverage', coverage: record });
    for (const tenure of tenures.values()) facts.push({ kind: 'tenure', tenure });
    for (const placement of placements.values()) facts.push({ kind: 'placement', placement });
    for (const kind of occurrenceKinds()) {
      for (const record of ledger.occurrences(kind).values()) facts.push(factOf(kind, record));
    }
    for (const [key, record] of possible) facts.push({ kind: 'possible', key, possible: record });
    for (const [uid, state] of live) facts.push({ kind: 'live', uid, state });
    return { facts: canonicalOrder(facts), next: undefined };
  }

  async close(): Promise<void> {
    if (!this.#isClosed) this.#state.openSnapshots--;
    this.#isClosed = true;
  }

  #placements(isWanted: (placement: Placement) => boolean, span: Span, page: Page): Paged<Placement> {
    const found = this.#ledger().placements.values();
    return cutPage(
      found.filter((placement) => isWanted(placement) && touches(placement, span)),
      placementPlace,
      page,
    );
  }

  #ledger(): Ledger {
    const refusal = this.#isClosed ? snapshotClosed() : this.#refusal();
    if (refusal !== undefined) throw refusal;
    return this.#state;
  }
}

export function liveStates({ live }: Ledger): LiveState[] {
  return Array.from(live, ([uid, state]) => ({ uid, state })).sort((a, b) => compareTexts(a.uid, b.uid));
}
