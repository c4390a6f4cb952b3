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
    means: 'The scheduler ended it to make room for a pod, or a group of pods, of a higher priority.',
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
    means:
      'Its kubelet did not admit it: there was not enough of a resource, or a rule of the node forbids it. A kubelet that is started again asks that of pods that run, too.',
    next: 'the reason in the status names the resource; compare it with what is allocatable on {node}.',
  },
  Deadline: {
    means: 'It ran longer than its activeDeadlineSeconds allow.',
    next: 'raise activeDeadlineSeconds, or see why it took so long.',
  },
  NodeGone: {
    means: 'Its Node object was deleted, or was never there, and the garbage collector removed its pods.',
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
    next: 'see the autoscaler and the replicas: kubectl describe {owner} -n {namespace}; an imported audit log names the user.',
  },
  StatefulSetUpdate: {
    means: 'Its StatefulSet got another revision, and replaced the pod.',
    next: 'kubectl rollout history {owner} -n {namespace} shows what changed.',
  },
  StatefulSetRecreated: {
    means: 'It had failed or ended, or its StatefulSet removed it; it was made again of the same revision.',
    next: 'if it had ended, see how its containers did, with -o wide; else what changed {owner} then: kubectl describe {owner} -n {namespace}.',
  },
  DaemonSetUpdate: {
    means: 'Its DaemonSet got another revision, and replaced the pod.',
    next: 'kubectl rollout history {owner} -n {namespace} shows what changed.',
  },
  JobCompleted: {
    means: 'It had done its work for its Job, or its Job had ended; the sentence says so where the Job had failed.',
    next: 'nothing is wrong, unless the Job had failed: kubectl describe {owner} -n {namespace} says that.',
  },
  JobDeadline: {
    means: 'Its Job ran longer than its activeDeadlineSeconds allow.',
    next: 'raise the deadline of {owner}, or see why it took so long.',
  },
  Suspended: {
    means: 'Its Job was suspended.',
    next: 'see who suspended {owner}: a queue such as Kueue, or a person.',
  },
  OOMKilled: {
    means: 'A container reached its memory limit, or its node had no memory left; the pod was not restarted.',
    next: 'raise the memory limit of the container, or let it use less; if it was the node, kubectl describe node {node} shows a SystemOOM.',
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
      'It was deleted by a person or a program, such as a custom controller; without an audit log that is only what is left, where no trace of another cause was found.',
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

type Hinted = Pick<Verdict, 'cause' | 'actor' | 'sentence'>;
type Owned = Pick<PodLife, 'pod' | 'owner'>;

/** What to look at next, with the names of this pod. */
export function hintOf(verdict: Hinted, life: Owned): string {
  const { actor } = verdict;
  const { pod, owner } = life;
  const workload = pod.workload ?? owner;
  const names: Readonly<Record<string, string>> = {
    node: pod.node === '' ? 'its node' : pod.node,
    namespace: pod.namespace,
    owner: workload === undefined ? 'its owner' : `${workload.kind.toLowerCase()}/${workload.name}`,
  };
  const next = nextOf(verdict, life).replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? name);
  // Where it is known who did it, nothing need be looked up.
  return actor === undefined ? next : next.replace(NAMES_THE_USER, '');
}

/** One cause has several stories: where the sentence or its author tells which, what it says of the others is left out. */
function nextOf({ cause, actor, sentence }: Hinted, { owner }: Owned): string {
  switch (cause) {
    case 'DeletedOnRequest':
      if (actor !== undefined) return byActor(actor);
      if (/\bperhaps by its\b/.test(sentence)) return FOREIGN;
      break;
    case 'Rejected':
      if (/^had run, .* started again\b/.test(sentence)) return REJECTED_AGAIN;
      break;
    case 'ScaledDown':
      if (actor !== undefined) return isAutoscaler(actor) ? AUTOSCALED : byActor(actor);
      if (owner?.kind === 'Job') return SHRUNK_JOB;
      if (owner?.kind === 'DaemonSet') return UNSELECTED;
      break;
    case 'StatefulSetRecreated':
      if (sentence.startsWith('had ended')) return 'see how its containers ended, with -o wide.';
      if (sentence.startsWith('was created again by StatefulSet ')) return MADE_AGAIN;
      break;
    case 'JobCompleted':
      if (isOfFailedJob({ cause, sentence })) return 'see why {owner} failed: kubectl describe {owner} -n {namespace}.';
      if (/\bcompleted?\b/.test(sentence)) return 'nothing is wrong.';
  }
  return CAUSE_GUIDE[cause].next;
}

/** The list of causes has none for it: the sentence says it. */
export function isOfFailedJob({ cause, sentence }: Pick<Verdict, 'cause' | 'sentence'>): boolean {
  return cause === 'JobCompleted' && /\bhad failed\b/.test(sentence);
}

function byActor(actor: string): string {
  return `see what else ${actor} did then, in the audit log.`;
}

function isAutoscaler(actor: string): boolean {
  return actor.startsWith('HorizontalPodAutoscaler ') || actor === 'horizontal-pod-autoscaler';
}

const REJECTED_AGAIN =
  'see what of {node} was changed before its kubelet was started again, its labels or what is allocatable: kubectl describe node {node}.';
const FOREIGN = 'see the log of the controller of {owner}; an imported audit log names who it was.';
const AUTOSCALED = 'see what the autoscaler of {owner} measured: kubectl describe hpa -n {namespace}.';
const SHRUNK_JOB = 'see the parallelism of {owner}: kubectl describe {owner} -n {namespace}.';
const UNSELECTED = 'compare the node selector of {owner} with the labels and taints of {node}.';
const MADE_AGAIN = 'see what changed {owner} then: kubectl describe {owner} -n {namespace}.';
