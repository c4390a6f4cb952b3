// What a made world consists of, and what is known of it.

export type Kind = 'Pod' | 'Service' | 'Node';

export interface Written {
  readonly version: number;
  /** True time. */
  readonly at: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: Kind;
  readonly key: string;
  readonly object: WorldObject;
}

export interface WorldObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: number;
    readonly deletionTimestamp: number | undefined;
    readonly deletionGracePeriodSeconds: number | undefined;
    readonly labels: ReadonlyMap<string, string>;
    readonly annotations: ReadonlyMap<string, string>;
    readonly ownerReferences: readonly never[];
  };
  readonly spec: Record<string, unknown>;
  readonly status: Record<string, unknown>;
}

/** Somebody really had the address. */
export interface Hold {
  readonly ip: string;
  readonly uid: string;
  readonly kind: Kind;
  readonly from: number;
  to: number;
}

/** Nobody can say who had it: by Kubernetes' own account the pod is gone, and it runs on. */
export interface Gray {
  readonly ip: string;
  readonly from: number;
  to: number;
}

export interface World {
  readonly from: number;
  readonly to: number;
  readonly writes: readonly Written[];
  readonly holds: readonly Hold[];
  readonly grays: readonly Gray[];
  readonly ips: readonly string[];
  readonly story: readonly string[];
}

export interface WorldPlan {
  readonly seed: number;
  readonly seconds: number;
  readonly pods: number;
  /** Nodes reboot, and lose touch: their words come late. */
  readonly harsh: boolean;
  readonly kubelets?: readonly Kubelet[];
}

/** How a kubelet tells of sandboxes: the condition before the address, with it, or never. */
export type Kubelet = 'early' | 'joint' | 'none';
