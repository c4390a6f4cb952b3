// What happens to a workload or a node right after a pod began to end: people undo, repeat and go on within seconds. Why
// the pod ended stays as it was.
import type { Cause } from '@podtrail/history';
import { until } from '../../controlplane/index.ts';
import type { WatchedPod } from '../pod-watch.ts';
import { ADMIN, type Provocation } from '../provocation.ts';
import type { Scene, WorkloadOptions } from '../scene.ts';

type Step = (scene: Scene, node: string) => Promise<unknown>;

interface First {
  readonly name: string;
  readonly cause: Cause;
  readonly evidence: string;
  readonly sentence?: RegExp;
  readonly actor?: RegExp;
  readonly options?: WorkloadOptions;
  readonly kind?: 'deployments' | 'statefulsets' | 'daemonsets';
  /** On a node of its own, which is drained or tainted. */
  readonly ownNode?: boolean;
  /** Resolves with the pods that began to end for it. */
  readonly act: (scene: Scene, pods: readonly WatchedPod[], node: string) => Promise<readonly WatchedPod[]>;
}

interface Then {
  readonly name: string;
  readonly act: Step;
}

const template = (version: string) => ({ spec: { template: { metadata: { labels: { version } } } } });
const scale = (kind: 'deployments' | 'statefulsets', replicas: number): Step => {
  return (scene) => scene.patch(scene.workload(kind), { spec: { replicas } });
};

const byDeployment = 'event `SuccessfulDelete` of its ReplicaSet, which names it, and what its Deployment was then';
const byStatefulSet = 'event `SuccessfulDelete` of its StatefulSet, which names it, and what that was then';

const rollout: First = {
  ...{ name: 'rollout', cause: 'Rollout', sentence: /to revision 2\.$/, evidence: byDeployment },
  options: { replicas: 2 },
  act: async (scene, pods) => {
    await scene.patch(scene.workload('deployments'), template('next'));
    return pods;
  },
};
const scaleDown: First = {
  ...{ name: 'scale-down', cause: 'ScaledDown', sentence: /was scaled down/, evidence: byDeployment, actor: ADMIN },
  options: { replicas: 2 },
  act: async (scene, pods) => {
    await scene.kubectl('-n', scene.namespace, 'scale', `deployment/${scene.name}`, '--replicas=0');
    return pods;
  },
};
const restart: First = {
  ...{ name: 'rollout restart', cause: 'Restarted', evidence: byDeployment, options: { replicas: 2 } },
  act: async (scene, pods) => {
    await scene.kubectl('-n', scene.namespace, 'rollout', 'restart', `deployment/${scene.name}`);
    return pods;
  },
};
const deletion: First = {
  ...{ name: 'kubectl delete pod', cause: 'DeletedOnRequest', actor: ADMIN, options: { replicas: 2 } },
  evidence: 'a deletion that no event of its ReplicaSet names',
  act: async (scene, pods) => {
    await scene.remove(scene.podPath(pods[0]!));
    return pods.slice(0, 1);
  },
};
const ownerDeletion: First = {
  ...{ name: 'Deployment deleted', cause: 'OwnerDeleted', evidence: 'the deletion of its Deployment' },
  options: { replicas: 2 },
  act: async (scene, pods) => {
    await scene.remove(scene.workload('deployments'), { propagationPolicy: 'Background' });
    return pods;
  },
};
const drain: First = {
  ...{ name: 'drain', cause: 'Evicted', sentence: /was drained/, actor: ADMIN, ownNode: true },
  evidence: 'DisruptionTarget `EvictionByEvictionAPI`, and the node was cordoned',
  act: async (scene, pods, node) => {
    await scene.kubectl('drain', node, '--ignore-daemonsets', '--timeout=60s', '--force');
    return pods;
  },
};
const taint: First = {
  ...{ name: 'NoExecute taint', cause: 'Taint', sentence: /the taint broken=yes:NoExecute of/, ownNode: true },
  evidence: 'DisruptionTarget `DeletionByTaintManager`, and the taints that the node had then',
  act: async (scene, pods, node) => {
    await scene.kubectl('taint', 'node', node, 'broken=yes:NoExecute');
    return pods;
  },
};
const setScaledDown: First = {
  ...{ name: 'StatefulSet scaled', cause: 'ScaledDown', evidence: byStatefulSet, kind: 'statefulsets' },
  options: { replicas: 2 },
  act: async (scene, pods) => {
    await scene.kubectl('-n', scene.namespace, 'scale', `statefulset/${scene.name}`, '--replicas=1');
    return pods.filter(({ metadata }) => metadata.name.endsWith('-1'));
  },
};
const setUpdate: First = {
  ...{ name: 'StatefulSet update', cause: 'StatefulSetUpdate', evidence: byStatefulSet, kind: 'statefulsets' },
  options: { replicas: 1 },
  act: async (scene, pods) => {
    await scene.patch(scene.workload('statefulsets'), template('next'));
    return pods;
  },
};
const setDeletion: First = {
  ...{ name: 'kubectl delete pod, of a StatefulSet', cause: 'DeletedOnRequest', actor: ADMIN, kind: 'statefulsets' },
  ...{ evidence: 'a deletion that no event of its StatefulSet names', options: { replicas: 1 } },
  act: async (scene, pods) => {
    await scene.remove(scene.podPath(pods[0]!));
    return pods;
  },
};
const daemonUpdate: First = {
  ...{ name: 'DaemonSet update', cause: 'DaemonSetUpdate', kind: 'daemonsets' },
  evidence: 'event `SuccessfulDelete` of its DaemonSet, which names it; the next pod on its node has another revision',
  act: async (scene, pods) => {
    await scene.patch(scene.workload('daemonsets'), template('next'));
    return pods;
  },
};

