// A Job's pod does its work, or the Job ends it. Kwok completes the pods of Jobs at once: those that must still run are on
// a node whose kubelet is played.
import type { WatchedPod } from '../pod-watch.ts';
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

export const jobSucceededEarly: Provocation = {
  ...{ name: 'success policy of a Job', cause: 'JobCompleted', by: 'control plane', sentence: /which was complete/ },
  evidence: 'events `SuccessfulDelete`, which names it, and `Completed` of its Job',
  async provoke(scene) {
    const [done, other] = await twoPods(scene, {
      ...{
        completionMode: 'Indexed',
        completions: 2,
        successPolicy: { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] },
      },
    });
    await scene.kubelet.ends(done, { phase: 'Succeeded' });
    const ended = await scene.ended(other);
    await scene.kubelet.finishes(other);
    return ended;
  },
};

export const jobFailed: Provocation = {
  ...{
    name: 'Job that failed while another pod ran',
    cause: 'JobCompleted',
    by: 'control plane',
    sentence: /had failed/,
  },
  evidence: 'events `SuccessfulDelete`, which names it, and `BackoffLimitExceeded` of its Job',
  async provoke(scene) {
    const [failed, other] = await twoPods(scene, { backoffLimit: 0 });
    await scene.kubelet.ends(failed, { phase: 'Failed', exitCode: 1 });
    const ended = await scene.ended(other);
    await scene.kubelet.finishes(other);
    return ended;
  },
};

export const jobNarrowed: Provocation = {
  ...{ name: 'fewer pods of a Job at once', cause: 'ScaledDown', by: 'control plane' },
  evidence: 'event `SuccessfulDelete` of its Job, which names it, and no end of the Job',
  async provoke(scene) {
    const pods = await twoPods(scene, { completions: 4 });
    await scene.patch(scene.pathOf('jobs', scene.name, '/apis/batch/v1'), { spec: { parallelism: 1 } });
    return await scene.oneEnded(pods);
  },
};

export const jobCleanedUp: Provocation = {
  ...{ name: 'Job done, and deleted soon after', cause: 'JobCompleted', by: 'control plane' },
  evidence: 'phase `Succeeded` of a pod of a Job, before the deletion',
  async provoke(scene) {
    await scene.job(undefined, { ttlSecondsAfterFinished: 0 });
    return await scene.ended(await scene.appeared());
  },
};

/** The CronJob's next turn ends the Job of the one before: at the next full minute. */
export const cronJobReplaced: Provocation = {
  ...{
    name: 'Job replaced by its CronJob',
    cause: 'OwnerDeleted',
    by: 'control plane',
    sentence: /with Job/,
    isSlow: true,
  },
  evidence: 'the deletion of its Job',
  async provoke(scene) {
    const node = `played-${scene.name}`;
    await scene.playedNode(node);
    const path = scene.pathOf('cronjobs', scene.name, '/apis/batch/v1');
    const template = { metadata: { labels: { scene: scene.name } }, spec: scene.podSpec(node) };
    const made = await scene.post(scene.pathOf('cronjobs', '', '/apis/batch/v1'), {
      ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: scene.name } },
      spec: { schedule: '* * * * *', concurrencyPolicy: 'Replace', jobTemplate: { spec: { template } } },
    });
    const { uid } = made.json().metadata as { uid: string };
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: scene.name, uid, controller: true };
    const job = await scene.job(node, {}, [owner]);
    const active = [{ apiVersion: 'batch/v1', kind: 'Job', name: scene.name, namespace: scene.namespace, uid: job }];
    await scene.patch(`${path}/status`, { status: { active } });
    const pod = await scene.appeared();
    await scene.kubelet.runs(pod, '10.9.0.7');
    const ended = await scene.ended(pod);
    await scene.patch(path, { spec: { suspend: true } });
    return ended;
  },
};

async function twoPods(scene: Scene, spec: object): Promise<[WatchedPod, WatchedPod]> {
  const node = `played-${scene.name}`;
  await scene.playedNode(node);
  await scene.job(node, { parallelism: 2, ...spec });
  const pods = await scene.present(2);
  for (const [place, pod] of pods.entries()) await scene.kubelet.runs(pod, `10.9.0.${place + 20}`);
  return pods as [WatchedPod, WatchedPod];
}

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
