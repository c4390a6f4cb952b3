// Autoscalers and the descheduler: they use the Eviction API, and say so in Events or by taints. The run evicts, and writes
// those under their names.
import { CLUSTER_AUTOSCALER, DESCHEDULER, type Evictor, KARPENTER, saysOf, VPA } from '../evictors.ts';
import type { Provocation } from '../provocation.ts';

const BY = 'events and taints as autoscalers write them';

export const evictedByClusterAutoscaler = evictedBy(CLUSTER_AUTOSCALER);
export const evictedByVpa = evictedBy(VPA);
export const evictedByDescheduler = evictedBy(DESCHEDULER);
export const evictedByKarpenter = evictedBy(KARPENTER);
export const emptiedByClusterAutoscaler = emptiedBy(
  'cluster-autoscaler',
  'ToBeDeletedByClusterAutoscaler=1:NoSchedule',
);
export const emptiedByKarpenter = emptiedBy('karpenter', 'karpenter.sh/disrupted=:NoSchedule');

function evictedBy(evictor: Evictor): Provocation {
  const { actor, component, reason } = evictor;
  return {
    ...{ name: `eviction by ${actor}`, cause: 'Evicted', by: BY, actor: new RegExp(`^${actor}$`) },
    evidence: `DisruptionTarget \`EvictionByEvictionAPI\`, and event \`${reason}\` of ${component}`,
    sentence: new RegExp(`^was evicted by ${actor}\\.$`),
    async provoke(scene) {
      const [pod] = await scene.deployment();
      await saysOf(scene, pod!, evictor);
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
