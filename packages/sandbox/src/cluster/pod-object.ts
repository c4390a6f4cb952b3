// What the simulated components read of a pod. More may be in it; nothing else is touched.
import type { KubeObject, ObjectMeta, OwnerReference } from '../api/cluster-api.ts';

export interface PodObject extends KubeObject {
  readonly metadata: StoredMeta;
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

/** As the API server hands it out: with what it filled in. */
export interface StoredMeta extends ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly creationTimestamp: string;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: { readonly nodeAffinity?: NodeAffinity };
  readonly tolerations?: readonly Toleration[];
  readonly hostNetwork?: boolean;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly Container[];
  readonly [field: string]: unknown;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly ports?: readonly {
    readonly containerPort: number;
    readonly hostPort?: number;
    readonly protocol?: string;
  }[];
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  readonly readinessProbe?: unknown;
  readonly [field: string]: unknown;
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] };
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeRequirement[];
  readonly matchFields?: readonly NodeRequirement[];
}

export interface NodeRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PodStatus {
  readonly phase?: PodPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly startTime?: string;
  readonly conditions?: readonly PodCondition[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly [field: string]: unknown;
}

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastProbeTime?: null;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restartCount: number;
  readonly state: ContainerState;
  readonly lastState: ContainerState;
}

export interface ContainerState {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: ContainerTermination;
}

export interface ContainerTermination {
  readonly exitCode: number;
  readonly reason: string;
  /** Null: nobody knows. */
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly containerID?: string;
}

export function isTerminal(pod: PodObject): boolean {
  return pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';
}

export function isLeaving(pod: PodObject): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isReady(pod: PodObject): boolean {
  const conditions = pod.status.conditions;
  if (conditions === undefined) return false;
  for (const condition of conditions) if (condition.type === 'Ready') return condition.status === 'True';
  return false;
}

/** Whether a change of a pod is one that its workload may have to answer: it came, went, ended, or is ready or not. */
export function concernsOwner(pod: PodObject, previous: PodObject | undefined): boolean {
  if (previous === undefined || previous.status.phase !== pod.status.phase) return true;
  if (previous.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp) return true;
  return previous.status.conditions !== pod.status.conditions && isReady(previous) !== isReady(pod);
}

/** The workload object that made it and answers for it. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined) return undefined;
  for (const owner of owners) if (owner.controller === true) return owner;
  return undefined;
}

let lastSecond = Number.NaN;
let lastText = '';

/** Times in objects are whole seconds; many things happen in the same one. */
export function kubeTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
  }
  return lastText;
}
