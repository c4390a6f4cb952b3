// A Deployment ends its pods: for another template, for a restart, because it has too many, or because it is deleted.

import type { WatchedPod } from '../pod-watch.ts';
import { ADMIN, type Provocation } from '../provocation.ts';
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
  ...{ name: 'kubectl scale', cause: 'ScaledDown', by: 'control plane', sentence: /was scaled down\.$/, actor: ADMIN },
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

export const edited: Provocation = {
  ...{ name: 'kubectl edit', cause: 'ScaledDown', by: 'control plane', sentence: /was scaled down\.$/, actor: ADMIN },
  evidence: `${NAMED}; no newer ReplicaSet`,
  async provoke(scene) {
    const pods = await scene.deployment({ replicas: 3 });
    await scene.kubectlEdit(`deployment/${scene.name}`, 'replicas: 3', 'replicas: 1');
    return await scene.someEnded(pods, 2);
  },
};

export const pendingScaledDown: Provocation = {
  ...{ name: 'scale-down of pods that no node took', cause: 'ScaledDown', by: 'control plane' },
  evidence: `${NAMED}; no newer ReplicaSet`,
  async provoke(scene) {
    await scene.deployment({ replicas: 0 });
    const template = { spec: { nodeSelector: { nowhere: 'yes' } } };
    await scene.patch(scene.workload('deployments'), { spec: { replicas: 2, template } });
    const pods = await scene.present(2);
    await scene.patch(scene.workload('deployments'), { spec: { replicas: 0 } });
    return await scene.ended(...pods);
  },
};

/** New pods are made, and are not available for five minutes: the rollout waits. */
const WAITING = { minReadySeconds: 300, strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 2 } } };

export const scaledWhilePaused: Provocation = {
  ...{ name: 'scale-down of a Deployment that is paused in a rollout', cause: 'ScaledDown', by: 'control plane' },
  evidence: `${NAMED}; the number of replicas that its Deployment wants became smaller`,
  provoke: (scene) => scaledWhileRolling(scene),
};

/** One that is not paused would go on, and end some of the old pods for the rollout. */
async function scaledWhileRolling(scene: Scene) {
  await scene.deployment({ replicas: 4, spec: WAITING });
  await changeTemplate(scene, { labels: { version: 'next' } });
  const pods = await scene.running(6);
  await scene.patch(scene.workload('deployments'), { spec: { paused: true } });
  await scene.kubectl('-n', scene.namespace, 'scale', `deployment/${scene.name}`, '--replicas=2');
  return await scene.someEnded(pods, 2);
}

export const rolledOutInVain: Provocation = {
  ...{ name: 'rollout whose new pods are refused', cause: 'Rollout', by: 'control plane', sentence: /to revision 2/ },
  evidence: `${NAMED}; the revision of its Deployment, and the number of replicas that it wants stayed the same`,
  async provoke(scene) {
    const pods = await scene.deployment({ replicas: 2, spec: { strategy: { type: 'Recreate' } } });
    const template = { spec: { priorityClassName: 'there-is-none' } };
    await scene.patch(scene.workload('deployments'), { spec: { template } });
    return await scene.ended(...pods);
  },
};

export const undone: Provocation = {
  ...{
    name: 'rollout undo while a rollout is stuck',
    cause: 'Rollout',
    by: 'control plane',
    sentence: /to revision 3/,
  },
  evidence: `${NAMED}; the older ReplicaSet, whose pods are still there, has a newer revision`,
  async provoke(scene) {
    const [old] = await scene.deployment({ replicas: 1 });
    const template = { spec: { nodeSelector: { nowhere: 'yes' } } };
    await scene.patch(scene.workload('deployments'), { spec: { template } });
    const pods = await scene.present(2);
    await scene.kubectl('-n', scene.namespace, 'rollout', 'undo', `deployment/${scene.name}`);
    return await scene.ended(...pods.filter(({ metadata }) => metadata.uid !== old?.metadata.uid));
  },
};

export const takenOver: Provocation = {
  ...{ name: 'pod that a ReplicaSet takes over', cause: 'ScaledDown', by: 'control plane' },
  ...{ evidence: `${NAMED}; its ReplicaSet was not changed`, sentence: /had more pods than it wanted/ },
  async provoke(scene) {
    const [pod] = await scene.deployment({ replicas: 2 });
    const label = async (hash: string | null | undefined) =>
      await scene.patch(scene.podPath(pod!), { metadata: { labels: { 'pod-template-hash': hash } } });
    // As people do who want to look at a pod: its ReplicaSet makes another one, and has one too many when it is back.
    await label(null);
    const pods = await scene.running(3);
    await label(pod?.metadata.labels?.['pod-template-hash']);
    return await scene.someEnded(pods, 1);
  },
};

export const replicaSetDeleted: Provocation = {
  ...{ name: 'ReplicaSet deleted', cause: 'OwnerDeleted', by: 'control plane', sentence: /with ReplicaSet/ },
  evidence: 'the deletion of its ReplicaSet',
  async provoke(scene) {
    const pods = await scene.deployment({ replicas: 2 });
    await scene.remove(replicaSetOf(scene, pods), { propagationPolicy: 'Background' });
    return await scene.ended(...pods);
  },
};

export const orphanDeleted: Provocation = {
  ...{
    name: 'kubectl delete pod, whose Deployment was deleted before and left it',
    cause: 'DeletedOnRequest',
    by: 'control plane',
    actor: ADMIN,
  },
  evidence: 'a deletion that no event of its ReplicaSet names, which was there',
  async provoke(scene) {
    const [pod] = await orphaned(scene);
    await scene.remove(scene.podPath(pod!));
    return await scene.ended(pod!);
  },
};

export const orphanedOwnerDeleted: Provocation = {
  ...{
    name: 'ReplicaSet deleted, whose Deployment was deleted before and left it',
    cause: 'OwnerDeleted',
    by: 'control plane',
  },
  evidence: 'the deletion of its ReplicaSet',
  async provoke(scene) {
    const pods = await orphaned(scene);
    await scene.remove(replicaSetOf(scene, pods), { propagationPolicy: 'Background' });
    return await scene.ended(...pods);
  },
};

async function orphaned(scene: Scene): Promise<WatchedPod[]> {
  const pods = await scene.deployment({ replicas: 2 });
  await scene.remove(scene.workload('deployments'), { propagationPolicy: 'Orphan' });
  await scene.gone(scene.workload('deployments'));
  return pods;
}

function replicaSetOf(scene: Scene, pods: readonly WatchedPod[]): string {
  const hash = pods[0]?.metadata.labels?.['pod-template-hash'];
  return scene.pathOf('replicasets', `${scene.name}-${hash}`, '/apis/apps/v1');
}

async function changeTemplate(scene: Scene, metadata: object): Promise<void> {
  await scene.patch(scene.workload('deployments'), { spec: { template: { metadata } } });
}
