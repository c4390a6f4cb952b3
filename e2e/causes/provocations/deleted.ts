// Somebody deleted the pod, or its namespace.
import type { Provocation } from '../provocation.ts';

export const deletedOnRequest: Provocation = {
  ...{ name: 'kubectl delete pod', cause: 'DeletedOnRequest', by: 'control plane' },
  evidence: 'a deletion, and nothing that says why while everything was watched',
  async provoke(scene) {
    const [pod] = await scene.deployment({ replicas: 2 });
    await scene.kubectl('-n', scene.namespace, 'delete', 'pod', pod!.metadata.name, '--wait=false');
    return await scene.ended(pod!);
  },
};

export const barePodDeleted: Provocation = {
  ...{ name: 'kubectl delete pod, without an owner', cause: 'DeletedOnRequest', by: 'control plane' },
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
