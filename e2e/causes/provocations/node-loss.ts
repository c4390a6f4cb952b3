// The node went: its object was deleted, or nobody reaches it any more.
import type { WatchedPod } from '../pod-watch.ts';
import type { Provocation } from '../provocation.ts';
import type { Scene } from '../scene.ts';

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

export const nodeNeverThere: Provocation = {
  ...{ name: 'pod for a Node that never was', cause: 'NodeGone', by: 'control plane', isSlow: true },
  ...{ evidence: 'DisruptionTarget `DeletionByPodGC`', sentence: /there was no Node/ },
  async provoke(scene) {
    return await scene.ended(await scene.boundPod('nowhere'));
  },
};

export const nodeUnreachable: Provocation = {
  ...{ name: 'node without heartbeats', cause: 'NodeUnreachable', by: 'control plane', isSlow: true },
  evidence: 'DisruptionTarget `DeletionByTaintManager`, the taint `unreachable` and `Ready=Unknown` of the node',
  async provoke(scene) {
    const name = `played-${scene.name}`;
    const node = await scene.playedNode(name);
    const pod = await playedPod(scene, name);
    await node[Symbol.asyncDispose]();
    return await scene.ended(pod);
  },
};

/** The collector of pods finishes what the taint began. */
export const outOfServiceLater: Provocation = {
  ...{
    name: 'node without heartbeats, then out of service',
    cause: 'NodeUnreachable',
    by: 'control plane',
    isSlow: true,
  },
  evidence: 'the first DisruptionTarget, the taint `unreachable` and `Ready=Unknown` of the node',
  async provoke(scene) {
    const name = `played-${scene.name}`;
    const node = await scene.playedNode(name);
    const pod = await playedPod(scene, name);
    await node[Symbol.asyncDispose]();
    const ended = await scene.ended(pod);
    await scene.kubectl('taint', 'node', name, 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute');
    await scene.pods.until('the pod is collected', (all) =>
      all.every(({ metadata }) => metadata.uid !== pod.metadata.uid) ? true : undefined,
    );
    return ended;
  },
};

async function playedPod(scene: Scene, node: string): Promise<WatchedPod> {
  const tolerations = ['unreachable', 'not-ready'].map((taint) => ({
    ...{ key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 },
  }));
  return await scene.playedPod(node, { tolerations });
}
