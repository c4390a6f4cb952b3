// Pods that end because of what happens to their node, on a node of their own: its kubelet and the control plane write
// all traces.
import { until } from '../../controlplane/index.ts';
import type { WatchedPod } from '../pod-watch.ts';
import type { Provocation } from '../provocation.ts';
import type { Scene } from '../scene.ts';
import { APP, type HitNode } from './real-ground.ts';

const BY = { by: 'real kubelet' } as const;
const NEVER = { restartPolicy: 'Never' };

/** It asks for memory: pods that do not are rejected when the kubelet starts under pressure. */
const ASKS = {
  containers: [{ ...APP, args: ['serve', '-term', '1s'], resources: { requests: { memory: '1Mi' } } }],
};
const DEAF = {
  containers: [{ ...APP, args: ['serve', '-deaf'], resources: { requests: { memory: '1Mi' } } }],
  terminationGracePeriodSeconds: 2,
};

/** Its kubelet is started again with a threshold that the node does not meet. */
export const memoryPressure: Provocation = {
  ...{ ...BY, name: 'node short of memory', cause: 'NodePressure', sentence: /was short of memory/ },
  evidence: 'status `Evicted`, DisruptionTarget `TerminationByKubelet`',
  provoke: (scene) => pressed(scene, DEAF),
};

export const memoryPressureEndsWell: Provocation = {
  ...{ ...memoryPressure, name: 'node short of memory, and a pod that ends well then' },
  evidence: 'DisruptionTarget `TerminationByKubelet`, event `Evicted` of the kubelet: the phase is `Succeeded`',
  provoke: (scene) => pressed(scene, { ...NEVER, ...ASKS }),
};

export const rejectedUnderPressure: Provocation = {
  ...{ ...memoryPressure, name: 'node short of memory when its kubelet starts' },
  evidence: 'status `Evicted`, "Pod was rejected: The node had condition"',
  provoke: (scene) => pressed(scene, {}),
};

async function pressed(scene: Scene, spec: object) {
  const node = await scene.realNode();
  const pod = await scene.pod(spec, node.name);
  await node.real.stopKubelet();
  await node.real.startKubelet({ pressed: true });
  return await scene.terminal(pod);
}

export const shutdown: Provocation = {
  ...{ ...BY, name: 'graceful shutdown of a node', cause: 'NodeShutdown' },
  evidence: 'status `Terminated`, DisruptionTarget `TerminationByKubelet`',
  provoke: (scene) => shutDown(scene, DEAF),
};

export const shutdownEndsWell: Provocation = {
  ...{ ...shutdown, name: 'graceful shutdown of a node, and a pod that ends well then' },
  evidence: 'DisruptionTarget `TerminationByKubelet`, event `Shutdown` of the node: the phase is `Succeeded`',
  provoke: (scene) => shutDown(scene, {}),
};

async function shutDown(scene: Scene, spec: object) {
  const node = await scene.realNode();
  const pod = await scene.pod(spec, node.name);
  await node.real.announceShutdown();
  const ended = await scene.terminal(pod);
  await node.real.crash();
  return ended;
}

export const rejectedInShutdown: Provocation = {
  ...{ ...BY, name: 'a pod bound to a node that shuts down', cause: 'Rejected', sentence: /NodeShutdown/ },
  evidence: 'status `NodeShutdown`',
  async provoke(scene) {
    const node = await scene.realNode();
    await node.real.announceShutdown();
    // The kubelet takes pods until it has read the announcement: one that it took is ended by the shutdown.
    await until('the kubelet says that it shuts down', async () => {
      const answer = await scene.ground.plane.request(`/api/v1/nodes/${node.name}`);
      const { status } = answer.json() as { status: { conditions: { type: string; message: string }[] } };
      return status.conditions.some(({ type, message }) => type === 'Ready' && message.includes('shutting down'));
    });
    return await scene.terminal(await bound(scene, node, scene.name));
  },
};

export const kubeletPreemption: Provocation = {
  ...{ ...BY, name: 'room for a critical pod', cause: 'KubeletPreemption' },
  evidence: 'status `Preempting`, DisruptionTarget `TerminationByKubelet`',
  provoke: (scene) => crowdedOut(scene, ['-deaf']),
};

