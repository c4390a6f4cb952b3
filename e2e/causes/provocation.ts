// One way to make a pod end for a known cause, and what must be said about it.
import type { Cause } from '@podtrail/history';
import type { Scene } from './scene.ts';

export interface Provocation {
  /** What docs/causes.md and the table of a run call it. */
  readonly name: string;
  readonly cause: Cause;
  /** Where the cause alone says too little: who, which taint, to which revision. */
  readonly sentence?: RegExp;
  /** What the verdict rests on. */
  readonly evidence: string;
  /** Who writes what the verdict rests on: Kubernetes itself, or this test in the words that kubelets write. */
  readonly by: 'control plane' | 'status as kubelets write it';
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