const undone = (kind: string): Then => ({
  name: 'undone',
  act: (scene) => scene.kubectl('-n', scene.namespace, 'rollout', 'undo', `${kind}/${scene.name}`),
});
/** Once all are made again: before that nothing shows whether it was an update or fewer pods for a while. */
const undoneOf = (kind: string, pods: number): Then => ({
  name: 'undone',
  act: async (scene) => {
    await scene.running(pods);
    await scene.kubectl('-n', scene.namespace, 'rollout', 'undo', `${kind}/${scene.name}`);
  },
});
const again: Then = {
  name: 'another rollout',
  act: (scene) => scene.patch(scene.workload('deployments'), template('next-but-one')),
};
const restartedThen: Then = {
  name: 'a restart',
  // kubectl refuses a second one within a second.
  act: async (scene) => {
    const restarted = () =>
      scene.kubectl('-n', scene.namespace, 'rollout', 'restart', `deployment/${scene.name}`).then(
        () => true,
        () => false,
      );
    await until('kubectl restarts it once more', restarted, { everyMs: 300 });
  },
};
const less: Then = { name: 'a scale-down', act: scale('deployments', 1) };
const more: Then = { name: 'a scale-up', act: scale('deployments', 3) };
const ownerGone: Then = {
  name: 'the Deployment deleted',
  act: (scene) => scene.remove(scene.workload('deployments'), { propagationPolicy: 'Background' }),
};
const madeAgain: Then = { name: 'made again under its name', act: (scene) => scene.deployment({ replicas: 2 }) };
const uncordoned: Then = { name: 'the node uncordoned', act: (scene, node) => scene.kubectl('uncordon', node) };
const nodeGone: Then = { name: 'the node deleted', act: (scene, node) => scene.remove(`/api/v1/nodes/${node}`) };
const untainted: Then = {
  name: 'the taint taken away',
  act: (scene, node) => scene.kubectl('taint', 'node', node, 'broken=yes:NoExecute-'),
};
const setMore: Then = { name: 'a scale-up', act: scale('statefulsets', 2) };
const setUpdated: Then = {
  name: 'an update',
  act: (scene) => scene.patch(scene.workload('statefulsets'), template('next')),
};

export const rolloutThenUndone = afterwards(rollout, undone('deployment'));
export const rolloutThenAnother = afterwards(rollout, again);
export const rolloutThenLess = afterwards(rollout, less);
export const rolloutThenDeleted = afterwards(rollout, ownerGone);
export const restartThenRollout = afterwards(restart, again);
export const restartThenRestart = afterwards(restart, restartedThen);
export const scaledThenMore = afterwards(scaleDown, more);
export const scaledThenRollout = afterwards(scaleDown, again);
export const scaledThenDeleted = afterwards(scaleDown, ownerGone);
export const deletedThenRollout = afterwards(deletion, again);
export const deletedThenLess = afterwards(deletion, less);
export const ownerDeletedThenMade = afterwards(ownerDeletion, madeAgain);
export const drainedThenUncordoned = afterwards(drain, uncordoned);
export const drainedThenGone = afterwards(drain, nodeGone);
export const taintedThenNot = afterwards(taint, untainted);
export const setScaledThenMore = afterwards(setScaledDown, setMore);
export const setScaledThenUpdated = afterwards(setScaledDown, setUpdated);
export const setUpdateThenUndone = afterwards(setUpdate, undoneOf('statefulset', 1));
export const setDeletedThenUpdated = afterwards(setDeletion, setUpdated);
export const daemonUpdateThenUndone = afterwards(daemonUpdate, undone('daemonset'));

function afterwards({ name, cause, evidence, sentence, actor, ...first }: First, then: Then): Provocation {
  return {
    ...{ name: `${name}, then ${then.name}`, cause, evidence, by: 'control plane' },
    ...(sentence && { sentence }),
    ...(actor && { actor }),
    async provoke(scene) {
      const node = first.ownNode ? await scene.node() : '';
      const options = { ...first.options, ...(node && { node }) };
      const pods = await makeWorkload(scene, first.kind, options);
      const ended = await scene.ended(...(await first.act(scene, pods, node)));
      await then.act(scene, node);
      return ended;
    },
  };
}

function makeWorkload(scene: Scene, kind: First['kind'], options: WorkloadOptions): Promise<WatchedPod[]> {
  if (kind === 'statefulsets') return scene.statefulSet(options);
  return kind === 'daemonsets' ? scene.daemonSet() : scene.deployment(options);
}
