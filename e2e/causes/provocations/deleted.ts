// Somebody deleted the pod, or its namespace.
import { ADMIN, type Provocation } from '../provocation.ts';

const NEXT = { metadata: { labels: { version: 'next' } } };

export const deletedOnRequest: Provocation = {
  ...{ name: 'kubectl delete pod', cause: 'DeletedOnRequest', by: 'control plane', actor: ADMIN },
  evidence: 'a deletion, and nothing that says why while everything was watched',
  async provoke(scene) {
    const [pod] = await scene.deployment({ replicas: 2 });
    await scene.kubectl('-n', scene.namespace, 'delete', 'pod', pod!.metadata.name, '--wait=false');
    return await scene.ended(pod!);
  },
};

export const barePodDeleted: Provocation = {
  ...{ name: 'kubectl delete pod, without an owner', cause: 'DeletedOnRequest', by: 'control plane', actor: ADMIN },
  evidence: 'a deletion, and nothing that says why while everything was watched',
  async provoke(scene) {
    const pod = await scene.pod();
    await scene.kubectl('-n', scene.namespace, 'delete', 'pod', pod.metadata.name, '--wait=false', '--force');
    return await scene.ended(pod);
  },
};

export const namespaceDeleted: Provocation = {
  ...{ name: 'namespace deleted', cause: 'NamespaceDeleted', by: 'control plane' },
  evidence: 'its namespace was to be deleted',
  async provoke(scene) {
    const pods = await scene.deployment({ replicas: 2 });
    await scene.remove(`/api/v1/namespaces/${scene.namespace}`);
    return await scene.ended(...pods);
  },
};

export const unscheduledDeleted: Provocation = {
  ...{
    name: 'kubectl delete pod, of one that no node took',
    cause: 'DeletedOnRequest',
    by: 'control plane',
    actor: ADMIN,
  },
  evidence: 'a deletion, and nothing that says why while everything was watched',
  async provoke(scene) {
    await scene.post(scene.pathOf('pods', ''), {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: scene.name, labels: { scene: scene.name } } },
      spec: { nodeSelector: { nowhere: 'yes' }, containers: [{ name: 'main', image: 'pause' }] },
    });
    const pod = await scene.appeared();
    await scene.remove(scene.podPath(pod));
    return await scene.ended(pod);
  },
};

export const statefulSetPodDeleted: Provocation = {
  ...{ name: 'kubectl delete pod, of a StatefulSet', cause: 'DeletedOnRequest', by: 'control plane', actor: ADMIN },
  evidence: 'a deletion that no event of its StatefulSet names',
  async provoke(scene) {
    const [pod] = await scene.statefulSet({ replicas: 2 });
    await scene.remove(scene.podPath(pod!));
    return await scene.ended(pod!);
  },
};

export const statefulSetPodUpdated: Provocation = {
  ...{
    name: 'kubectl delete pod, of a StatefulSet that updates no pod itself',
    cause: 'DeletedOnRequest',
    by: 'control plane',
    actor: ADMIN,
  },
  evidence: 'a deletion that no event of its StatefulSet names, though the next pod has another revision',
  async provoke(scene) {
    const [pod] = await scene.statefulSet({ replicas: 2, spec: { updateStrategy: { type: 'OnDelete' } } });
    await scene.patch(scene.workload('statefulsets'), { spec: { template: NEXT } });
    await scene.remove(scene.podPath(pod!));
    return await scene.ended(pod!);
  },
};

export const daemonSetPodUpdated: Provocation = {
  ...{
    name: 'kubectl delete pod, of a DaemonSet that updates no pod itself',
    cause: 'DeletedOnRequest',
    by: 'control plane',
    actor: ADMIN,
  },
  evidence: 'a deletion that no event of its DaemonSet names, though the next pod has another revision',
  async provoke(scene) {
    const [pod] = await scene.daemonSet(undefined, undefined, { updateStrategy: { type: 'OnDelete' } });
    await scene.patch(scene.workload('daemonsets'), { spec: { template: NEXT } });
    await scene.remove(scene.podPath(pod!));
    return await scene.ended(pod!);
  },
};
