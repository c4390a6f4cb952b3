// Pods that end by themselves or by a limit of their own, on the shared node: its kubelet writes all traces.
import { until } from '../../controlplane/index.ts';
import type { WatchedPod } from '../pod-watch.ts';
import type { Provocation } from '../provocation.ts';
import type { Scene } from '../scene.ts';
import { APP } from './real-ground.ts';

const BY = { by: 'real kubelet' } as const;

export const completed: Provocation = {
  ...{ ...BY, name: 'containers that end well', cause: 'Completed', evidence: 'phase `Succeeded`' },
  provoke: (scene) => ends(scene, ['-after', '1s']),
};

export const crashed: Provocation = {
  ...{ ...BY, name: 'a container that fails', cause: 'Crashed', sentence: /exit code 3/ },
  evidence: 'phase `Failed`, and how its container ended',
  provoke: (scene) => ends(scene, ['-after', '1s', '-code', '3']),
};

export const failedInit: Provocation = {
  ...{ ...BY, name: 'an init container that fails', cause: 'Crashed', sentence: /container first .*exit code 4/ },
  evidence: 'phase `Failed`, and how its init container ended',
  provoke: (scene) =>
    ends(scene, [], {
      initContainers: [{ ...APP, name: 'first', args: ['serve', '-after', '1s', '-code', '4'] }],
    }),
};

export const oomKilled: Provocation = {
  ...{ ...BY, name: 'a container over its limit of memory', cause: 'OOMKilled' },
  evidence: 'its container ended with `OOMKilled`',
  provoke: (scene) => ends(scene, ['-eat', '200'], {}, { resources: { limits: { memory: '48Mi' } } }),
};

export const deadline: Provocation = {
  ...{ ...BY, name: 'deadline of a pod', cause: 'Deadline', evidence: 'status `DeadlineExceeded`' },
  provoke: (scene) => ends(scene, ['-term', '1s'], { activeDeadlineSeconds: 3 }),
};