export const kubeletPreemptionEndsWell: Provocation = {
  ...{ ...kubeletPreemption, name: 'room for a critical pod, and a pod that ends well then' },
  evidence: 'DisruptionTarget `TerminationByKubelet`, event `Preempting` of the kubelet: the phase is `Succeeded`',
  provoke: (scene) => crowdedOut(scene, ['-term', '1s']),
};

async function crowdedOut(scene: Scene, args: readonly string[]) {
  const node = await scene.realNode();
  const most = await mostOfCpu(scene, node);
  const victim = { ...most, args: ['serve', ...args] };
  const pod = await scene.pod({ containers: [victim], terminationGracePeriodSeconds: 2 }, node.name);
  await bound(scene, node, 'critical', { priorityClassName: 'system-node-critical', containers: [most] });
  return await scene.terminal(pod);
}

export const preempted: Provocation = {
  ...{ ...BY, name: 'preemption', cause: 'Preempted', sentence: /^was preempted by scene-\d+\/urgent\.$/ },
  evidence: 'DisruptionTarget `PreemptionByScheduler`, and event `Preempted` with the UID of the preemptor',
  async provoke(scene) {
    const node = await scene.realNode();
    const most = await mostOfCpu(scene, node);
    const priority = `urgent-${scene.name}`;
    await scene.post('/apis/scheduling.k8s.io/v1/priorityclasses', {
      ...{ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: priority }, value: 1000 },
    });
    const pod = await scene.pod({ containers: [most] }, node.name);
    await scene.post(scene.pathOf('pods', ''), {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'urgent' } },
      spec: {
        ...{ ...scene.pool.spec, priorityClassName: priority, containers: [most] },
        nodeSelector: { 'kubernetes.io/hostname': node.name },
      },
    });
    return await scene.ended(pod);
  },
};

export const rejectedForPods: Provocation = {
  ...{ ...BY, name: 'a pod bound to a node with all the pods that it may have', cause: 'Rejected' },
  ...{ evidence: 'status `OutOfpods`', sentence: /OutOfpods/ },
  async provoke(scene) {
    const node = await scene.realNode();
    await node.real.stopKubelet();
    await node.real.startKubelet({ config: { maxPods: 1 } });
    await until('the node says how many pods it takes', async () => (await allocatable(scene, node)).pods === '1');
    await bound(scene, node, 'first');
    await scene.pods.until('the first runs', (all) =>
      all.find(({ metadata, status }) => metadata.namespace === scene.namespace && status.phase === 'Running'),
    );
    return await scene.terminal(await bound(scene, node, scene.name));
  },
};

export const rebooted: Provocation = {
  ...{ ...BY, name: 'reboot of a node, with a pod that is not restarted', cause: 'Reboot', sentence: /was rebooted/ },
  evidence: 'another `bootID` of the node, and a container that its runtime lost',
  async provoke(scene) {
    const node = await scene.realNode();
    const pod = await scene.pod(NEVER, node.name);
    await node.real.crash();
    await node.real.start();
    return await scene.terminal(pod);
  },
};

export const rebootedAndGoesOn: Provocation = {
  ...{ ...BY, name: 'reboot of a node, with a pod that goes on', cause: 'Reboot', sentence: /new sandbox because/ },
  evidence: 'another `bootID` of the node; the pod goes on in a new sandbox',
  async provoke(scene) {
    const node = await scene.realNode();
    const pod = await scene.pod({}, node.name);
    const { uid } = pod.metadata;
    const first = scene.ground.sandboxOf(uid);
    const at = Date.now();
    await node.real.crash();
    await node.real.start();
    await until('it has a new sandbox', () => scene.ground.sandboxOf(uid) !== first, { withinMs: 120_000 });
    await scene.pods.until('it runs again, with an address', (all) =>
      all.find(
        ({ metadata, status }) =>
          metadata.uid === uid && status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      ),
    );
    return { uids: [uid], at };
  },
};

const AWAY = ['unreachable', 'not-ready'].map((taint) => ({
  ...{ key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 },
}));

export const unreachable: Provocation = {
  ...{ ...BY, name: 'kubelet stopped', cause: 'NodeUnreachable' },
  evidence: 'DisruptionTarget `DeletionByTaintManager`, the taint `unreachable` and `Ready=Unknown` of the node',
  async provoke(scene) {
    const node = await scene.realNode();
    const pod = await scene.pod({ tolerations: AWAY }, node.name);
    await node.real.stopKubelet('SIGKILL');
    return await scene.ended(pod);
  },
};

