// Several ledgers of one cluster as one snapshot: every question can be asked of it. Records are joined, never answers, so
// that what a union means is what the ledger means. The first part is the asker's own.
import { touches } from '../engines/matching.ts';
import { typeOf } from '../engines/occurrences/registry.ts';
import { cutPage, placementPlace, possiblePlace, sortedBy, tenurePlace } from '../engines/order.ts';
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
} from '../engines/snapshot.ts';
import type { StayKind, StaysChunk } from '../engines/stay-columns.ts';
import { HistoryError } from '../errors.ts';
import type { LiveState } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { OccurrenceKind, OccurrenceRecords } from '../model/occurrence.ts';
import type { Coverage, Placement, PossibleTenure, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { joinCoverage, joinExpired } from './join-coverage.ts';
import { joinStays, type Kind } from './join-stays.ts';
import type { Part } from './part.ts';

/** Records of one reading, of all parts: more are not joined. */
const MOST_JOINED = 10_000;
const PAGE = 1_000;

const TENURES: Kind<Tenure> = {
  keyOf: ({ ip, holder }) => `${holder.uid}|${ip}`,
  holderOf: ({ holder }) => holder,
  isShownToAll: true,
};
const PLACEMENTS: Kind<Placement> = { keyOf: ({ pod }) => pod.uid, holderOf: ({ pod }) => pod, isShownToAll: false };
const POSSIBLE: Kind<PossibleTenure> = { keyOf: ({ pod }) => pod.uid, holderOf: ({ pod }) => pod, isShownToAll: false };

export class UnionSnapshot implements Snapshot {
  readonly cluster: string;
  readonly #parts: readonly [Part, ...Part[]];
  #coverage: readonly Coverage[] | undefined;

  constructor(parts: readonly [Part, ...Part[]]) {
    this.#parts = parts;
    this.cluster = parts[0].snapshot.cluster;
  }

  async tenuresAt(ip: IpAddress, at: EpochMillis): Promise<readonly Tenure[]> {
    const [found = []] = await this.tenuresAtMany([{ ip, at }]);
    return found;
  }

  /** The lives of an address around each moment are joined first: what one part bounds widely, another knows exactly. */
  async tenuresAtMany(moments: readonly Moment[]): Promise<readonly (readonly Tenure[])[]> {
    const spans = moments.map(({ ip, at }) => ({ ip, from: at, to: epochMillis(at + 1) }));
    const found = await this.#tenuresOfIps(spans);
    return found.map((tenures, i) => sortedBy(tenures, tenurePlace).filter((one) => touches(one, spans[i] as IpSpan)));
  }

  async tenuresOfIp(ip: IpAddress, span: Span, page: Page): Promise<Paged<Tenure>> {
    const [found = []] = await this.#tenuresOfIps([{ ip, ...span }]);
    return cutPage(
      found.filter((tenure) => touches(tenure, span)),
      tenurePlace,
      page,
    );
  }

  async tenuresOfIps(asked: readonly IpSpan[], most: number): Promise<readonly (readonly Tenure[] | undefined)[]> {
    const found = await this.#tenuresOfIps(asked);
    return found.map((tenures, i) => {
      const touching = sortedBy(tenures, tenurePlace).filter((one) => touches(one, asked[i] as IpSpan));
      return touching.length > most ? undefined : touching;
    });
  }

  async tenuresOf(subject: Subject, span: Span, page: Page): Promise<Paged<Tenure>> {
    const found = await this.#each((snapshot) => all((next) => snapshot.tenuresOf(subject, WIDE(span), next)));
    return joinedPage(this.#parts, found, TENURES, tenurePlace, span, page);
  }

  placementsOf(subject: Subject, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#placements((snapshot, wide, next) => snapshot.placementsOf(subject, wide, next), span, page);
  }

  placementsOn(node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#placements((snapshot, wide, next) => snapshot.placementsOn(node, wide, next), span, page);
  }

  hostNetworkPodsOn(node: string, span: Span, page: Page): Promise<Paged<Placement>> {
    return this.#placements((snapshot, wide, next) => snapshot.hostNetworkPodsOn(node, wide, next), span, page);
  }

  /** Of the asker's own ledger: all records of a cluster are not sent to another replica to be joined. */
  staysWithin(kind: StayKind, span: Span, after: string | undefined): Promise<StaysChunk> {
    return this.#parts[0].snapshot.staysWithin(kind, span, after);
  }

  async possibleTenures(span: Span): Promise<readonly PossibleTenure[]> {
    const found = await this.#each((snapshot) => snapshot.possibleTenures(WIDE(span)));
    const joined = joinStays(this.#parts, found, POSSIBLE);
    return sortedBy(joined, possiblePlace).filter((one) => touches(one, span));
  }

  async occurrences<K extends OccurrenceKind>(question: OccurrenceQuestion<K>): Promise<Paged<OccurrenceRecords[K]>> {
    const { place, newer } = typeOf(question.kind);
    // All of them are read: in which order matters only to the page that is cut of them.
    const { order, ...asked } = question;
    const found = await this.#each((snapshot) => all((page) => snapshot.occurrences({ ...asked, page })));
    const joined = new Map<string, OccurrenceRecords[K]>();
    for (const record of found.flat()) {
      const { key } = place(record);
      const known = joined.get(key);
      joined.set(key, known === undefined ? record : (newer?.(known, record) ?? known));
    }
    return cutPage(joined.values(), place, question.page, order);
  }

  /** The same list each time, as a question reads it more than once. */
  async coverage(): Promise<readonly Coverage[]> {
    return (this.#coverage ??= joinCoverage(this.#parts));
  }

  /** Of a kind: what any of them has removed, because the others may have missed it. */
  async expired(kind?: OccurrenceKind): Promise<readonly Expired[]> {
    if (kind === undefined) return joinExpired(this.#parts);
    return (await this.#each((snapshot) => snapshot.expired(kind))).flat();
  }

  /** Only tell which ranges are in use now. */
  liveStates(): Promise<readonly LiveState[]> {
    return this.#parts[0].snapshot.liveStates();
  }

  /** A union is asked, never exported. */
  records(after: string | undefined): Promise<RecordsChunk> {
    return this.#parts[0].snapshot.records(after);
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map(({ snapshot }) => snapshot.close()));
  }

  async #tenuresOfIps(asked: readonly IpSpan[]): Promise<Tenure[][]> {
    const wide = asked.map(({ ip, ...span }) => ({ ip, ...WIDE(span) }));
    const found = await this.#each((snapshot) => snapshot.tenuresOfIps(wide, MOST_JOINED));
    return asked.map((_, i) => {
      const ofParts = found.map((ofPart) => ofPart[i] ?? tooMany());
      return joinStays(this.#parts, ofParts, TENURES);
    });
  }

  async #placements(
    read: (snapshot: Snapshot, span: Span, page: Page) => Promise<Paged<Placement>>,
    span: Span,
    page: Page,
  ): Promise<Paged<Placement>> {
    const found = await this.#each((snapshot) => all((next) => read(snapshot, WIDE(span), next)));
    return joinedPage(this.#parts, found, PLACEMENTS, placementPlace, span, page);
  }

  #each<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#parts.map(({ snapshot }) => read(snapshot)));
  }
}

/**
 * A record may touch a span in one ledger and, more exactly known, not in another: both must be read to be joined. No
 * bounds are wider than a day.
 */
function WIDE({ from, to }: Span): Span {
  return { from: epochMillis(from - AROUND_MS), to: epochMillis(to + AROUND_MS) };
}
const AROUND_MS = 86_400_000;

function joinedPage<T extends Tenure | Placement>(
  parts: readonly Part[],
  found: readonly (readonly T[])[],
  kind: Kind<T>,
  placeOf: (record: T) => ReturnType<typeof tenurePlace>,
  span: Span,
  page: Page,
): Paged<T> {
  const joined = joinStays(parts, found, kind).filter((record) => touches(record, span));
  return cutPage(joined, placeOf, page);
}

/** Everything: what is joined has another order, and pages are cut afterwards. */
async function all<T>(read: (page: Page) => Promise<Paged<T>>): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page: Paged<T> = await read({ limit: PAGE, cursor });
    items.push(...page.items);
    if (items.length > MOST_JOINED) tooMany();
    cursor = page.cursor;
  } while (cursor !== undefined);
  return items;
}

function tooMany(): never {
  throw new HistoryError(
    'union-too-large',
    `more than ${MOST_JOINED} records of one ledger are not joined with others`,
    {
      hint: 'ask for a shorter span.',
    },
  );
}
