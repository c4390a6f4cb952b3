// Programs that evict pods, and what each says then in an Event. The run says it under their names.
import type { WatchedPod } from './pod-watch.ts';
import type { Scene } from './scene.ts';

export interface Evictor {
  readonly actor: string;
  readonly component: string;
  readonly reason: string;
  readonly message: string;
}

export const CLUSTER_AUTOSCALER: Evictor = {
  ...{ actor: 'cluster-autoscaler', component: 'cluster-autoscaler', reason: 'ScaleDown' },
  message: 'deleting pod for node scale down',
};
export const VPA: Evictor = {
  ...{ actor: 'vertical-pod-autoscaler', component: 'vpa-updater', reason: 'EvictedByVPA' },
  message: 'Pod was evicted by VPA Updater to apply resource recommendation.',
};
export const DESCHEDULER: Evictor = {
  ...{ actor: 'descheduler', component: 'sigs.k8s.io/descheduler', reason: 'Descheduled' },
  message: 'pod evicted from node by sigs.k8s.io/descheduler',
};
export const KARPENTER: Evictor = {
  ...{ actor: 'karpenter', component: 'karpenter', reason: 'Evicted', message: 'Evicted pod: Underutilized' },
};

export async function saysOf(scene: Scene, pod: WatchedPod, { component, reason, message }: Evictor): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  await scene.says({ apiVersion: 'v1', kind: 'Pod', name, namespace, uid }, component, reason, message);
}
