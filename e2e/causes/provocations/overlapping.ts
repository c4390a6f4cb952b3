// Ends where another cause is near: something else happens to the workload, or a second reason comes on top of the first.
import { ADMIN, type Provocation } from '../provocation.ts';

/** The new pods find no node, and no old one may go before they are ready. */
const STUCK = { spec: { nodeSelector: { nowhere: 'yes' } } };
const NO_LESS = { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } };

export const deletedInRollout: Provocation = {
  ...{
    name: 'kubectl delete pod while a rollout is stuck',
    cause: 'DeletedOnRequest',
    by: 'control plane',
    actor: ADMIN,
  },
  evidence: 'a deletion that no event of its ReplicaSet names, and its replacement of the same revision',
  async provoke(scene) {
    const [pod] = await scene.deployment({ replicas: 2, spec: NO_LESS });
    await scene.patch(scene.workload('deployments'), { spec: { template: STUCK } });
    await scene.pods.until('the new revision is there', (all) =>
      all.find(({ metadata, status }) => metadata.namespace === scene.namespace && status.phase === 'Pending'),
    );
    await scene.remove(scene.podPath(pod!));
    return await scene.ended(pod!);
  },
};

export const drainedInRollout: Provocation = {
  ...{ name: 'drain while a rollout is stuck', cause: 'Evicted', by: 'control plane', sentence: /was drained/ },
  evidence: 'DisruptionTarget `EvictionByEvictionAPI`, and the node was cordoned',
  async provoke(scene) {
    const node = await scene.node();
    const [pod] = await scene.deployment({ node, spec: NO_LESS });
    await scene.patch(scene.workload('deployments'), { spec: { template: STUCK } });
    await scene.kubectl('drain', node, '--ignore-daemonsets', '--timeout=60s', '--force');
    return await scene.ended(pod!);
  },
};

export const rolledBack: Provocation = {
  ...{ name: 'rollout undo', cause: 'Rollout', by: 'control plane', sentence: /to revision 3\.$/ },
  evidence: 'event `SuccessfulDelete` of its ReplicaSet; the older ReplicaSet has a newer revision',
  async provoke(scene) {
    const first = await scene.deployment({ replicas: 2 });
    await scene.patch(scene.workload('deployments'), {
      spec: { template: { metadata: { labels: { version: '2' } } } },
    });
    await scene.ended(...first);
    const second = await scene.running(2);
    await scene.kubectl('-n', scene.namespace, 'rollout', 'undo', `deployment/${scene.name}`);
    return await scene.ended(...second);
  },
};

export const evictedThenForced: Provocation = {
  ...{ name: 'eviction, then a taint and a deletion by force', cause: 'Evicted', by: 'control plane' },
  evidence: 'the first DisruptionTarget; who finishes it is not the cause',
  async provoke(scene) {
    const node = `played-${scene.name}`;
    await scene.playedNode(node);
    const pod = await scene.playedPod(node);
    await scene.evict(pod);
    await scene.kubectl('taint', 'node', node, 'broken=yes:NoExecute');
    const ended = await scene.ended(pod);
    await scene.remove(scene.podPath(pod), { gracePeriodSeconds: 0 });
    return ended;
  },
};

export const statefulSetDeleted: Provocation = {
  ...{ name: 'StatefulSet deleted', cause: 'OwnerDeleted', by: 'control plane', sentence: /with StatefulSet/ },
  evidence: 'the deletion of its StatefulSet',
  async provoke(scene) {
    const pods = await scene.statefulSet({ replicas: 2 });
    await scene.remove(scene.workload('statefulsets'), { propagationPolicy: 'Background' });
    return await scene.ended(...pods);
  },
};

export const jobDeleted: Provocation = {
  ...{ name: 'Job deleted', cause: 'OwnerDeleted', by: 'control plane', sentence: /with Job/ },
  evidence: 'the deletion of its Job',
  async provoke(scene) {
    const node = `played-${scene.name}`;
    await scene.playedNode(node);
    await scene.job(node);
    const pod = await scene.appeared();
    await scene.kubelet.runs(pod, '10.9.0.7');
    await scene.remove(scene.pathOf('jobs', scene.name, '/apis/batch/v1'), { propagationPolicy: 'Background' });
    return await scene.ended(pod);
  },
};

export const namespaceOfOthersDeleted: Provocation = {
  ...{ name: 'namespace deleted, with a StatefulSet', cause: 'NamespaceDeleted', by: 'control plane' },
  evidence: 'its namespace was to be deleted',
  async provoke(scene) {
    const pods = await scene.statefulSet({ replicas: 2 });
    await scene.remove(`/api/v1/namespaces/${scene.namespace}`);
    return await scene.ended(...pods);
  },
};

export const daemonSetNarrowed: Provocation = {
  ...{ name: 'a node that is no more of a DaemonSet', cause: 'ScaledDown', by: 'control plane' },
  evidence: 'event `SuccessfulDelete` of its DaemonSet; no next pod on its node',
  async provoke(scene) {
    const node = await scene.node();
    const label = (value: string | null) =>
      scene.patch(`/api/v1/nodes/${node}`, { metadata: { labels: { [scene.name]: value } } });
    await label('yes');
    const [pod] = await scene.daemonSet(1, { [scene.name]: 'yes' });
    await label(null);
    return await scene.ended(pod!);
  },
};
