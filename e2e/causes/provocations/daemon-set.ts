// A DaemonSet ends its pods: for another template, or for a restart.
import type { Provocation } from '../provocation.ts';

const NAMED = 'event `SuccessfulDelete` of its DaemonSet, which names it';

export const daemonSetUpdated: Provocation = {
  ...{ name: 'DaemonSet update', cause: 'DaemonSetUpdate', by: 'control plane', sentence: /to revision/ },
  evidence: `${NAMED}; the next pod on its node has another revision`,
  async provoke(scene) {
    const pods = await scene.daemonSet();
    const template = { metadata: { labels: { version: 'next' } } };
    await scene.patch(scene.workload('daemonsets'), { spec: { template } });
    return await scene.ended(...pods);
  },
};

export const daemonSetRestarted: Provocation = {
  ...{ name: 'DaemonSet restart', cause: 'Restarted', by: 'control plane' },
  evidence: `${NAMED}; the next pod on its node has a newer annotation \`restartedAt\``,
  async provoke(scene) {
    const pods = await scene.daemonSet();
    await scene.kubectl('-n', scene.namespace, 'rollout', 'restart', `daemonset/${scene.name}`);
    return await scene.ended(...pods);
  },
};

export const daemonSetMoved: Provocation = {
  ...{ name: 'DaemonSet for fewer nodes', cause: 'ScaledDown', by: 'control plane', sentence: /does not run on/ },
  evidence: `${NAMED}; no next pod on its node`,
  async provoke(scene) {
    const pods = await scene.daemonSet();
    const [kept] = pods;
    const nodeSelector = { 'kubernetes.io/hostname': kept!.spec.nodeName };
    await scene.patch(scene.workload('daemonsets'), { spec: { template: { spec: { nodeSelector } } } });
    return await scene.ended(...pods.slice(1));
  },
};
