// What we keep of a Pod: who it is, where it runs, its addresses, its conditions, and how its containers ended. Field
// names are those of Kubernetes' JSON, except `terminations`, which gathers all ended containers into one list.
import { type MetadataView, NO_ITEMS } from './metadata-view.ts';
import { NOTHING_DIGESTED } from './name-digest.ts';

export class PodView {
  readonly metadata: MetadataView;
  readonly spec: PodSpecView;
  readonly status: PodStatusView;

  constructor(metadata: MetadataView, spec: PodSpecView, status: PodStatusView) {
    this.metadata = metadata;
    this.spec = spec;
    this.status = status;
  }
}

export class PodSpecView {
  /** Empty until the pod is scheduled. */
  readonly nodeName: string = '';
  readonly hostNetwork: boolean = false;
  readonly priority: number | undefined = undefined;
  readonly priorityClassName: string = '';
  readonly terminationGracePeriodSeconds: number | undefined = undefined;
}

export class PodStatusView {
  readonly phase: string = '';
  readonly reason: string = '';
  readonly message: string = '';
  readonly qosClass: string = '';
  readonly hostIP: string = '';
  readonly podIP: string = '';
  /** All addresses, the first of which is podIP. */
  readonly podIPs: readonly string[] = NO_ITEMS;
  readonly startTime: number | undefined = undefined;
  readonly conditions: readonly PodConditionView[] = NO_ITEMS;
  /** Regular containers, then init, then ephemeral ones; of one container the current state before the last one. */
  readonly terminations: readonly ContainerTermination[] = NO_ITEMS;
  /** The earliest start of the containers that run now, of whatever kind; undefined when none runs. */
  readonly runningSince: number | undefined = undefined;
  /** A container has not been made yet (ContainerCreating, PodInitializing): its image may be under way. */
  readonly creating: boolean = false;
  /** A digest of the images of all its containers: pods with the same images have the same. */
  readonly images: number = NOTHING_DIGESTED;
}

export class PodConditionView {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: number | undefined;
  readonly reason: string;
  readonly message: string;

  constructor(type: string, status: string, lastTransitionTime: number | undefined, reason: string, message: string) {
    this.type = type;
    this.status = status;
    this.lastTransitionTime = lastTransitionTime;
    this.reason = reason;
    this.message = message;
  }
}

// V8 gives a field that has only ever held doubles a number object per instance; one that has held undefined, a reference.
new PodConditionView('', '', undefined, '', '');

export type ContainerKind = 'init' | 'regular' | 'ephemeral';

/** One end of one container: the state it is in, or the one before its restart. */
export class ContainerTermination {
  readonly container: string = '';
  readonly kind: ContainerKind = 'regular';
  /** True for `state.terminated`, false for `lastState.terminated` (it has been started again, or is about to be). */
  readonly current: boolean = false;
  readonly exitCode: number = 0;
  readonly signal: number = 0;
  readonly reason: string = '';
  readonly message: string = '';
  readonly startedAt: number | undefined = undefined;
  readonly finishedAt: number | undefined = undefined;
  readonly restartCount: number = 0;
}
