// A Deployment ends its pods: for another template, for a restart, because it has too many, or because it is deleted.
import type { Provocation } from '../provocation.ts';
import type { Scene } from '../scene.ts';

const NAMED = 'event `SuccessfulDelete` of its ReplicaSet, which names it';

export const rollout: Provocation = {
  ...{ name: 'rollout', cause: 'Rollout', by: 'control plane', sentence: /to revision 2\.$/ },
  evidence: `${NAMED}; pods of a newer ReplicaSet, and its revision`,
  async provoke(scene) {
    const pods = await scene.deployment({ replicas: 3 });
    await changeTemplate(scene, { labels: { version: 'next' } });
    return await scene.ended(...pods);
  },
};

export const restarted: Provocation = {
  ...{ name: 'rollout restart', cause: 'Restarted', by: 'control plane' },
  evidence: `${NAMED}; pods of a newer ReplicaSet, with a newer annotation \`restartedAt\``,
  async provoke(scene) {
    const pods = await scene.deployment({ replicas: 2 });
    await scene.kubectl('-n', scene.namespace, 'rollout', 'restart', `deployment/${scene.name}`);
    return await scene.ended(...pods);
  },
};

export const recreated: Provocation = {
  ...{ name: 'rollout that ends old pods first', cause: 'Rollout', by: 'control plane' },
  evidence: `${NAMED}; pods of a newer ReplicaSet, and its revision`,
  async provoke(scene) {
    const pods = await scene.deployment({ replicas: 2, spec: { strategy: { type: 'Recreate' } } });
    await changeTemplate(scene, { labels: { version: 'next' } });
    return await scene.ended(...pods);
  },
};

export const scaledDown: Provocation = {
  ...{ name: 'kubectl scale', cause: 'ScaledDown', by: 'control plane', sentence: /was scaled down\.$/ },
  evidence: `${NAMED}; no newer ReplicaSet`,
  async provoke(scene) {
    const pods = await scene.deployment({ replicas: 3 });
    await scene.kubectl('-n', scene.namespace, 'scale', `deployment/${scene.name}`, '--replicas=2');
    return await scene.oneEnded(pods);
  },
};

/** More replicas than it may have: an autoscaler needs no metrics for that. */
export const autoscaled: Provocation = {
  ...{ name: 'autoscaler', cause: 'ScaledDown', by: 'control plane', sentence: /by HorizontalPodAutoscaler/ },
  evidence: `${NAMED}; event \`SuccessfulRescale\` of its HorizontalPodAutoscaler`,
  async provoke(scene) {
    const pods = await scene.deployment({ replicas: 3 });
    await scene.post(scene.pathOf('horizontalpodautoscalers', '', '/apis/autoscaling/v2'), {
      ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: scene.name } },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: scene.name },
        ...{ minReplicas: 1, maxReplicas: 2 },
      },
    });
    return await scene.oneEnded(pods);
  },
};

export const deploymentDeleted: Provocation = {
  ...{ name: 'Deployment deleted', cause: 'OwnerDeleted', by: 'control plane', sentence: /with Deployment/ },
  evidence: 'the deletion of its Deployment',
  async provoke(scene) {
    const pods = await scene.deployment({ replicas: 2 });
    await scene.remove(scene.workload('deployments'), { propagationPolicy: 'Background' });
    return await scene.ended(...pods);
  },
};

export const deploymentDeletedInForeground: Provocation = {
  ...{
    name: 'Deployment deleted, pods first',
    cause: 'OwnerDeleted',
    by: 'control plane',
    sentence: /with Deployment/,
  },
  evidence: 'its Deployment was to be deleted',
  async provoke(scene) {
    const pods = await scene.deployment({ replicas: 2 });
    await scene.remove(scene.workload('deployments'), { propagationPolicy: 'Foreground' });
    return await scene.ended(...pods);
  },
};

async function changeTemplate(scene: Scene, metadata: object): Promise<void> {
  await scene.patch(scene.workload('deployments'), { spec: { template: { metadata } } });
}
