// Autoscalers and the descheduler: by which events and taints they are known. Which of them ended a pod is decided by the checks.
import type { Evidence } from '../model/evidence.ts';
import { ofKind } from './traces.ts';

export interface Evictor {
  readonly actor: string;
  /**
   * Reasons of its events about the pod, if these are a few. Others use the same words, and the descheduler the names of its
   * strategies: the component must be its own.
   */
  readonly reasons?: readonly string[];
  readonly component: RegExp;
  /** Beginnings of the taints that it puts on a node before it empties it. */
  readonly taints: readonly string[];
}

export const EVICTORS: readonly Evictor[] = [
  {
    actor: 'cluster-autoscaler',
    reasons: ['ScaleDown'],
    component: /cluster-autoscaler/,
    taints: ['ToBeDeletedByClusterAutoscaler'],
  },
  {
    actor: 'karpenter',
    reasons: ['Evicted', 'Disrupted'],
    component: /karpenter/,
    taints: ['karpenter.sh/disrupted', 'karpenter.sh/disruption=disrupting'],
  },
  { actor: 'vertical-pod-autoscaler', reasons: ['EvictedByVPA'], component: /vpa|vertical-pod/, taints: [] },
  { actor: 'descheduler', component: /descheduler/, taints: [] },
];

/** Its events among those about a pod, in the order of time. */
export function eventsOf({ reasons, component }: Evictor, ofPod: readonly Evidence[]): Evidence[] {
  return ofKind(ofPod, 'event').filter(
    ({ reason, by }) => component.test(by) && (reasons === undefined || reasons.includes(reason)),
  );
}

/** What it did to a node, and took back. */
export function taintsOf({ taints }: Evictor, ofNode: readonly Evidence[]): Evidence[] {
  return ofKind(ofNode, 'tainted', 'untainted').filter(({ reason }) =>
    taints.some((taint) => reason.startsWith(taint)),
  );
}
