// A Job's pod does its work, or the Job ends it. Kwok completes the pods of Jobs at once: those that must still run are on
// a node whose kubelet is played.
import type { Provocation } from '../provocation.ts';
import type { Scene } from '../scene.ts';

export const jobCompleted: Provocation = {
  ...{ name: 'Job done', cause: 'JobCompleted', by: 'control plane' },
  evidence: 'phase `Succeeded` of a pod of a Job',
  async provoke(scene) {
    await scene.job(undefined);
    return await scene.ended(await scene.appeared());
  },
};

export const jobDeadline: Provocation = {
  ...{ name: 'deadline of a Job', cause: 'JobDeadline', by: 'control plane' },
  evidence: 'events `SuccessfulDelete`, which names it, and `DeadlineExceeded` of its Job',
  provoke: (scene) => endedByJob(scene, { activeDeadlineSeconds: 2 }),
};

export const suspended: Provocation = {
  ...{ name: 'Job suspended', cause: 'Suspended', by: 'control plane' },
  evidence: 'events `SuccessfulDelete`, which names it, and `Suspended` of its Job',
  provoke: (scene) =>
    endedByJob(scene, {}, async () => {
      await scene.patch(scene.pathOf('jobs', scene.name, '/apis/batch/v1'), { spec: { suspend: true } });
    }),
};

async function endedByJob(scene: Scene, spec: object, act: () => Promise<void> = async () => {}) {
  const node = `played-${scene.name}`;
  await scene.playedNode(node);
  await scene.job(node, spec);
  const pod = await scene.appeared();
  await scene.kubelet.runs(pod, '10.9.0.7');
  await act();
  const ended = await scene.ended(pod);
  // The Job says why when its pods are gone.
  await scene.kubelet.finishes(pod);
  return ended;
}
