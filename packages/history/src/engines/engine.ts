// What a store must do for the ledger, in the ledger's own words. Nothing here says tables, rows or files; every engine
// passes the same contract suite (contract/). Times are inclusive-exclusive: [from, to).
import type { Fact } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type {
  Anomaly,
  Change,
  Checkpoint,
  Conflict,
  Coverage,
  Placement,
  PossibleTenure,
  Tenure,
} from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import type { ObserverState } from '../observe/observer.ts';
import type { SizeLimit } from './size-limit.ts';

export interface Cluster {
  /** The UID of the kube-system namespace. */
  readonly id: string;
  /** For people; several clusters may not share one. */
  readonly name: string;
}

export interface Batch {
  readonly facts: readonly Fact[];
  /** Invariant: written with the facts in one transaction, so it never runs ahead of them. */
  readonly checkpoint?: Checkpoint | undefined;
}

/** The right to write to one cluster's ledger, until somebody else takes it over. */
export interface Writer {
  readonly cluster: Cluster;
  /** Raised at every take-over; a writer with an older one is refused inside the transaction (`stale-writer`). */
  readonly fence: number;
  /**
   * Resolves when facts and checkpoint are durable. Storing a batch twice changes nothing; a record that has ended is
   * not reopened by its own earlier version, and coverage shrinks only by its end (newerCoverage). Batches are stored in the order of the calls.
   */
  append(batch: Batch): Promise<void>;
}

/** What a recorder needs to go on where the last one stopped. */
export interface Resumption {
  readonly state: ObserverState;
  readonly checkpoint: Checkpoint | undefined;
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

/** Something in the store that is not as it was written. */
export interface Damage {
  /** Which part of the store, as a person may look for it. */
  readonly where: string;
  readonly what: string;
}

export interface Verification {
  /** How many records were read and found whole. */
  readonly records: number;
  readonly damages: readonly Damage[];
  /** Files that lie in the store's directory and that it does not list: nothing is answered from them. */
  readonly unlisted: readonly string[];
}

/** A part of a verification that goes on from call to call. */
export interface Patrol {
  /** Everything has been read since the last time that this was said. */
  readonly isFinished: boolean;
  /** What this part found. */
  readonly damages: readonly Damage[];
}

/** How the readings by `patrol` stand: what they found, and when. */
export interface Patrolled {
  /** When the last part was read. */
  readonly at: EpochMillis;
  /** What the reading that is under way has found by now, and where the first of it is. */
  readonly damages: number;
  readonly where?: string | undefined;
  /** The last reading that came to its end. */
  readonly whole?:
    | { readonly at: EpochMillis; readonly damages: number; readonly where?: string | undefined }
    | undefined;
}

/** What brings a store of an older format to the present one. */
export interface Migration {
  readonly from: number;
  readonly to: number;
  /** What each step changes, in their order; none when the store is of this format already. */
  readonly steps: readonly string[];
  /** How many sealed files are written anew. */
  readonly files: number;
}

export interface StoreStatus {
  /** Of the store's format; an engine refuses a newer one than its own. */
  readonly version: number;
  readonly bytes: number;
  readonly clusters: readonly ClusterStatus[];
}

export interface ClusterStatus extends Cluster {
  readonly tenures: number;
  readonly placements: number;
  readonly changes: number;
  readonly live: number;
  readonly checkpoint: Checkpoint | undefined;
}

/** How much room a store takes, and how much there is. */
export interface Room {
  /** Of all its files but the ballast. */
  readonly bytes: number;
  /** How large it may become; undefined where no limit is known, as in memory. */
  readonly limitBytes: number | undefined;
  /** The volume on which it lies; undefined in memory. */
  readonly volume: { readonly bytes: number; readonly freeBytes: number } | undefined;
  /** Held back for the work that makes room on a full disk; 0 where there is none. */
  readonly ballastBytes: number;
}

/** What was done to keep a store within its limit. */
export interface RoomKept extends Room {
  /** How many changes were removed, and how many records of any kind besides. */
  readonly removedChanges: number;
  readonly removedRecords: number;
}

/**
 * Every list is in one order, the same on every engine: by time, then by key (order.ts). A read that would have to use
 * a damaged part rejects with `damaged`: an answer without that part could be wrong, and wrong is worse than none. A part
 * that is missing counts as damaged. Reads that do not touch it go on.
 *
 * Reads that are begun in one turn of the event loop see one state of the store: tenures of before a batch, beside the
 * coverage that came with it, would read as "free".
 */
export interface Engine {
  clusters(): Promise<readonly Cluster[]>;
  /** Takes the cluster's ledger over for writing. */
  takeOver(cluster: Cluster): Promise<Writer>;
  resumption(cluster: string): Promise<Resumption>;

