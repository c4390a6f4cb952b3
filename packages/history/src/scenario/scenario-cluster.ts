// The objects of a scenario's cluster, written as a kubelet and an API server would. Only run-scenario.ts uses it.
import { HistoryError } from '../errors.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Observed, ObservedMeta, ObservedPod } from '../observe/observation.ts';
import type { Named, Scenario, Statement } from './scenario.ts';

export interface ScenarioWrite {
  readonly type: 'present' | 'deleted';
  readonly seen: Observed;
}

/** A pod is created this long before its network comes up. */
const START_UP_MS = 2000;

export class ScenarioCluster {
  readonly #scenario: Scenario;
  readonly #objects = new Map<string, Observed>();
  #version = 100;
  #uids = 0;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  get version(): string {
    return String(this.#version);
  }

  of(kind: Observed['kind'], namespaces: readonly string[] | undefined): Observed[] {
    const isSeen = ({ object }: Observed) => namespaces === undefined || namespaces.includes(object.metadata.namespace);
    return [...this.#objects.values()].filter((seen) => seen.kind === kind && (kind === 'Node' || isSeen(seen)));
  }

  /** Versions start over, objects stay. */
  rewind(): void {
    this.#version = 0;
    for (const [key, seen] of this.#objects) this.#objects.set(key, this.#renewed(seen));
  }

  /** Undefined when nothing is written. */
  apply(statement: Statement): ScenarioWrite | undefined {
    switch (statement.kind) {
      case 'pod-gets': {
        const { pod, addresses, node, at } = statement;
        const before = this.#find('Pod', pod)?.object as ObservedPod | undefined;
        if (before !== undefined && before.status.phase !== 'Running') {
          this.#refuse(statement, `${pod.name} has ended; delete it before it comes back`);
        }
        if (before === undefined && node === undefined) this.#refuse(statement, `say on which node ${pod.name} is`);
        if (before !== undefined && node !== undefined && node !== before.spec.nodeName) {
          this.#refuse(statement, `${pod.name} is on ${before.spec.nodeName}; a pod never changes its node`);
        }
        const old = before ?? this.#newPod(pod, node ?? '', false, at);
        return this.#put('Pod', { ...old, status: { ...running(old, addresses), conditions: network('True', at) } });
      }
      case 'pod-uses-host': {
        const object = this.#newPod(statement.pod, statement.node, true, statement.at);
        return this.#put('Pod', { ...object, status: running(object, statement.addresses) });
      }
      case 'pod-shows-nothing':
        return this.#change(statement, (pod) => ({ ...pod.status, podIP: '', podIPs: [] }));
      case 'pod-loses-sandbox':
        return this.#change(statement, (pod) => ({ ...pod.status, conditions: network('False', statement.at) }));
      case 'pod-ends': {
        const { at, phase } = statement;
        const terminations = [{ current: true, finishedAt: seconds(at) }];
        const conditions = network('False', at);
        return this.#change(statement, (pod) => ({ ...pod.status, phase, terminations, conditions }));
      }
      case 'pod-annotated': {
        const pod = this.#known(statement, 'Pod', statement.pod).object as ObservedPod;
        const annotations = new Map(pod.metadata.annotations).set(statement.key, statement.value);
        return this.#put('Pod', { ...pod, metadata: { ...pod.metadata, annotations } });
      }
      case 'has-addresses': {
        const { what, named, addresses, at } = statement;
        const metadata = this.#find(what, named)?.object.metadata ?? this.#meta(named, at);
        if (what === 'Service') return this.#put('Service', { metadata, spec: { clusterIPs: addresses } });
        const internal = addresses.map((address) => ({ type: 'InternalIP', address }));
        return this.#put('Node', { metadata, status: { addresses: internal } });
      }
      case 'deleted': {
        const seen = this.#known(statement, statement.what, statement.named);
        this.#objects.delete(keyOf(statement.what, statement.named));
        return { type: 'deleted', seen: this.#renewed(seen) };
      }
      default:
        return undefined;
    }
  }

  #change(
    statement: Statement & { readonly pod: Named },
    change: (pod: ObservedPod) => ObservedPod['status'],
  ): ScenarioWrite {
    const pod = this.#known(statement, 'Pod', statement.pod).object as ObservedPod;
    return this.#put('Pod', { ...pod, status: change(pod) });
  }

  #put<K extends Observed['kind']>(kind: K, object: Extract<Observed, { kind: K }>['object']): ScenarioWrite {
    const seen = this.#renewed({ kind, object } as Observed);
    this.#objects.set(keyOf(kind, seen.object.metadata), seen);
    return { type: 'present', seen };
  }

  #renewed(seen: Observed): Observed {
    const metadata = { ...seen.object.metadata, resourceVersion: String(++this.#version) };
    return { ...seen, object: { ...seen.object, metadata } } as Observed;
  }

  #find(kind: Observed['kind'], named: Named): Observed | undefined {
    return this.#objects.get(keyOf(kind, named));
  }

  #known(statement: Statement, kind: Observed['kind'], named: Named): Observed {
    return this.#find(kind, named) ?? this.#refuse(statement, `there is no ${kind.toLowerCase()} ${named.name} then`);
  }

  #newPod(named: Named, nodeName: string, hostNetwork: boolean, at: EpochMillis): ObservedPod {
    const metadata = this.#meta(named, (at - START_UP_MS) as EpochMillis);
    const status = { phase: 'Pending', podIP: '', podIPs: [], startTime: undefined, conditions: [], terminations: [] };
    return { metadata, spec: { nodeName, hostNetwork }, status };
  }

  #meta({ namespace, name }: Named, at: EpochMillis): ObservedMeta {
    return {
      name,
      namespace,
      uid: `uid-${++this.#uids}`,
      resourceVersion: '0',
      creationTimestamp: seconds(at),
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      labels: new Map(),
      annotations: new Map(),
      ownerReferences: [],
    };
  }

  #refuse(statement: Statement, why: string): never {
    throw new HistoryError('bad-scenario', `${this.#scenario.name}:${statement.line}: ${why}`);
  }
}

function running({ status }: ObservedPod, podIPs: readonly string[]): ObservedPod['status'] {
  return { ...status, phase: 'Running', podIP: podIPs[0] ?? '', podIPs };
}

function network(status: 'True' | 'False', at: EpochMillis): ObservedPod['status']['conditions'] {
  const since = { status, lastTransitionTime: seconds(at) };
  return [
    { type: 'PodReadyToStartContainers', ...since },
    { type: 'ContainersReady', ...since },
  ];
}

function seconds(at: number): number {
  return Math.floor(at / 1000) * 1000;
}

function keyOf(kind: Observed['kind'], { namespace, name }: Named): string {
  return `${kind} ${namespace}/${name}`;
}
