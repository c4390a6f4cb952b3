// A pod of a higher priority needs the room.
import type { Provocation } from '../provocation.ts';

export const preempted: Provocation = {
  ...{
    name: 'preemption',
    cause: 'Preempted',
    by: 'control plane',
    sentence: /^was preempted by scene-\d+\/urgent\.$/,
  },
  evidence: 'DisruptionTarget `PreemptionByScheduler`, and event `Preempted` with the UID of the preemptor',
  async provoke(scene) {
    const node = await scene.node();
    const priority = `urgent-${scene.name}`;
    await scene.post('/apis/scheduling.k8s.io/v1/priorityclasses', {
      ...{ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: priority }, value: 1000 },
    });
    const needs = { name: 'main', image: 'pause', resources: { requests: { cpu: '20' } } };
    const pod = await scene.pod({ containers: [needs] }, node);
    await scene.post(scene.pathOf('pods', ''), {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'urgent' } },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': node },
        ...{ priorityClassName: priority, containers: [needs] },
      },
    });
    return await scene.ended(pod);
  },
};
