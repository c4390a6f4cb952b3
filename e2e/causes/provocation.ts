// One way to make a pod end for a known cause, and what must be said about it.
import type { Cause } from '@podtrail/history';
import type { Scene } from './scene.ts';

/** Who writes what a verdict rests on: Kubernetes itself, this run in the words of kubelets or of others, or a kubelet. */
export type Writer =
  | 'control plane'
  | 'status as kubelets write it'
  | 'events and taints as autoscalers write them'
  | 'real kubelet';

/** Who this run is in the audit log. */
export const ADMIN = /^admin$/;

export interface Provocation {
  /** What docs/causes.md and the table of a run call it. */
  readonly name: string;
  readonly cause: Cause;
  /** Where the cause alone says too little: who, which taint, to which revision. */
  readonly sentence?: RegExp;
  /** Who did it, as a verdict with the audit log must say; without it, where another trace says so, too. */
  readonly actor?: RegExp;
  /** What the verdict rests on. */
  readonly evidence: string;
  readonly by: Writer;
  /** Some controller waits a minute by its own clock: always run beside others. */
  readonly isSlow?: boolean;
  /** Resolves once the end has begun, with the pods that ended so. */
  readonly provoke: (scene: Scene) => Promise<Provoked>;
}

export interface Provoked {
  readonly uids: readonly string[];
  /** For a pod that goes on: when something happened to it. */
  readonly at?: number;
}
