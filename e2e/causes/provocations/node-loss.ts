// The node went: its object was deleted, or nobody reaches it any more.
import type { Provocation } from '../provocation.ts';

export const nodeDeleted: Provocation = {
  ...{ name: 'Node deleted', cause: 'NodeGone', by: 'control plane', isSlow: true },
  evidence: 'DisruptionTarget `DeletionByPodGC`, and the deletion of the Node',
  async provoke(scene) {
    const name = `played-${scene.name}`;
    await using _node = await scene.playedNode(name);
    const pod = await scene.playedPod(name);
    await scene.remove(`/api/v1/nodes/${name}`);
    return await scene.ended(pod);
  },
};

export const nodeUnreachable: Provocation = {
  ...{ name: 'node without heartbeats', cause: 'NodeUnreachable', by: 'control plane', isSlow: true },
  evidence: 'DisruptionTarget `DeletionByTaintManager`, the taint `unreachable` and `Ready=Unknown` of the node',
  async provoke(scene) {
    const name = `played-${scene.name}`;
    const node = await scene.playedNode(name);
    const tolerations = ['unreachable', 'not-ready'].map((taint) => ({
      ...{ key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 },
    }));
    const pod = await scene.playedPod(name, { tolerations });
    await node[Symbol.asyncDispose]();
    return await scene.ended(pod);
  },
};
