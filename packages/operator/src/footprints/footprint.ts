// One line about one pod: where it is, with which addresses, in which state. The first seven fields are those of
// pod-ashiato, spelled as there, so that what reads its lines reads ours; the others are added behind.
import { workloadOf } from '@podtrail/history';
import type { PodView } from '@podtrail/machinery';

export interface FootprintCondition {
  readonly type: string;
  readonly status: string;
  readonly last_transition_time: string | null;
}

export interface Footprint {
  readonly namespace: string;
  readonly pod_name: string;
  /** Empty while the pod waits for a node. */
  readonly node_name: string;
  readonly pod_ip: string;
  readonly phase: string;
  /** When it was looked at: one instant for all lines of a round. */
  readonly timestamp: string;
  readonly conditions: readonly FootprintCondition[];
  readonly pod_ips: readonly string[];
  readonly uid: string;
  /** `inferred`: the Deployment was read off the name of its ReplicaSet. Null for a pod of its own. */
  readonly workload: { readonly kind: string; readonly name: string; readonly inferred: boolean } | null;
}

/** `at`: epoch milliseconds. */
export function footprintOf({ metadata, spec, status }: PodView, at: number): Footprint {
  return {
    namespace: metadata.namespace,
    pod_name: metadata.name,
    node_name: spec.nodeName,
    pod_ip: status.podIP,
    phase: status.phase,
    timestamp: new Date(at).toISOString(),
    conditions: status.conditions.map(({ type, status: value, lastTransitionTime }) => ({
      type,
      status: value,
      last_transition_time: lastTransitionTime === undefined ? null : wholeSeconds(lastTransitionTime),
    })),
    pod_ips: status.podIPs,
    uid: metadata.uid,
    workload: workloadOf(metadata) ?? null,
  };
}

/** Kubernetes' times have whole seconds and are written so. */
function wholeSeconds(at: number): string {
  return new Date(at).toISOString().replace(/\.000Z$/, 'Z');
}
