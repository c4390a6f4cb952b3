// A StatefulSet ends its pods: for another template, for a restart, because it has too many, or because one had failed.
import type { Provocation } from '../provocation.ts';

const NAMED = 'event `SuccessfulDelete` of its StatefulSet, which names it';

export const statefulSetUpdated: Provocation = {
  ...{ name: 'StatefulSet update', cause: 'StatefulSetUpdate', by: 'control plane', sentence: /to revision/ },
  evidence: `${NAMED}; the next pod of its name has another revision`,
  async provoke(scene) {
    const pods = await scene.statefulSet({ replicas: 2 });
    const template = { metadata: { labels: { version: 'next' } } };
    await scene.patch(scene.workload('statefulsets'), { spec: { template } });
    return await scene.ended(...pods);
  },
};

export const statefulSetRestarted: Provocation = {
  ...{ name: 'StatefulSet restart', cause: 'Restarted', by: 'control plane' },
  evidence: `${NAMED}; the next pod of its name has a newer annotation \`restartedAt\``,
  async provoke(scene) {
    const pods = await scene.statefulSet({ replicas: 1 });
    await scene.kubectl('-n', scene.namespace, 'rollout', 'restart', `statefulset/${scene.name}`);
    return await scene.ended(...pods);
  },
};

export const statefulSetRefused: Provocation = {
  ...{ name: 'StatefulSet update whose new pod is refused', cause: 'StatefulSetUpdate', by: 'control plane' },
  ...{ evidence: `${NAMED}; event \`FailedCreate\``, sentence: /could not make it again/ },
  async provoke(scene) {
    const pods = await scene.statefulSet({ replicas: 1 });
    const template = { spec: { priorityClassName: 'there-is-none' } };
    await scene.patch(scene.workload('statefulsets'), { spec: { template } });
    return await scene.ended(...pods);
  },
};

export const statefulSetScaled: Provocation = {
  ...{ name: 'StatefulSet scaled', cause: 'ScaledDown', by: 'control plane' },
  evidence: `${NAMED}; no next pod of its name`,
  async provoke(scene) {
    const pods = await scene.statefulSet({ replicas: 2 });
    await scene.kubectl('-n', scene.namespace, 'scale', `statefulset/${scene.name}`, '--replicas=1');
    return await scene.oneEnded(pods);
  },
};

export const statefulSetRecreated: Provocation = {
  ...{ name: 'failed pod of a StatefulSet', cause: 'StatefulSetRecreated', by: 'status as kubelets write it' },
  evidence: 'events `RecreatingFailedPod` or `SuccessfulDelete` of its StatefulSet, or the next pod of its name',
  async provoke(scene) {
    const [pod] = await scene.statefulSet();
    await scene.kubelet.ends(pod!, { phase: 'Failed', exitCode: 255, ended: 'Unknown' });
    return await scene.ended(pod!);
  },
};
