// A listing that took the place of what was held: why, and which time it spans. The reflector commits one to its target.

/** Why the collection was listed again. */
export type RelistReason =
  /** The first listing of this informer. */
  | 'start'
  /** 410: the server no longer has the events after our version. */
  | 'expired'
  /** The server's versions went backwards: etcd was restored from a snapshot. Versions of before mean nothing now. */
  | 'rewound'
  /** Events could not be decoded: by us again and again, or by the server, whose store holds an object in ruins. */
  | 'undecodable';

export interface Relist {
  readonly reason: RelistReason;
  /** The listing's own version; the watch goes on from here. */
  readonly resourceVersion: string;
  /** The last version before, and when it was still being watched (wall clock); undefined at the first start. */
  readonly previousVersion: string | undefined;
  readonly from: number | undefined;
  readonly to: number;
}
