// What each cause means in one plain sentence, and what to look at next: for `explain`, and for the table of docs/cli.md.
import type { PodLife } from '../model/pod-life.ts';
import type { Cause, Verdict } from './cause.ts';

interface Guide {
  readonly means: string;
  /** With {node}, {namespace} and {owner} for the names of the case. */
  readonly next: string;
}

export const CAUSE_GUIDE: Readonly<Record<Cause, Guide>> = {
  Evicted: {
    means:
      'A person or a program evicted it through the Eviction API: a drain, an autoscaler; what kubectl shows as Evicted is NodePressure or StorageLimit here.',
    next: 'look who cordoned or scales {node}: kubectl describe node {node}, if it still exists; an imported audit log names the user.',
  },
  Taint: {
    means: 'A NoExecute taint was put on its node, and it does not tolerate it (for so long).',
    next: 'see the taints of {node} and the tolerations of the pod: kubectl describe node {node}.',
  },
  DeviceTaint: {
    means: 'A device that it used through dynamic resource allocation was tainted.',
    next: 'no trace names the device: see the taints in kubectl get resourceslices --field-selector spec.nodeName={node} -o yaml, and the DeviceTaintRules.',
  },
  Preempted: {
    means: 'The scheduler ended it to make room for a pod of a higher priority.',
    next: 'compare the PriorityClass of the pod with that of the preemptor, and the free room of the nodes.',
  },
  NodePressure: {
    means:
      'Its node ran short of memory, disk or process ids, and its kubelet evicted it; kubectl shows it as Evicted.',
    next: 'compare what the pod used with its requests, and see the conditions of {node}: kubectl describe node {node}.',
  },
  StorageLimit: {
    means: 'It wrote more than its own limit of ephemeral storage, or of an emptyDir, allows.',
    next: 'raise the limit that the message names, or let the pod write less.',
  },
  KubeletPreemption: {
    means: 'Its kubelet ended it to make room for a critical pod of the node.',
    next: 'see which critical or static pod started on {node} then: podtrail node {node} --since 1h.',
  },
  NodeShutdown: {
    means: 'Its node was shut down gracefully, and the kubelet ended its pods.',
    next: 'see who shut {node} down: its system log, or the events of the cloud.',
  },
  Rejected: {
    means: 'Its kubelet did not admit it: there was not enough of a resource, or a rule of the node forbids it.',
    next: 'the reason in the status names the resource; compare it with what is allocatable on {node}.',
  },
  Deadline: {
    means: 'It ran longer than its activeDeadlineSeconds allow.',
    next: 'raise activeDeadlineSeconds, or see why it took so long.',
  },
  NodeGone: {
    means: 'Its Node object was deleted, and the garbage collector removed its pods.',
    next: 'see who removed {node}: an autoscaler, the cloud controller, or kubectl delete node.',
  },
  NodeUnreachable: {
    means: 'Its node sent no heartbeats, and its pods were deleted after their toleration ran out.',
    next: 'see why {node} was silent: its power, its network, its kubelet. The pod may still have run there.',
  },
  Reboot: {
    means: 'Its node was booted again.',
    next: 'see why {node} was booted: its system log, updates, the kernel.',
  },
  OutOfService: {
    means: 'Somebody put the out-of-service taint on its node, and its pods were deleted by force.',
    next: 'take the taint from {node} when it is repaired.',
  },
  Rollout: {
    means: 'Its workload got a newer revision, whose pods replaced this one.',
    next: 'kubectl rollout history {owner} -n {namespace} shows what changed.',
  },
  Restarted: {
    means:
      'A rollout restart of its workload (kubectl rollout restart) replaced it; restarts of containers are no moves.',
    next: 'nothing is wrong; an imported audit log names the user.',
  },
  ScaledDown: {
    means:
      'Its workload wanted fewer pods: an autoscaler or a person scaled it down, or its node was no longer selected.',
    next: 'see the autoscaler and the replicas: kubectl describe {owner} -n {namespace}.',
  },
  StatefulSetUpdate: {
    means: 'Its StatefulSet got another revision, and replaced the pod.',
    next: 'kubectl rollout history {owner} -n {namespace} shows what changed.',
  },
  StatefulSetRecreated: {
    means: 'It had failed or ended, and its StatefulSet made it again.',
    next: 'see how its containers ended, with -o wide.',
  },
  DaemonSetUpdate: {
    means: 'Its DaemonSet got another revision, and replaced the pod.',
    next: 'kubectl rollout history {owner} -n {namespace} shows what changed.',
  },
  JobCompleted: { means: 'Its Job was done.', next: 'nothing is wrong.' },
  JobDeadline: {
    means: 'Its Job ran longer than its activeDeadlineSeconds allow.',
    next: 'raise the deadline of {owner}, or see why it took so long.',
  },
  Suspended: {
    means: 'Its Job was suspended.',
    next: 'see who suspended {owner}: a queue such as Kueue, or a person.',
  },
  OOMKilled: {
    means: 'A container used more memory than its limit, and the pod was not restarted.',
    next: 'raise the memory limit of the container, or let it use less.',
  },
  Crashed: {
    means: 'A container ended with an error, and the pod was not restarted.',
    next: 'see the logs of that container at that time.',
  },
  Completed: { means: 'All of its containers ended well.', next: 'nothing is wrong.' },
  OwnerDeleted: {
    means: 'Its owner was deleted, and the pod with it.',
    next: 'see who deleted {owner}; an imported audit log names the user.',
  },
  NamespaceDeleted: {
    means: 'Its namespace was deleted, and everything in it.',
    next: 'see who deleted {namespace}; an imported audit log names the user.',
  },
  DeletedOnRequest: {
    means:
      'A person or a program, a custom controller for instance, deleted it, and nothing that was watched says why.',
    next: 'podtrail import --audit-log names who, if the API server wrote one.',
  },
  SandboxReplaced: {
    means: 'It did not end: its network sandbox was made again, with another address.',
    next: 'see the events of the pod and the container runtime of {node}.',
  },
  Unknown: {
    means: 'It ended, and what would say why was not watched, has expired, or was never written.',
    next: 'podtrail gaps and podtrail doctor say what was not watched; an audit log may still say who it was.',
  },
};

const NAMES_THE_USER = '; an imported audit log names the user';

/** What to look at next, with the names of this pod. */
export function hintOf(
  { cause, actor }: Pick<Verdict, 'cause' | 'actor'>,
  life: Pick<PodLife, 'pod' | 'owner'>,
): string {
  const { pod, owner } = life;
  if (actor !== undefined && cause === 'DeletedOnRequest') return `see what else ${actor} did then, in the audit log.`;
  const workload = pod.workload ?? owner;
  const names: Readonly<Record<string, string>> = {
    node: pod.node === '' ? 'its node' : pod.node,
    namespace: pod.namespace,
    owner: workload === undefined ? 'its owner' : `${workload.kind.toLowerCase()}/${workload.name}`,
  };
  const next = CAUSE_GUIDE[cause].next.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? name);
  // Where it is known who did it, nothing need be looked up.
  return actor === undefined ? next : next.replace(NAMES_THE_USER, '');
}
