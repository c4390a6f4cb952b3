// What a question reads: one state of one cluster's ledger. Nothing here says tables, rows or files; every engine passes
// the same contract suite (testing/contract/). Times are inclusive-exclusive: [from, to).
import type { LiveState, StoredFact } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { OccurrenceKind, OccurrenceRecords } from '../model/occurrence.ts';
import type { Coverage, Placement, PossibleTenure, Tenure } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Point, PointTexts } from './points.ts';
import type { StayKind, StaysChunk } from './stay-columns.ts';

export interface Cluster {
  /** The UID of the kube-system namespace. */
  readonly id: string;
  /** For people; several clusters may not share one. */
  readonly name: string;
}

export interface Span {
  readonly from: EpochMillis;
  readonly to: EpochMillis;
}

export interface Page {
  readonly limit: number;
  /** From the page before. It names the last record that was given: records that come meanwhile shift nothing. */
  readonly cursor?: string | undefined;
}

export interface Paged<T> {
  readonly items: readonly T[];
  /** Undefined on the last page. */
  readonly cursor: string | undefined;
}

/** Which holder's history is asked for. */
export type Subject =
  | { readonly by: 'uid'; readonly uid: string }
  | { readonly by: 'name'; readonly namespace: string; readonly name: string }
  | { readonly by: 'workload'; readonly namespace: string; readonly kind: string; readonly name: string };

/** Which occurrences are asked for: of one kind, and about one holder, one address, or whatever. */
export interface OccurrenceQuestion<K extends OccurrenceKind = OccurrenceKind> {
  readonly kind: K;
  /** Only the record with this key (its place says it): found at once, however long the span is. */
  readonly key?: string | undefined;
  readonly subject?: Subject | undefined;
  readonly ip?: IpAddress | undefined;
  readonly span: Span;
  readonly page: Page;
  /** Which come first; the oldest unless it is said otherwise. A cursor goes on in the order that it came from. */
  readonly order?: ListOrder | undefined;
}

export type ListOrder = 'oldest' | 'newest';

/** A range whose closed records were removed: answers there are "unknown (expired)", never "free". */
export interface Expired extends Span {}

/** An address at an instant. */
export interface Moment {
  readonly ip: IpAddress;
  readonly at: EpochMillis;
}

/** An address, and the time for which it is asked about. */
export interface IpSpan extends Span {
  readonly ip: IpAddress;
}

/** Some of the records of a cluster, and where the next ones begin. */
export interface RecordsChunk {
  readonly facts: readonly StoredFact[];
  /** Undefined at the end. */
  readonly next: string | undefined;
}

/** Where snapshots come from. */
export interface LedgerReader {
  clusters(): Promise<readonly Cluster[]>;
  /**
   * The ledger of a cluster as it is now: before everything that this reader's process appends or prunes later, and, beside
   * the commits of other processes, at the answer of the first read at the latest. A cluster that is not there is refused
   * (`unknown-cluster`) here or by the first read. Whoever opens a snapshot closes it; `withSnapshot` does both.
   */
  snapshot(cluster: string): Promise<Snapshot>;
  /**
   * Where an engine can answer where its records are, and only for who sees everything: all on one state, which is as new
   * as that of a snapshot that is opened now. Rejects as reads do; whoever gets `snapshot-too-old` asks on a snapshot.
   */
  answerPoints?(cluster: Cluster, points: readonly Point[]): Promise<PointTexts>;
}

/**
 * Invariant: all reads of a snapshot see one state, so that no answer mixes the tenures of before a commit with the
 * coverage of after it.
 *
 * Every list is in one order, the same on every engine: by time, then by key (order.ts). A read that would have to use
 * a damaged part rejects with `damaged`: an answer without that part could be wrong, and wrong is worse than none. A part
 * that is missing counts as damaged. Reads that do not touch it go on.
 *
 * An engine may end a snapshot: by its age (`snapshot-expired`, after a minute at the earliest), because an old state
 * costs room, or because a file that it needs has been replaced (`snapshot-too-old`): then the question is asked again.
 */
export interface Snapshot {
  readonly cluster: string;
  /** Tenures of an address that may have held at `at`, bounds included. */
  tenuresAt(ip: IpAddress, at: EpochMillis): Promise<readonly Tenure[]>;
  /** The same for many at once, in the order of the questions: what `attribute` asks. */
  tenuresAtMany(moments: readonly Moment[]): Promise<readonly (readonly Tenure[])[]>;
  /** Tenures of an address that touch the span, oldest first. */
  tenuresOfIp(ip: IpAddress, span: Span, page: Page): Promise<Paged<Tenure>>;
  /** The same for many at once, in the order of the questions; undefined for an address that has more than `most`. */
  tenuresOfIps(asked: readonly IpSpan[], most: number): Promise<readonly (readonly Tenure[] | undefined)[]>;
  tenuresOf(subject: Subject, span: Span, page: Page): Promise<Paged<Tenure>>;
  placementsOf(subject: Subject, span: Span, page: Page): Promise<Paged<Placement>>;
  /** Pods that may have been on the node within the span, oldest first. */
  placementsOn(node: string, span: Span, page: Page): Promise<Paged<Placement>>;
  /** Those of them that are on the node's own network. */
  hostNetworkPodsOn(node: string, span: Span, page: Page): Promise<Paged<Placement>>;
  /**
   * All placements or tenures that touch the span, in no order, a chunk at a time; each once. `after`: the last `next`.
   * For questions about everything at once: its cost is that of the records within the span.
   */
  staysWithin(kind: StayKind, span: Span, after: string | undefined): Promise<StaysChunk>;
  /** Pods that may have had an address that they never showed, within the span, oldest first: few, hence all of them. */
  possibleTenures(span: Span): Promise<readonly PossibleTenure[]>;
  /** Occurrences of one kind within a span, oldest first unless it is asked otherwise. */
  occurrences<K extends OccurrenceKind>(question: OccurrenceQuestion<K>): Promise<Paged<OccurrenceRecords[K]>>;
  /** All of it that holds, by its beginning; what was withdrawn as a whole is among `records` only. */
  coverage(): Promise<readonly Coverage[]>;
  /** With a kind: ranges whose occurrences of that kind alone were removed; what else is known of that time stays. */
  expired(kind?: OccurrenceKind): Promise<readonly Expired[]>;
  /** What the observer keeps of holders that have not ended, by their UIDs. */
  liveStates(): Promise<readonly LiveState[]>;
  /** Every record as the fact that would store it, in canonical order, a chunk at a time. `after`: the last `next`. */
  records(after: string | undefined): Promise<RecordsChunk>;
  /** Never rejects; a second time changes nothing. Reads of a closed snapshot are refused (`snapshot-closed`). */
  close(): Promise<void>;
}
