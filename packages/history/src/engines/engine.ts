// What a store must do for the ledger, in the ledger's own words. Nothing here says tables, rows or files; every engine
// passes the same contract suite. Times are inclusive-exclusive: [from, to).
import type { Fact } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Anomaly, Change, Checkpoint, Conflict, Coverage, Placement, Tenure } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import type { ObserverState } from '../observe/observer.ts';

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
  /** Resolves when facts and checkpoint are durable. Storing a batch twice changes nothing. */
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
  /** From the page before. */
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

export interface Engine {
  clusters(): Promise<readonly Cluster[]>;
  /** Takes the cluster's ledger over for writing. */
  takeOver(cluster: Cluster): Promise<Writer>;
  resumption(cluster: string): Promise<Resumption>;

  /** Tenures of an address that may have held at `at`, bounds included. */
  tenuresAt(cluster: string, ip: IpAddress, at: EpochMillis): Promise<readonly Tenure[]>;
  /** Tenures of an address that touch the span, oldest first. */
  tenuresOfIp(cluster: string, ip: IpAddress, span: Span, page: Page): Promise<Paged<Tenure>>;
  tenuresOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Tenure>>;
  placementsOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Placement>>;
  /** Pods that may have been on the node within the span, oldest first. */
  placementsOn(cluster: string, node: string, span: Span, page: Page): Promise<Paged<Placement>>;
  changesOf(cluster: string, subject: Subject, span: Span, page: Page): Promise<Paged<Change>>;
  conflicts(cluster: string, ip: IpAddress, span: Span): Promise<readonly Conflict[]>;
  anomalies(cluster: string, span: Span, page: Page): Promise<Paged<Anomaly>>;
  /** All of it, by its beginning. */
  coverage(cluster: string): Promise<readonly Coverage[]>;
  expired(cluster: string): Promise<readonly Expired[]>;

  /** Removes closed records that ended before `before`; leaves an `Expired` range. Returns how many. */
  retain(cluster: string, before: EpochMillis): Promise<number>;
  close(): Promise<void>;
}
