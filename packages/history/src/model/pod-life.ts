// What a pod itself showed of its life, for its lifecycle and for the cause of its end. One record for each pod; never
// decides who held an address.
import type { Provenance } from './boundary.ts';
import type { ObjectReference } from './object-reference.ts';
import type { Holder } from './records.ts';
import type { EpochMillis } from './time.ts';

/**
 * The version of the pod in which something was first seen. Invariant: what is first by versions was first; times have
 * whole seconds, and one delivery of a watch may have several versions.
 */
export interface FirstSeen {
  readonly epoch: number;
  readonly resourceVersion: string;
  /** By a listing, which shows no versions between: what it shows at once may have come one after the other. */
  readonly listed?: true | undefined;
}

/** A condition or a status that somebody wrote, with its own words. */
export interface Reason {
  readonly reason: string;
  /** At most MOST_MESSAGE characters. */
  readonly message: string;
  readonly at: EpochMillis;
  /** When it was first seen, where that decides: what replaces it keeps its time. */
  readonly seenAt?: EpochMillis | undefined;
  /** Absent where that is the version of the record itself. */
  readonly seenIn?: FirstSeen | undefined;
}

export interface Deletion {
  readonly requested: EpochMillis;
  readonly graceSeconds: number;
  /** When it was first seen: its own time is a whole second. Absent in lives of one sighting, and in older ones. */
  readonly seenAt?: EpochMillis | undefined;
  /** Absent where that is the version of the record itself. */
  readonly seenIn?: FirstSeen | undefined;
}

export interface ContainerEnding {
  readonly container: string;
  /** `OOMKilled`, `Error`, `Completed` … */
  readonly reason: string;
  readonly exitCode: number;
  readonly signal: number;
  readonly at: EpochMillis;
  /** The container was started again after it, or waited for that: it is not how the container ended at last. */
  readonly restarted?: true | undefined;
}

/** Keyed by the pod's UID. Its provenance is that of the last observation that changed it. */
export interface PodLife extends Provenance {
  readonly pod: Holder;
  /** Its controller. */
  readonly owner?: ObjectReference | undefined;
  /** `pod-template-hash` or `controller-revision-hash`. */
  readonly revision?: string | undefined;
  /** `kubectl rollout restart` writes it into the template. */
  readonly restartedAt?: string | undefined;
  /**
   * Those of the sighting that was stored last: at its end the last ones before it. At most MOST_LABEL_CHARACTERS in all,
   * in the order of their keys. Absent in lives that were recorded before labels were.
   */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** There were more than there was room for. */
  readonly labelsCut?: boolean | undefined;
  /** A static pod: its kubelet makes it. */
  readonly isMirror: boolean;
  readonly qosClass: string;
  readonly priority: number;
  readonly created: EpochMillis;
  /**
   * Under which time it is stored, where that is not its creation: the end of a pod that lived for long. So it is kept for
   * as long after its end as the lives of others.
   */
  readonly filedAt?: EpochMillis | undefined;
  readonly scheduled?: EpochMillis | undefined;
  /** Why the scheduler found no node, the last time that it said so. */
  readonly unschedulable?: Reason | undefined;
  readonly networkUp?: EpochMillis | undefined;
  /** The first time. */
  readonly ready?: EpochMillis | undefined;
  /** Since when it was unready, as it first showed when its end had begun: a lost node is before the deletion. */
  readonly notReady?: EpochMillis | undefined;
  /** The first DisruptionTarget: a later one replaces its reason in the object, and is not the cause. */
  readonly disruption?: Reason | undefined;
  readonly terminal?: (Reason & { readonly phase: string }) | undefined;
  readonly deletion?: Deletion | undefined;
  /** Its object is gone. */
  readonly gone?: EpochMillis | undefined;
  readonly restarts: number;
  /** The last ones, oldest first. */
  readonly endings: readonly ContainerEnding[];
}

export const MOST_ENDINGS = 8;
/** Of keys and values together. */
export const MOST_LABEL_CHARACTERS = 2048;

/** It began to end: it was to be deleted, or it was terminal, or it was gone, whatever was first. Keyed by its UID. */
export interface Departure extends Provenance {
  readonly pod: Holder;
  readonly owner?: ObjectReference | undefined;
  readonly at: EpochMillis;
  /** Of one that nobody saw go: the first DisruptionTarget that it showed before. Its life has no end, and so has none. */
  readonly disruption?: Reason | undefined;
}
