// Events (v1) as components record them, at a modest rate: only what the chosen level asks for, and as etcd forgets them
// after an hour, so are they deleted here; never more than a bounded number at once. What is written is what the real
// components write (e2e/sandbox-events.test.ts compares): causes of ends are found from it.
import type { ClusterApi, KubeObject } from '../api/cluster-api.ts';
import type { SeededRandom } from '../clock/random.ts';
import { kubeTime } from './pod-object.ts';

/** `important`: what went wrong, and why pods end; `all`: also what every pod goes through; both cost writes. */
export type EventLevel = 'none' | 'important' | 'all';

export interface EventFields {
  readonly about: KubeObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly component: string;
  readonly host?: string;
  /** It names the object without its UID and version, as some controllers do. */
  readonly isByName?: boolean;
}

/** What nothing went wrong with, and yet says why a pod ended. */
const TELLING = new Set([
  ...['SuccessfulDelete', 'ScalingReplicaSet', 'TaintManagerEviction', 'Completed', 'RecreatingTerminatedPod'],
  ...['NodeNotReady', 'SandboxChanged'],
]);

const KEPT_MS = 3_600_000;
const MOST_KEPT = 2_000;

export class EventLog {
  readonly #api: ClusterApi;
  readonly #clock: { now(): number };
  readonly #random: SeededRandom;
  readonly #level: EventLevel;
  readonly #kept: { readonly namespace: string; readonly name: string; readonly until: number }[] = [];

  constructor(api: ClusterApi, clock: { now(): number }, random: SeededRandom, level: EventLevel) {
    this.#api = api;
    this.#clock = clock;
    this.#random = random;
    this.#level = level;
  }

  record(event: EventFields): void {
    if (this.#level === 'none') return;
    if (this.#level === 'important' && event.type === 'Normal' && !TELLING.has(event.reason)) return;
    const now = this.#clock.now();
    this.#forget(now);
    const { about } = event;
    const namespace = about.metadata.namespace ?? 'default';
    // A namespace that is going takes no new events.
    if (this.#api.get('namespaces', undefined, namespace)?.metadata.deletionTimestamp !== undefined) return;
    const name = `${about.metadata.name}.${this.#random.hex8()}${this.#random.hex8()}`;
    const at = kubeTime(now);
    const source = { component: event.component, ...(event.host === undefined ? {} : { host: event.host }) };
    this.#api.create('events', {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: {
        apiVersion: about.apiVersion,
        kind: about.kind,
        name: about.metadata.name,
        ...(event.isByName === true
          ? {}
          : { uid: about.metadata.uid, resourceVersion: about.metadata.resourceVersion }),
        ...(about.metadata.namespace === undefined ? {} : { namespace: about.metadata.namespace }),
      },
      type: event.type,
      reason: event.reason,
      message: event.message,
      source,
      reportingComponent: event.component,
      reportingInstance: event.host ?? '',
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    });
    this.#kept.push({ namespace, name, until: now + KEPT_MS });
  }

  #forget(now: number): void {
    let surplus = this.#kept.length - MOST_KEPT + 1;
    while (this.#kept[0] !== undefined && (surplus-- > 0 || this.#kept[0].until <= now)) {
      const { namespace, name } = this.#kept.shift()!;
      if (this.#api.get('events', namespace, name) !== undefined) this.#api.delete('events', namespace, name);
    }
  }
}
