// What the simulated components read and write of a node.
import type { KubeObject } from '../api/cluster-api.ts';
import type { PodCondition, StoredMeta } from './pod-object.ts';

export interface NodeObject extends KubeObject {
  readonly metadata: StoredMeta;
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
}

export interface NodeSpec {
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
  readonly unschedulable?: boolean;
  readonly taints?: readonly Taint[];
  readonly [field: string]: unknown;
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface NodeStatus {
  readonly conditions?: readonly NodeCondition[];
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface NodeCondition extends PodCondition {
  readonly lastHeartbeatTime?: string;
}

export const UNREACHABLE = 'node.kubernetes.io/unreachable';
export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
