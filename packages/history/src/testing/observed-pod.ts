// Builders of observed objects for tests: `aPod('web-1').withIp('10.0.0.7').readyAt(t).build()`. Every step gives a new
// builder, so that a half-built pod can be used twice.
import type { ObservedMeta, ObservedNode, ObservedPod, ObservedService } from '../observe/observation.ts';

type Status = ObservedPod['status'];
type Condition = Status['conditions'][number];
type Termination = Status['terminations'][number];

export class PodBuilder {
  readonly #pod: ObservedPod;

  constructor(pod: ObservedPod) {
    this.#pod = pod;
  }

  build(): ObservedPod {
    return this.#pod;
  }

  withUid(uid: string): PodBuilder {
    return this.#meta({ uid });
  }

  inNamespace(namespace: string): PodBuilder {
    return this.#meta({ namespace });
  }

  atVersion(version: number | string): PodBuilder {
    return this.#meta({ resourceVersion: String(version) });
  }

  createdAt(time: number | undefined): PodBuilder {
    return this.#meta({ creationTimestamp: seconds(time) });
  }

  /** The deletion was asked for at `time`; the timestamp is when the grace ends. */
  deletedAt(time: number, graceSeconds: number): PodBuilder {
    const end = (seconds(time) ?? 0) + graceSeconds * 1000;
    return this.#meta({ deletionTimestamp: end, deletionGracePeriodSeconds: graceSeconds });
  }

  annotated(annotations: Readonly<Record<string, string>> | ReadonlyMap<string, string>): PodBuilder {
    return this.#meta({ annotations: annotations instanceof Map ? annotations : new Map(Object.entries(annotations)) });
  }

  labelled(labels: Readonly<Record<string, string>>): PodBuilder {
    return this.#meta({ labels: new Map(Object.entries(labels)) });
  }

  ownedBy(kind: string, name: string): PodBuilder {
    return this.#meta({ ownerReferences: [{ kind, name, uid: `uid-${name}`, controller: true }] });
  }

  ofClass(qosClass: string, priority: number): PodBuilder {
    const { spec, status } = this.#pod;
    return new PodBuilder({ ...this.#pod, spec: { ...spec, priority }, status: { ...status, qosClass } });
  }

  onNode(nodeName: string): PodBuilder {
    return new PodBuilder({ ...this.#pod, spec: { ...this.#pod.spec, nodeName } });
  }

  onHostNetwork(): PodBuilder {
    return new PodBuilder({ ...this.#pod, spec: { ...this.#pod.spec, hostNetwork: true } });
  }

  /** No address: a blank status. */
  withIp(...ips: string[]): PodBuilder {
    return this.#status({ podIP: ips[0] ?? '', podIPs: ips });
  }

  inPhase(phase: string, reason = '', message = ''): PodBuilder {
    return this.#status(reason === '' ? { phase } : { phase, reason, message });
  }

  startedAt(time: number | undefined): PodBuilder {
    return this.#status({ startTime: seconds(time) });
  }

  /** The sandbox and its network came up. */
  readyAt(time: number): PodBuilder {
    return this.withCondition('PodReadyToStartContainers', 'True', time);
  }

  /** The sandbox is gone. */
  lostAt(time: number): PodBuilder {
    return this.withCondition('PodReadyToStartContainers', 'False', time);
  }

  withCondition(
    type: string,
    status: string,
    time: number | undefined,
    words: Pick<Condition, 'reason' | 'message'> = {},
  ): PodBuilder {
    const others = this.#pod.status.conditions.filter((condition) => condition.type !== type);
    const condition: Condition = { type, status, lastTransitionTime: seconds(time), ...words };
    return this.#status({ conditions: [...others, condition] });
  }

  /** A container ended; `current` false when it was started again since. */
  finishedAt(time: number | undefined, current = true): PodBuilder {
    return this.#status({ terminations: [...this.#pod.status.terminations, { current, finishedAt: seconds(time) }] });
  }

  /** A container ended so. */
  terminated(time: number | undefined, how: Partial<Termination>): PodBuilder {
    const ended = { current: true, ...how, finishedAt: seconds(time) };
    return this.#status({ terminations: [...this.#pod.status.terminations, ended] });
  }

  /** Its init container ended, and its containers began. */
  initializedAt(time: number): PodBuilder {
    const ended = { kind: 'init', current: true, finishedAt: seconds(time) } as const;
    return this.#status({ terminations: [...this.#pod.status.terminations, ended] });
  }

  /** As a kubelet writes it: with the end of its containers, and of its network where it says that there was one. */
  completedAt(time: number): PodBuilder {
    const { conditions } = this.#pod.status;
    const saysNetwork = conditions.some(({ type }) => type === 'PodReadyToStartContainers');
    return (saysNetwork ? this.lostAt(time) : this).inPhase('Succeeded').finishedAt(time);
  }

  #meta(change: Partial<ObservedMeta>): PodBuilder {
    return new PodBuilder({ ...this.#pod, metadata: { ...this.#pod.metadata, ...change } });
  }

  #status(change: Partial<Status>): PodBuilder {
    return new PodBuilder({ ...this.#pod, status: { ...this.#pod.status, ...change } });
  }
}

/** A running pod of the namespace `shop` on `node-a`, without an address yet. Its UID is `uid-NAME`. */
export function aPod(name: string): PodBuilder {
  return new PodBuilder({
    metadata: aMeta(name, 'shop'),
    spec: { nodeName: 'node-a', hostNetwork: false },
    status: { phase: 'Running', podIP: '', podIPs: [], startTime: undefined, conditions: [], terminations: [] },
  });
}

export function aNode(name: string, version: number | string, ...addresses: string[]): ObservedNode {
  const internal = addresses.map((address) => ({ type: 'InternalIP', address }));
  return {
    metadata: { ...aMeta(name, ''), resourceVersion: String(version) },
    status: { addresses: [...internal, { type: 'Hostname', address: name }] },
  };
}

export function aService(name: string, version: number | string, ...clusterIPs: string[]): ObservedService {
  return { metadata: { ...aMeta(name, 'shop'), resourceVersion: String(version) }, spec: { clusterIPs } };
}

function aMeta(name: string, namespace: string): ObservedMeta {
  return {
    name,
    namespace,
    uid: `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    labels: new Map(),
    annotations: new Map(),
    ownerReferences: [],
  };
}

/** Times in objects are cut to whole seconds. */
function seconds(time: number | undefined): number | undefined {
  return time === undefined ? undefined : Math.floor(time / 1000) * 1000;
}
