// What those who look after a store do with it: how large and how whole it is, what it forgets, where a copy goes.
import type { OccurrenceKind } from '../model/occurrence.ts';
import type { Checkpoint } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import type { SizeLimit } from './size-limit.ts';
import type { Cluster } from './snapshot.ts';

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
  /** How many sealed files are rewritten. */
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
  /** Of kinds with a retention of their own, which go first: how many of each went. */
  readonly removedOfKinds: Readonly<Partial<Record<OccurrenceKind, number>>>;
  /** How many records of any kind went besides. */
  readonly removedRecords: number;
}

export interface StoreAdmin {
  /**
   * Removes closed records that ended before `before`, and occurrences before it; leaves an `Expired` range. Returns
   * how many records it removed; an engine may hide some at once and remove them later.
   */
  prune(cluster: string, before: EpochMillis): Promise<number>;
  /**
   * Removes the occurrences of one kind before `before`, and nothing else; leaves a range of its own. Returns how many.
   * Only for kinds with a retention of their own (`no-own-retention`).
   */
  pruneKind(cluster: string, kind: OccurrenceKind, before: EpochMillis): Promise<number>;
  /** How the store stands to a limit. */
  room(limit: SizeLimit): Promise<Room>;
  /**
   * Keeps the store within a limit. At nine tenths of it occurrences with a retention of their own (changes) go, the
   * oldest first: the rest is reserved for tenures. At the limit itself whole weeks go, the oldest first, then days, and
   * the hours of today last. Everything that goes leaves its range. What has not ended stays, however large it is.
   */
  keepRoom(limit: SizeLimit, now: EpochMillis): Promise<RoomKept>;
  /** Housekeeping that the engine never does on its own: a recorder calls it every few minutes. */
  maintain(now: EpochMillis): Promise<void>;
  /**
   * Finishes what opening an older store for writing began: everything is then of this version's format. Returns what
   * was done, and changes nothing a second time.
   */
  migrate(): Promise<Migration>;
  /** Reads everything and lists what is not as it was written. */
  verify(): Promise<Verification>;
  /** Goes on with such a reading for about so many slices of work; begins again after the end. A writer notes it. */
  patrol(slices: number, now: EpochMillis): Promise<Patrol>;
  /** Undefined where nobody has patrolled. */
  patrolled(): Promise<Patrolled | undefined>;
  status(): Promise<StoreStatus>;
  /** A copy of the whole store as of one instant, beside running writers. Refuses to overwrite (`backup-exists`). */
  backup(path: string): Promise<void>;
}