  /** Tenures of an address that may have held at `at`, bounds included. */
  tenuresAt(cluster: string, ip: IpAddress, at: EpochMillis): Promise<readonly Tenure[]>;
  /** The same for many at once, in the order of the questions: what `attribute` asks. */
  tenuresAtMany(cluster: string, moments: readonly Moment[]): Promise<readonly (readonly Tenure[])[]>;
  /** Tenures of an address that touch the span, oldest first. */
  tenuresOfIp(cluster: string, ip: IpAddress, span: Span, page: Page): Promise<Paged<Tenure>>;
  /** The same for many at once, in the order of the questions; undefined for an address that has more than `most`. */
  tenuresOfIps(
    cluster: string,
    asked: readonly IpSpan[],
    most: number,
  ): Promise<readonly (readonly Tenure[] | undefined)[]>;
  tenuresOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Tenure>>;
  placementsOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Placement>>;
  /** Pods that may have been on the node within the span, oldest first. */
  placementsOn(cluster: string, node: string, span: Span, page: Page): Promise<Paged<Placement>>;
  /** Those of them that are on the node's own network. */
  hostNetworkPodsOn(cluster: string, node: string, span: Span, page: Page): Promise<Paged<Placement>>;
  /** Pods that may have had an address that they never showed, within the span, oldest first: few, hence all of them. */
  possibleTenures(cluster: string, span: Span): Promise<readonly PossibleTenure[]>;
  changesOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Change>>;
  conflicts(cluster: string, ip: IpAddress, span: Span): Promise<readonly Conflict[]>;
  anomalies(cluster: string, span: Span, page: Page): Promise<Paged<Anomaly>>;
  /** All of it that holds, by its beginning; what was withdrawn as a whole is among `records` only. */
  coverage(cluster: string): Promise<readonly Coverage[]>;
  expired(cluster: string): Promise<readonly Expired[]>;
  /** Ranges whose changes alone were removed: what else is known of that time stays. */
  expiredChanges(cluster: string): Promise<readonly Expired[]>;

  /** Every record of the cluster as the fact that would store it, in canonical order; appends meanwhile may be missed. */
  records(cluster: string): AsyncIterable<Fact>;

  /**
   * Forgets closed records that ended before `before`, and changes, conflicts and anomalies observed before it; leaves
   * an `Expired` range. Returns how many records it removed; an engine may hide some at once and remove them later.
   */
  retain(cluster: string, before: EpochMillis): Promise<number>;
  /** Forgets the changes observed before `before`, and nothing else; leaves a range of its own. Returns how many. */
  retainChanges(cluster: string, before: EpochMillis): Promise<number>;
  /** How the store stands to a limit. */
  room(limit: SizeLimit): Promise<Room>;
  /**
   * Keeps the store within a limit. At nine tenths of it changes go, the oldest first: the rest is reserved for tenures.
   * At the limit itself whole weeks go, the oldest first, then days, and the hours of today last. Everything that goes
   * leaves its range. What has not ended stays, however large it is.
   */
  keepRoom(limit: SizeLimit, now: EpochMillis): Promise<RoomKept>;
  /** Housekeeping that the engine wants done now and then, and never on its own: a recorder calls it every few minutes. */
  maintain(now: EpochMillis): Promise<void>;
  /**
   * Finishes what opening an older store for writing began: everything is then of this version's format. Says what was
   * done, and changes nothing a second time.
   */
  migrate(): Promise<Migration>;
  /** Reads everything and says what is not as it was written. */
  verify(): Promise<Verification>;
  /** Goes on with such a reading for about so many slices of work; begins again after the end. A writer notes it. */
  patrol(slices: number, now: EpochMillis): Promise<Patrol>;
  /** Undefined where nobody has patrolled. */
  patrolled(): Promise<Patrolled | undefined>;
  status(): Promise<StoreStatus>;
  /** A copy of the whole store as of one instant, beside running writers. Refuses to overwrite (`backup-exists`). */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}
