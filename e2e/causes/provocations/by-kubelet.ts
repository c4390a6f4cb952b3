// What only a kubelet says: written here, on pods that run, in the words that real ones use.
import type { Cause } from '@podtrail/history';
import type { Ending } from '../played-kubelet.ts';
import type { Provocation } from '../provocation.ts';

const NEVER = { restartPolicy: 'Never' };
const LOW =
  'The node was low on resource: memory. Threshold quantity: 25251242207, available: 16633496Ki. Container main was using 1308Ki, request is 1Mi, has larger consumption of memory. ';

export const completed = ends('containers that end well', 'Completed', 'phase `Succeeded`', {
  ending: { phase: 'Succeeded' },
});

export const crashed = ends('a container that fails', 'Crashed', 'phase `Failed`, and how its container ended', {
  ending: { phase: 'Failed', exitCode: 1 },
  sentence: /exit code 1/,
});

export const oomKilled = ends('a container without memory', 'OOMKilled', 'its container ended with `OOMKilled`', {
  ending: { phase: 'Failed', exitCode: 137, ended: 'OOMKilled' },
});

export const deadline = ends('deadline of a pod', 'Deadline', 'status `DeadlineExceeded`', {
  ending: {
    ...{ phase: 'Failed', reason: 'DeadlineExceeded', exitCode: 137 },
    message: 'Pod was active on the node longer than the specified deadline',
  },
});

export const nodePressure = ends(
  'node short of memory',
  'NodePressure',
  'status `Evicted`, DisruptionTarget `TerminationByKubelet`',
  {
    ending: {
      ...{ phase: 'Failed', reason: 'Evicted', exitCode: 137 },
      message: LOW,
      disruption: LOW,
    },
    sentence: /short of memory/,
  },
);

export const storageLimit = ends(
  'limit of an emptyDir',
  'StorageLimit',
  'status `Evicted` without DisruptionTarget, and its message',
  {
    ending: {
      ...{ phase: 'Failed', reason: 'Evicted', exitCode: 137, ended: 'ContainerStatusUnknown' },
      message: 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ',
    },
    sentence: /volume scratch/,
  },
);

export const kubeletPreemption = ends(
  'room for a critical pod',
  'KubeletPreemption',
  'status `Preempting`, DisruptionTarget `TerminationByKubelet`',
  {
    ending: {
      ...{ phase: 'Failed', reason: 'Preempting', exitCode: 137 },
      message: 'Preempted in order to admit critical pod',
      disruption: 'Pod was preempted by Kubelet to accommodate a critical pod.',
    },
  },
);

export const nodeShutdown = ends(
  'graceful shutdown of a node',
  'NodeShutdown',
  'status `Terminated`, DisruptionTarget `TerminationByKubelet`',
  {
    ending: {
      ...{ phase: 'Failed', reason: 'Terminated', exitCode: 137 },
      message: 'Pod was terminated in response to imminent node shutdown.',
      disruption: 'Pod was terminated in response to imminent node shutdown.',
    },
  },
);

/** Real kubelets write nothing else where the containers obey: neither a reason nor a message. */
export const shutdownEndsWell = ends(
  'graceful shutdown of a node, and containers that end well then',
  'NodeShutdown',
  'the message of DisruptionTarget `TerminationByKubelet`; the phase is `Succeeded`',
  { ending: { phase: 'Succeeded', disruption: 'Pod was terminated in response to imminent node shutdown.' } },
);

export const pressureEndsWell = ends(
  'node short of memory, and containers that end well then',
  'NodePressure',
  'the message of DisruptionTarget `TerminationByKubelet`; the phase is `Succeeded`',
  { ending: { phase: 'Succeeded', disruption: LOW }, sentence: /short of memory/ },
);

export const limitEndsWell: Provocation = {
  ...{ name: 'limit of an emptyDir, and containers that end well then', cause: 'StorageLimit' },
  ...{ by: 'status as kubelets write it', sentence: /volume scratch/ },
  evidence: 'event `Evicted` of the kubelet; the phase is `Succeeded`',
  async provoke(scene) {
    const pod = await scene.pod(NEVER);
    await scene.kubelet.says(pod, 'Evicted', 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ');
    await scene.kubelet.ends(pod, { phase: 'Succeeded' });
    return await scene.ended(pod);
  },
};

function ends(
  name: string,
  cause: Cause,
  evidence: string,
  { ending, sentence }: { readonly ending: Ending; readonly sentence?: RegExp },
): Provocation {
  return {
    ...{ name, cause, evidence, by: 'status as kubelets write it' },
    ...(sentence === undefined ? {} : { sentence }),
    async provoke(scene) {
      const pod = await scene.pod(NEVER);
      await scene.kubelet.ends(pod, ending);
      return await scene.ended(pod);
    },
  };
}

export const rejected: Provocation = {
  ...{ name: 'a pod that its kubelet does not admit', cause: 'Rejected', by: 'status as kubelets write it' },
  ...{ evidence: 'status `OutOfcpu`, "Pod was rejected"', sentence: /OutOfcpu/ },
  async provoke(scene) {
    const node = `played-${scene.name}`;
    await scene.playedNode(node);
    const pod = await scene.boundPod(node);
    await scene.kubelet.rejects(
      pod,
      'OutOfcpu',
      "Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000",
    );
    return await scene.ended(pod);
  },
};

export const rebooted: Provocation = {
  ...{ name: 'reboot of a node', cause: 'Reboot', by: 'status as kubelets write it', sentence: /was rebooted/ },
  evidence: 'another `bootID` of the node, and a container that its runtime lost',
  async provoke(scene) {
    const node = `played-${scene.name}`;
    await scene.playedNode(node);
    const pod = await scene.playedPod(node, NEVER);
    const nodeInfo = { bootID: crypto.randomUUID() };
    await scene.patch(`/api/v1/nodes/${node}/status`, { status: { nodeInfo } });
    await scene.kubelet.ends(pod, { phase: 'Failed', exitCode: 255, ended: 'Unknown' });
    return await scene.ended(pod);
  },
};

export const sandboxReplaced: Provocation = {
  ...{ name: 'a new sandbox', cause: 'SandboxReplaced', by: 'status as kubelets write it' },
  evidence: 'the pod goes on; event `SandboxChanged`',
  async provoke(scene) {
    const node = `played-${scene.name}`;
    await scene.playedNode(node);
    const pod = await scene.playedPod(node);
    const at = Date.now();
    await scene.kubelet.losesSandbox(pod);
    await scene.kubelet.says(pod, 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
    await scene.kubelet.runs(pod, '10.9.0.9');
    return { uids: [pod.metadata.uid], at };
  },
};
