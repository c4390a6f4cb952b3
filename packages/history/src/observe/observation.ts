// The observation log: what a collector saw, in the order in which it saw it. Plain data, so that a log can be kept,
// replayed, cut and repeated. Shaped like Kubernetes; `Observer` is where that ends.
import type { Evidence } from '../model/evidence.ts';
import type { EpochMillis } from '../model/time.ts';

export interface ObservedOwner {
  readonly kind: string;
  readonly name: string;
  /** Absent where the collector does not read it. */
  readonly uid?: string;
  readonly controller: boolean;
}

export interface ObservedMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: number | undefined;
  readonly deletionTimestamp: number | undefined;
  readonly deletionGracePeriodSeconds: number | undefined;
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
  readonly ownerReferences: readonly ObservedOwner[];
}

/**
 * What is read of a pod; machinery's `PodView` has this shape. Times are epoch milliseconds. What may be absent is for
 * causes, or for narrower bounds: who held an address is known without it.
 */
export interface ObservedPod {
  readonly metadata: ObservedMeta;
  readonly spec: {
    readonly nodeName: string;
    readonly hostNetwork: boolean;
    readonly priority?: number | undefined;
  };
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly message?: string;
    readonly qosClass?: string;
    readonly podIP: string;
    readonly podIPs: readonly string[];
    readonly startTime: number | undefined;
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime: number | undefined;
      readonly reason?: string;
      readonly message?: string;
    }[];
    /** Of containers that ended; `current` is false for the run before a restart. */
    readonly terminations: readonly {
      readonly kind?: 'init' | 'regular' | 'ephemeral';
      readonly current: boolean;
      readonly finishedAt: number | undefined;
      readonly container?: string;
      readonly reason?: string;
      readonly exitCode?: number;
      readonly signal?: number;
      readonly restartCount?: number;
    }[];
    /** The earliest start of the containers that run now. */
    readonly runningSince?: number | undefined;
    /** A container has not been made yet: its image may be under way. */
    readonly creating?: boolean;
    /** A digest of its containers' images: the same for pods with the same images. */
    readonly images?: number;
  };
}

export interface ObservedTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  readonly timeAdded: number | undefined;
}

export interface ObservedNode {
  readonly metadata: ObservedMeta;
  readonly spec?: {
    readonly podCIDRs: readonly string[];
    readonly unschedulable?: boolean;
    readonly taints?: readonly ObservedTaint[];
  };
  readonly status: {
    readonly addresses: readonly { readonly type: string; readonly address: string }[];
    /** Absent where the collector does not read them; then nothing is known of the kubelet. */
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastHeartbeatTime: number | undefined;
      readonly lastTransitionTime?: number | undefined;
      readonly reason?: string;
    }[];
    readonly nodeInfo?: { readonly bootID: string; readonly kubeletVersion: string };
    /** A digest of its images and volumes; a kubelet posts the status when they change. */
    readonly contents?: number;
  };
}

export interface ObservedService {
  readonly metadata: ObservedMeta;
  /** `clusterIP` is read where a server before 1.20 has no `clusterIPs`. */
  readonly spec: { readonly clusterIP?: string; readonly clusterIPs: readonly string[] };
}

export type Observed =
  | { readonly kind: 'Pod'; readonly object: ObservedPod }
  | { readonly kind: 'Node'; readonly object: ObservedNode }
  | { readonly kind: 'Service'; readonly object: ObservedService };

/** As a stream of evidence reports it: whoever observes adds the epoch, the collector and when that was. */
export type ReportedEvidence = Omit<Evidence, 'epoch' | 'collector' | 'observedAt'>;

/** `at` is the collector's clock when the observation was made; it never goes back within a log, except with `clock`. */
export type Observation =
  /** One event of the watch; `deleted` carries the final state. Events of a catch-up are delivered the same way. */
  | { readonly kind: 'event'; readonly type: 'present' | 'deleted'; readonly seen: Observed; readonly at: EpochMillis }
  /** The consistency list found this: it happened at some time since the object was last seen. */
  | {
      readonly kind: 'corrected';
      readonly type: 'present' | 'deleted';
      readonly seen: Observed;
      readonly at: EpochMillis;
    }
  /** A listing. What is neither present nor gone is unchanged, unless `whole`: then it is gone. */
  | {
      readonly kind: 'listed';
      readonly resource: Observed['kind'];
      /** A recorder of some namespaces has one stream for each; undefined for the whole cluster's. */
      readonly namespace?: string | undefined;
      readonly reason: 'start' | 'expired' | 'rewound' | 'undecodable';
      readonly resourceVersion: string;
      readonly whole: boolean;
      readonly present: readonly Observed[];
      readonly goneUids: readonly string[];
      /** The last instant at which the watch before was certainly alive; later claims of coverage are taken back. */
      readonly since?: EpochMillis | undefined;
      readonly at: EpochMillis;
    }
  /** Every event up to this version has been delivered (a bookmark, or the end of a catch-up). */
  | {
      readonly kind: 'progress';
      readonly resource: Observed['kind'];
      readonly namespace?: string | undefined;
      readonly resourceVersion: string;
      readonly at: EpochMillis;
    }
  /**
   * A listing beside a catch-up had exactly these at this version. Whoever was last seen before that and is not among
   * them is gone, though no event said so: then the events were not those of the history that was recorded.
   */
  | {
      readonly kind: 'checked';
      readonly resource: Observed['kind'];
      readonly namespace?: string | undefined;
      readonly resourceVersion: string;
      readonly uids: readonly string[];
      readonly at: EpochMillis;
    }
  /**
   * Asked aside of the watch by a consistent read, the server said that this is its newest version. `at` is when the
   * question was sent: what is newer, of whatever kind, was written later. Optional; it keeps bounds and gaps narrow
   * where events are rare.
   */
  | { readonly kind: 'probed'; readonly resourceVersion: string; readonly at: EpochMillis }
  /**
   * A node's Lease was read aside of the watches, and its kubelet has renewed it since the last time: `renewTime` is the
   * kubelet's clock, whole milliseconds, `at` is when the answer arrived. Optional, and asked for only while the node is
   * among `Observer.nodesInQuestion`; renewals in between are not seen.
   */
  | { readonly kind: 'renewed'; readonly node: string; readonly renewTime: number; readonly at: EpochMillis }
  /** A trace of a cause, from a stream of evidence. Only `CauseObserver` reads it; an id once more is the same record. */
  | { readonly kind: 'evidence'; readonly evidence: ReportedEvidence; readonly at: EpochMillis }
  /**
   * The collector's clock was wrong: what it said after `since` is not known to be right. `at` is right, and may be
   * earlier than the observation before: the one time that a log goes back.
   */
  | { readonly kind: 'clock'; readonly since: EpochMillis; readonly at: EpochMillis }
  /** The watch is open and inside its liveness deadline. */
  | { readonly kind: 'alive'; readonly at: EpochMillis };

/** What a stream of evidence may report: it opens no coverage, lists nothing and ends nobody. */
export type EvidenceObservation = Extract<Observation, { readonly kind: 'renewed' | 'evidence' }>;
