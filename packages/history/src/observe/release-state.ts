// What is seen of a kubelet after one of its pods is gone from the API: two small machines, and one function for each of
// their transitions. docs/sandbox-life.md draws them. Pure; releases.ts asks nodes and decides by the states.
import { type EpochMillis, epochMillis } from '../model/time.ts';

/** Whether the kubelet is in touch with the API server, by what it writes. */
export type Contact =
  /** It has not written since the pod went. Left by its first write. */
  | { readonly kind: 'none' }
  /**
   * It first wrote at `since`. Left by a write when the pod should have ended. `neverHadPod`: it was away from before the
   * pod was bound until long after the pod went.
   */
  | { readonly kind: 'resumed'; readonly since: EpochMillis; readonly neverHadPod: boolean }
  /** It wrote at `at`, when it should have ended the pod. Final. */
  | { readonly kind: 'alive'; readonly since: EpochMillis; readonly neverHadPod: boolean; readonly at: EpochMillis };

/** Whether it is the process that knew of the pod. */
export type KubeletProcess =
  /** Nothing says that it was started since. Left by what shows a start. */
  | { readonly kind: 'same' }
  /** It was started, or may have been, at `at`. A later start moves that. */
  | { readonly kind: 'restarted'; readonly at: EpochMillis };

export interface ReleaseState {
  readonly contact: Contact;
  readonly process: KubeletProcess;
  /** By then a kubelet that is there has ended the pod. Grows while it lies ahead, then stays. */
  readonly limit: EpochMillis | undefined;
}

/** Its limit is known. */
export type LimitedState = ReleaseState & { readonly limit: EpochMillis };

export const UNSEEN: ReleaseState = { contact: { kind: 'none' }, process: { kind: 'same' }, limit: undefined };

/** none → resumed. */
export function firstWrite(state: ReleaseState, since: EpochMillis, neverHadPod: () => boolean): ReleaseState {
  if (state.contact.kind !== 'none') return state;
  return { ...state, contact: { kind: 'resumed', since, neverHadPod: neverHadPod() } };
}

/** resumed → alive, if it wrote as long after the limit as it had been out of touch when the pod went. */
export function writeAfterLimit(state: LimitedState, goneAt: EpochMillis, at: EpochMillis): ReleaseState {
  const { contact, limit } = state;
  if (contact.kind !== 'resumed' || at < limit + contact.since - goneAt) return state;
  return { ...state, contact: { ...contact, kind: 'alive', at } };
}

/** same → restarted. */
export function restart(state: ReleaseState, at: EpochMillis | undefined): ReleaseState {
  if (state.process.kind === 'restarted' || at === undefined) return state;
  return { ...state, process: { kind: 'restarted', at } };
}

/** restarted → restarted, later. */
export function restartAgain(state: ReleaseState, at: EpochMillis | undefined): ReleaseState {
  return at === undefined ? state : { ...state, process: { kind: 'restarted', at } };
}

/** How slow the kubelet became after the limit says nothing of what was done by then. */
export function isLimitPast(state: ReleaseState, at: EpochMillis): state is LimitedState {
  return state.limit !== undefined && at > state.limit;
}

export function extendLimit(state: ReleaseState, limit: EpochMillis): LimitedState {
  return { ...state, limit: epochMillis(Math.max(state.limit ?? 0, limit)) };
}
