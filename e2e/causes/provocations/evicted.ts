// The Eviction API: a drain, and somebody who evicts one pod without closing its node.
import { ADMIN, type Provocation } from '../provocation.ts';

export const drained: Provocation = {
  ...{ name: 'drain', cause: 'Evicted', by: 'control plane', sentence: /was drained/, actor: ADMIN },
  evidence: 'DisruptionTarget `EvictionByEvictionAPI`, and the node was cordoned',
  async provoke(scene) {
    const node = await scene.node();
    const pods = await scene.deployment({ replicas: 2, node });
    await scene.kubectl('drain', node, '--ignore-daemonsets', '--timeout=60s');
    return await scene.ended(...pods);
  },
};

export const evicted: Provocation = {
  ...{
    name: 'eviction of one pod',
    cause: 'Evicted',
    by: 'control plane',
    sentence: /by whom is not known/,
    actor: ADMIN,
  },
  evidence: 'DisruptionTarget `EvictionByEvictionAPI`',
  async provoke(scene) {
    const [pod] = await scene.deployment();
    await scene.evict(pod!);
    return await scene.ended(pod!);
  },
};
