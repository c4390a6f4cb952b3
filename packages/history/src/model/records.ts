// What the ledger keeps. Identity is the UID: a name that comes back is another life.
import type { Boundary, Provenance } from './boundary.ts';
import type { IpAddress } from './ip-address.ts';
import type { EpochMillis } from './time.ts';

export interface Workload {
  readonly kind: string;
  readonly name: string;
  /** Guessed from a ReplicaSet's name and hash, not read from an owner. */
  readonly inferred: boolean;
}

/** Who can hold an address. */
export interface Holder {
  readonly kind: 'Pod' | 'Node' | 'Service';
  /** Empty for nodes. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Empty until scheduled, and for services. */
  readonly node: string;
  readonly workload: Workload | undefined;
  /** A host-network pod shows its node's address and never owns it: a tenure of one is a candidate, never `held`. */
  readonly hostNetwork: boolean;
}

/** One holder had one address, from start to end. Keyed by (ip, uid, start.epoch, start.resourceVersion). */
export interface Tenure {
  readonly ip: IpAddress;
  readonly holder: Holder;
  readonly start: Boundary;
  /** Undefined while it lasts. */
  readonly end: Boundary | undefined;
}

/**
 * A pod had a network, or may have had one, and never showed the address of it: any address of its node may have been
 * the pod's. Keyed by (uid, start.epoch, start.resourceVersion). Withdrawn when the address is shown after all.
 */
export interface PossibleTenure {
  readonly pod: Holder;
  /** The networks (CIDR) from which its node hands out addresses; empty when nothing is known of them: then any. */
  readonly within: readonly string[];
  readonly start: Boundary;
  /** Undefined while it waits. */
  readonly end: Boundary | undefined;
}

/** One pod was on one node, from binding to its end. Keyed by UID: a node never changes within a UID. */
export interface Placement {
  readonly pod: Holder;
  readonly start: Boundary;
  readonly end: Boundary | undefined;
}

/** A value longer than 4 KiB is kept as its beginning and its hash: annotations can hold secrets and whole manifests. */
export interface ChangeValue {
  readonly text: string;
  readonly sha256: string | undefined;
}

/**
 * One annotation of one pod. Keyed by (uid, key, epoch, resourceVersion). With `suppressed` it stands for all changes of
 * the pod that were not recorded within one hour; its key is empty, and its provenance is that of the first of them.
 */
export interface Change extends Provenance {
  readonly pod: Holder;
  readonly key: string;
  readonly before: ChangeValue | undefined;
  readonly after: ChangeValue | undefined;
  readonly suppressed?: Suppressed | undefined;
}

/** Changes that were counted and not recorded, because a budget of the hour was used up. */
export interface Suppressed {
  /** Whose budget it was. */
  readonly budget: 'pod' | 'namespace';
  /** Invariant: only grows. */
  readonly changes: number;
  /** When the last of them was observed. */
  readonly last: EpochMillis;
}

export type Scope =
  | { readonly kind: 'cluster' }
  | { readonly kind: 'namespaces'; readonly namespaces: readonly string[] };

/**
 * Never stands alone: lies over coverage of the whole cluster, where services or nodes may have come and gone untold.
 * Pods are known as the coverage below says, but nothing is free.
 */
export interface PodsOnly {
  readonly kind: 'pods';
}

/** All of `scope` was being watched from `from` to `to`, or has been replayed since. Keyed by (collector, from). */
export interface Coverage {
  readonly scope: Scope | PodsOnly;
  readonly epoch: number;
  readonly collector: string;
  readonly from: EpochMillis;
  readonly to: EpochMillis;
  /**
   * Everything that happened until then has been delivered. Between here and `to` the watch was believed to be open, but
   * frames may have been on their way: answers there are provisional, and a gap takes the belief back. Before a gap
   * (`ended`), pods that were starting then had perhaps not shown their addresses yet: there nothing is free.
   * Invariant: from ≤ confirmed ≤ to.
   */
  readonly confirmed: EpochMillis;
  /** A gap follows: `to` is final, and may be earlier than what had been claimed. */
  readonly ended: boolean;
  /** Why it begins: a first start, or what made the gap before it. */
  readonly opened: 'start' | 'expired' | 'rewound' | 'undecodable' | 'clock';
  /**
   * A correction: a wrong clock had claimed more, and from this instant on nothing of it holds. Not later than `from`:
   * none of it does, and it is kept only so that no earlier version of it comes back.
   */
  readonly withdrawn?: EpochMillis | undefined;
}

/** Whether a watch of this scope would have shown the holder. */
export function sees(scope: Coverage['scope'], { kind, namespace }: Pick<Holder, 'kind' | 'namespace'>): boolean {
  return scope.kind !== 'namespaces' || (kind !== 'Node' && scope.namespaces.includes(namespace));
}

/** Two non-terminal holders showed one address at once. */
export interface Conflict extends Provenance {
  readonly ip: IpAddress;
  readonly holders: readonly [Holder, Holder];
}

/** Something that Kubernetes promises not to do, or a clock that cannot be right. */
export interface Anomaly extends Provenance {
  readonly what: 'node-changed' | 'clock-skew' | 'unparsable-address';
  readonly uid: string;
  readonly detail: string;
}

/** Where to go on after a restart. Invariant: never ahead of durable facts. */
export interface Checkpoint {
  readonly epoch: number;
  /** Of the pods' stream. */
  readonly resourceVersion: string;
  readonly at: EpochMillis;
  /** How far the streams of services and nodes had come; one that is not here begins with a listing. */
  readonly others?: readonly StreamPosition[];
}

/** Every event of the kind up to this version, and everything that was written until `watermark`, has been delivered. */
export interface StreamPosition {
  readonly kind: 'Node' | 'Service';
  readonly resourceVersion: string;
  readonly watermark: EpochMillis;
}
