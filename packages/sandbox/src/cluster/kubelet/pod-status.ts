// The status a kubelet reports, from what it knows of a pod's sandbox and containers. Pure.
import {
  type ContainerStatus,
  kubeTime,
  type PodCondition,
  type PodObject,
  type PodPhase,
  type PodStatus,
} from '../pod-object.ts';
import { type ContainerRun, containerStatus } from './container-run.ts';

/** What the kubelet knows. */
export interface PodFacts {
  readonly phase: PodPhase;
  readonly reason?: string;
  readonly message?: string;
  /** The sandbox has its network, as far as it is reported. */
  readonly networkUp: boolean;
  /** Its end is decided, though it is not reported before the network is gone. */
  readonly failing: boolean;
  /** Those of the sandbox, of the last one, or none yet: a pod that has ended goes on showing them. */
  readonly addresses: readonly string[];
  readonly hostAddresses: readonly string[];
  readonly startedAt: number;
  readonly inits: readonly ContainerRun[];
  readonly containers: readonly ContainerRun[];
  /** What it said last: times of transitions are its own, also where the API server lost them (etcd was restored). */
  readonly said?: readonly PodCondition[] | undefined;
  /** Conditions that come with an ending, like DisruptionTarget. */
  readonly extra?: readonly Omit<PodCondition, 'lastTransitionTime'>[];
}

const BY_KUBELET = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

export function podStatus(pod: PodObject, facts: PodFacts, now: number): PodStatus {
  const { qosClass } = pod.status;
  const statuses = facts.containers.map(containerStatus);
  return {
    observedGeneration: pod.metadata.generation ?? 1,
    phase: facts.phase,
    ...(facts.reason === undefined ? {} : { reason: facts.reason }),
    ...(facts.message === undefined ? {} : { message: facts.message }),
    conditions: conditions(pod, facts, statuses, now),
    hostIP: facts.hostAddresses[0],
    hostIPs: addressList(pod.status.hostIPs, facts.hostAddresses),
    ...(facts.addresses.length === 0
      ? {}
      : { podIP: facts.addresses[0]!, podIPs: addressList(pod.status.podIPs, facts.addresses) }),
    startTime: kubeTime(facts.startedAt),
    ...(facts.inits.length === 0 ? {} : { initContainerStatuses: facts.inits.map(containerStatus) }),
    containerStatuses: statuses,
    qosClass,
  };
}

function conditions(
  pod: PodObject,
  facts: PodFacts,
  statuses: readonly ContainerStatus[],
  now: number,
): readonly PodCondition[] {
  const before = pod.status.conditions ?? [];
  const extra = facts.extra ?? [];
  const kept = before.filter(({ type }) => !BY_KUBELET.includes(type) && !extra.some((one) => one.type === type));
  const readiness = readinessOf(facts, statuses);
  const own: Omit<PodCondition, 'lastTransitionTime'>[] = [
    ...extra,
    { type: 'PodReadyToStartContainers', status: facts.networkUp ? 'True' : 'False' },
    initialized(facts),
    { type: 'Ready', ...readiness },
    { type: 'ContainersReady', ...readiness },
    { type: 'PodScheduled', status: 'True' },
  ];
  const at = kubeTime(now);
  const generation = pod.metadata.generation ?? 1;
  const last = facts.said ?? before;
  return [...kept, ...own.map((condition) => dated(condition, last, at, generation))];
}

function initialized({ phase, inits }: PodFacts): Omit<PodCondition, 'lastTransitionTime'> {
  const type = 'Initialized';
  const left = inits.filter(({ state }) => state.terminated?.exitCode !== 0).map(({ name }) => name);
  if (left.length > 0) {
    const message = `containers with incomplete status: [${left.join(' ')}]`;
    return { type, status: 'False', reason: 'ContainersNotInitialized', message };
  }
  return phase === 'Succeeded' ? { type, status: 'True', reason: 'PodCompleted' } : { type, status: 'True' };
}

function readinessOf(facts: PodFacts, statuses: readonly ContainerStatus[]): Omit<PodCondition, 'type'> {
  if (facts.phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (facts.phase === 'Failed' || facts.failing) return { status: 'False', reason: 'PodFailed' };
  const unready = statuses.filter(({ ready }) => !ready).map(({ name }) => name);
  if (unready.length === 0) return { status: 'True' };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}

/** The time of a transition stays while the status does; a condition that says the same is the same object. */
function dated(
  condition: Omit<PodCondition, 'lastTransitionTime'>,
  before: readonly PodCondition[],
  at: string,
  observedGeneration: number,
): PodCondition {
  const { type, status, reason, message } = condition;
  let last: PodCondition | undefined;
  for (const one of before) if (one.type === type) last = one;
  const same = last?.status === status;
  if (same && last?.reason === reason && last?.message === message && last?.observedGeneration === observedGeneration) {
    return last!;
  }
  const lastTransitionTime = same ? (last?.lastTransitionTime ?? at) : at;
  return { ...condition, observedGeneration, lastProbeTime: null, lastTransitionTime };
}

/** What is written already is written as the same object: the store then has nothing to copy. */
function addressList(
  before: readonly { readonly ip: string }[] | undefined,
  addresses: readonly string[],
): readonly { readonly ip: string }[] {
  const same = before?.length === addresses.length && addresses.every((ip, n) => before[n]?.ip === ip);
  return same ? before : addresses.map((ip) => ({ ip }));
}