export const switchedOff: Provocation = {
  ...{ ...BY, name: 'machine switched off', cause: 'NodeUnreachable' },
  evidence: 'DisruptionTarget `DeletionByTaintManager`, the taint `unreachable` and `Ready=Unknown` of the node',
  async provoke(scene) {
    const node = await scene.realNode();
    const pod = await scene.pod({ tolerations: AWAY }, node.name);
    await node.real.crash();
    return await scene.ended(pod);
  },
};

export const nodeGone: Provocation = {
  ...{ ...BY, name: 'Node deleted', cause: 'NodeGone' },
  evidence: 'DisruptionTarget `DeletionByPodGC`, and the deletion of the Node',
  async provoke(scene) {
    const node = await scene.realNode();
    const pod = await scene.pod({}, node.name);
    await node.real.stopKubelet();
    await scene.remove(`/api/v1/nodes/${node.name}`);
    return await scene.ended(pod);
  },
};

export const outOfService: Provocation = {
  ...{ ...BY, name: 'out-of-service taint, kubelet away', cause: 'OutOfService' },
  evidence: 'DisruptionTarget `DeletionByTaintManager`, and the taint `node.kubernetes.io/out-of-service` of the node',
  async provoke(scene) {
    const node = await scene.realNode();
    const pod = await scene.pod({}, node.name);
    await node.real.stopKubelet('SIGKILL');
    await scene.kubectl('taint', 'node', node.name, 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute');
    return await scene.ended(pod);
  },
};

/** Of pods that stay where they are when the labels of their node change; a kubelet that is started looks at them again. */
const ADMITTED_AGAIN = {
  ...BY,
  cause: 'Rejected',
  sentence: /^had run, and was rejected by the kubelet of \S+ when that was started again: NodeAffinity\.$/,
  evidence: 'status `NodeAffinity` of a pod that had run, and event `Starting` of its kubelet',
} as const;

export const rejectedBySelector: Provocation = {
  ...{ ...ADMITTED_AGAIN, name: 'kubelet started again on a node with other labels' },
  provoke: (scene) => relabelled(scene, null, { nodeSelector: { [scene.name]: 'yes' } }),
};

export const rejectedByAffinityAgain: Provocation = {
  ...{ ...ADMITTED_AGAIN, name: 'kubelet started again on a node with other labels, and a pod with nodeAffinity' },
  provoke(scene) {
    const matchExpressions = [{ key: scene.name, operator: 'In', values: ['yes'] }];
    const required = { nodeSelectorTerms: [{ matchExpressions }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    return relabelled(scene, 'no', { ...DEAF, affinity, nodeSelector: {} });
  },
};

/** The label has the name of the scene, and is gone afterwards: its node belongs to others then. */
async function relabelled(scene: Scene, then: string | null, spec: object) {
  const node = await scene.realNode();
  const label = (value: string | null) =>
    scene.patch(`/api/v1/nodes/${node.name}`, { metadata: { labels: { [scene.name]: value } } });
  await label('yes');
  try {
    const pod = await scene.pod(spec);
    await node.real.stopKubelet();
    await label(then);
    await node.real.startKubelet();
    return await scene.terminal(pod);
  } finally {
    await label(null);
  }
}

async function bound(scene: Scene, node: HitNode, name: string, spec: object = {}): Promise<WatchedPod> {
  await scene.post(scene.pathOf('pods', ''), {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
    spec: { ...scene.pool.spec, nodeName: node.name, ...spec },
  });
  return await scene.pods.until(`${name} is there`, (all) =>
    all.find(({ metadata }) => metadata.namespace === scene.namespace && metadata.name === name),
  );
}

/** A container for which there is room once. */
async function mostOfCpu(scene: Scene, node: HitNode): Promise<object> {
  const { cpu } = await allocatable(scene, node);
  const millis = cpu.endsWith('m') ? Number(cpu.slice(0, -1)) : Number(cpu) * 1000;
  return { ...APP, args: ['serve', '-term', '1s'], resources: { requests: { cpu: `${millis * 0.8}m` } } };
}

async function allocatable(scene: Scene, { name }: HitNode): Promise<{ cpu: string; pods: string }> {
  return (await scene.ground.plane.request(`/api/v1/nodes/${name}`)).json().status.allocatable;
}
