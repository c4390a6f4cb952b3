// Autoscalers and the descheduler: they use the Eviction API, and say so in Events or by taints. The run evicts, and writes
// those under their names.
import type { Provocation } from '../provocation.ts';

const BY = 'events and taints as autoscalers write them';

interface Autoscaler {
  readonly actor: string;
  readonly component: string;
  readonly reason: string;
  readonly message: string;
}

const CLUSTER_AUTOSCALER: Autoscaler = {
  ...{ actor: 'cluster-autoscaler', component: 'cluster-autoscaler', reason: 'ScaleDown' },
  message: 'deleting pod for node scale down',
};
const VPA: Autoscaler = {
  ...{ actor: 'vertical-pod-autoscaler', component: 'vpa-updater', reason: 'EvictedByVPA' },
  message: 'Pod was evicted by VPA Updater to apply resource recommendation.',
};
const DESCHEDULER: Autoscaler = {
  ...{ actor: 'descheduler', component: 'sigs.k8s.io/descheduler', reason: 'Descheduled' },
  message: 'pod evicted from node by sigs.k8s.io/descheduler',
};
const KARPENTER: Autoscaler = {
  ...{ actor: 'karpenter', component: 'karpenter', reason: 'Evicted', message: 'Evicted pod: Underutilized' },
};

export const evictedByClusterAutoscaler = evictedBy(CLUSTER_AUTOSCALER);
export const evictedByVpa = evictedBy(VPA);
export const evictedByDescheduler = evictedBy(DESCHEDULER);
export const evictedByKarpenter = evictedBy(KARPENTER);
export const emptiedByClusterAutoscaler = emptiedBy(
  'cluster-autoscaler',
  'ToBeDeletedByClusterAutoscaler=1:NoSchedule',
);
export const emptiedByKarpenter = emptiedBy('karpenter', 'karpenter.sh/disrupted=:NoSchedule');

function evictedBy({ actor, component, reason, message }: Autoscaler): Provocation {
  return {
    ...{ name: `eviction by ${actor}`, cause: 'Evicted', by: BY, actor: new RegExp(`^${actor}$`) },
    evidence: `DisruptionTarget \`EvictionByEvictionAPI\`, and event \`${reason}\` of ${component}`,
    sentence: new RegExp(`^was evicted by ${actor}\\.$`),
    async provoke(scene) {
      const [pod] = await scene.deployment();
      const { name, namespace, uid } = pod!.metadata;
      await scene.says({ apiVersion: 'v1', kind: 'Pod', name, namespace, uid }, component, reason, message);
      await scene.evict(pod!);
      return await scene.ended(pod!);
    },
  };
}

/** With the audit log it is known whose request it was: there, this run's. */
function emptiedBy(actor: string, taint: string): Provocation {
  return {
    ...{
      name: `node emptied by ${actor}`,
      cause: 'Evicted',
      by: BY,
      sentence: new RegExp(`by ${actor}, which empties`),
    },
    evidence: `DisruptionTarget \`EvictionByEvictionAPI\`, and the taint \`${taint.split('=')[0]}\` of the node`,
    async provoke(scene) {
      const node = await scene.node();
      const [pod] = await scene.deployment({ node });
      await scene.kubectl('taint', 'node', node, taint);
      await scene.evict(pod!);
      return await scene.ended(pod!);
    },
  };
}
