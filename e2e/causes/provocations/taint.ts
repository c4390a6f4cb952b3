// Taints that evict: any, and the one that declares a node out of service.
import type { Provocation } from '../provocation.ts';
import type { Scene } from '../scene.ts';

export const tainted: Provocation = {
  ...{ name: 'NoExecute taint', cause: 'Taint', by: 'control plane', sentence: /the taint broken=yes:NoExecute of/ },
  evidence: 'DisruptionTarget `DeletionByTaintManager`, event `TaintManagerEviction`, and the taints of the node',
  provoke: (scene) => taintedWith(scene, 'broken=yes:NoExecute'),
};

export const outOfService: Provocation = {
  ...{ name: 'out-of-service taint', cause: 'OutOfService', by: 'control plane' },
  evidence: 'DisruptionTarget `DeletionByTaintManager`, and the taint `node.kubernetes.io/out-of-service` of the node',
  provoke: (scene) => taintedWith(scene, 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute'),
};

async function taintedWith(scene: Scene, taint: string) {
  const node = await scene.node();
  const pods = await scene.deployment({ replicas: 2, node });
  await scene.kubectl('taint', 'node', node, taint);
  return await scene.ended(...pods);
}