export const emptyDirLimit: Provocation = {
  ...{ ...BY, name: 'limit of an emptyDir', cause: 'StorageLimit', sentence: /volume scratch/ },
  evidence: 'status `Evicted` without DisruptionTarget, and its message',
  provoke: (scene) =>
    ends(
      scene,
      ['-fill', '8', '-into', '/scratch'],
      { volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Mi' } }] },
      { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
    ),
};

export const containerStorageLimit: Provocation = {
  ...{ ...BY, name: 'limit of local storage of a container', cause: 'StorageLimit' },
  evidence: 'status `Evicted` without DisruptionTarget, and its message',
  provoke: (scene) =>
    ends(scene, ['-fill', '8', '-into', '/'], {}, { resources: { limits: { 'ephemeral-storage': '2Mi' } } }),
};

export const podStorageLimit: Provocation = {
  ...{ ...BY, name: 'limit of local storage of a pod', cause: 'StorageLimit' },
  evidence: 'status `Evicted` without DisruptionTarget, and its message',
  provoke: (scene) =>
    ends(
      scene,
      ['-fill', '8', '-into', '/scratch'],
      { volumes: [{ name: 'scratch', emptyDir: {} }] },
      {
        volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
        resources: { limits: { 'ephemeral-storage': '2Mi' } },
      },
    ),
};

export const rejectedByAffinity: Provocation = {
  ...{ ...BY, name: 'a pod bound to a node that it does not select', cause: 'Rejected', sentence: /NodeAffinity/ },
  evidence: 'status `NodeAffinity`',
  provoke: (scene) => rejected(scene, { nodeSelector: { nowhere: 'yes' } }),
};

export const rejectedForCpu: Provocation = {
  ...{ ...BY, name: 'a pod bound to a node without room', cause: 'Rejected', sentence: /OutOfcpu/ },
  evidence: 'status `OutOfcpu`',
  provoke: (scene) => rejected(scene, {}, { resources: { requests: { cpu: '500' } } }),
};

export const sandboxReplaced: Provocation = {
  ...{ ...BY, name: 'sandbox killed', cause: 'SandboxReplaced' },
  evidence: 'the pod goes on; event `SandboxChanged`',
  async provoke(scene) {
    const pod = await scene.pod();
    const at = Date.now();
    const sandbox = await until('its sandbox is known', () => scene.ground.sandboxOf(pod.metadata.uid));
    await scene.ground.shared.killSandbox(sandbox);
    await scene.pods.until('it has another address', (all) =>
      all.find(
        ({ metadata, status }) =>
          metadata.uid === pod.metadata.uid && (status.podIP ?? pod.status.podIP) !== pod.status.podIP,
      ),
    );
    return { uids: [pod.metadata.uid], at };
  },
};

export const jobDone: Provocation = {
  ...{ ...BY, name: 'Job done', cause: 'JobCompleted', evidence: 'phase `Succeeded` of a pod of a Job' },
  async provoke(scene) {
    await job(scene, ['-after', '1s']);
    return await scene.ended(await scene.appeared());
  },
};

export const jobFailed: Provocation = {
  ...{ ...BY, name: 'pod of a Job that fails', cause: 'Crashed', sentence: /exit code 5/ },
  evidence: 'phase `Failed`, and how its container ended',
  async provoke(scene) {
    await job(scene, ['-after', '1s', '-code', '5']);
    return await scene.ended(await scene.appeared());
  },
};

export const jobDeadline: Provocation = {
  ...{ ...BY, name: 'deadline of a Job', cause: 'JobDeadline' },
  evidence: 'events `SuccessfulDelete`, which names it, and `DeadlineExceeded` of its Job',
  async provoke(scene) {
    await job(scene, ['-term', '1s'], { activeDeadlineSeconds: 4 });
    return await scene.ended(await scene.appeared());
  },
};

export const jobSuspended: Provocation = {
  ...{ ...BY, name: 'Job suspended', cause: 'Suspended' },
  evidence: 'events `SuccessfulDelete`, which names it, and `Suspended` of its Job',
  async provoke(scene) {
    await job(scene, ['-term', '1s']);
    const [pod] = await scene.running(1);
    await scene.patch(scene.pathOf('jobs', scene.name, '/apis/batch/v1'), { spec: { suspend: true } });
    return await scene.ended(pod!);
  },
};

async function ends(scene: Scene, args: readonly string[], spec: object = {}, container: object = {}) {
  const pod = await create(scene, {
    ...scene.pool.spec,
    nodeSelector: scene.pool.selector,
    restartPolicy: 'Never',
    containers: [{ ...APP, args: ['serve', ...args], ...container }],
    ...spec,
  });
  return await scene.terminal(pod);
}

/** Given to the kubelet without the scheduler, which would not. */
async function rejected(scene: Scene, spec: object, container: object = {}) {
  const pod = await create(scene, {
    ...scene.pool.spec,
    nodeName: scene.ground.shared.name,
    containers: [{ ...APP, ...container }],
    ...spec,
  });
  return await scene.terminal(pod);
}

async function create(scene: Scene, spec: object): Promise<WatchedPod> {
  await scene.post(scene.pathOf('pods', ''), {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: scene.name, labels: { scene: scene.name } } },
    spec,
  });
  return await scene.appeared();
}

async function job(scene: Scene, args: readonly string[], spec: object = {}): Promise<void> {
  const { name } = scene;
  const containers = [{ ...APP, args: ['serve', ...args] }];
  const own = { ...scene.pool.spec, nodeSelector: scene.pool.selector, restartPolicy: 'Never', containers };
  await scene.post(scene.pathOf('jobs', '', '/apis/batch/v1'), {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name } },
    spec: { template: { metadata: { labels: { scene: name } }, spec: own }, backoffLimit: 0, ...spec },
  });
}
