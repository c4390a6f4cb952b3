// Questions about one address at one instant, many of them on their way to an engine that answers them where its records
// are: what comes back is text, which costs less on the way than records do. An engine without it is asked for records.
import type { IpAddress } from '../model/ip-address.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Cluster, Snapshot } from './snapshot.ts';

export interface Point {
  readonly ip: IpAddress;
  readonly at: EpochMillis;
  /** The asker's clock. */
  readonly now: EpochMillis;
  readonly seen: boolean;
}

/** Of each point, in their order. */
export interface PointTexts {
  /** The documents, as JSON. */
  readonly texts: readonly string[];
  /** Places of those that leave something open, which a peer may know. */
  readonly open: readonly number[];
}

/** Answers on one snapshot, as whoever sees everything is answered. */
export type AnswerPoints = (snapshot: Snapshot, cluster: Cluster, points: readonly Point[]) => Promise<PointTexts>;
