// What every simulated component shares: the API server, time, chance, the indexes, and how it takes a refusal.
import { ApiStatusError } from '../api/api-status-error.ts';
import type { ClusterApi } from '../api/cluster-api.ts';
import type { SeededRandom } from '../clock/random.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { EventLog } from './event-log.ts';
import type { NodeObject } from './node-object.ts';
import { ObjectIndex } from './object-index.ts';
import { controllerOf, type PodObject } from './pod-object.ts';

export interface WorldParts {
  readonly api: ClusterApi;
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly events: EventLog;
}

const BY_NODE = 0;
const BY_OWNER = 1;
const NO_OWNER = '';

export class World {
  readonly api: ClusterApi;
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly events: EventLog;
  readonly pods: ObjectIndex<PodObject>;
  readonly #nodes = new Map<string, NodeObject>();
  readonly nodes: ObjectIndex<NodeObject>;

  constructor(parts: WorldParts) {
    this.api = parts.api;
    this.clock = parts.clock;
    this.random = parts.random;
    this.events = parts.events;
    this.pods = new ObjectIndex<PodObject>(parts.api, 'pods', [
      (pod) => pod.spec.nodeName || undefined,
      (pod) => controllerOf(pod)?.uid ?? NO_OWNER,
    ]);
    this.nodes = new ObjectIndex<NodeObject>(parts.api, 'nodes');
    for (const node of this.nodes.all()) this.#nodes.set(node.metadata.name, node);
    this.nodes.follow((type, node) => {
      if (type === 'DELETED') this.#nodes.delete(node.metadata.name);
      else this.#nodes.set(node.metadata.name, node);
    });
  }

  node(name: string): NodeObject | undefined {
    return this.#nodes.get(name);
  }

  podsOn(node: string): ReadonlyMap<string, PodObject> {
    return this.pods.group(BY_NODE, node);
  }

  podsOwnedBy(uid: string): ReadonlyMap<string, PodObject> {
    return this.pods.group(BY_OWNER, uid);
  }

  /** A wait between two bounds, in milliseconds. */
  wait(least: number, most: number): number {
    return this.random.between(least, most);
  }

  /**
   * A write as components do them: a refusal because somebody else was there first (gone, changed, a namespace that
   * is going), or because of what a person wrote into a template, is no failure of theirs. Returns undefined then;
   * whoever cares looks at the present state and decides again.
   */
  attempt<T>(write: () => T): T | undefined {
    try {
      return write();
    } catch (error) {
      if (error instanceof ApiStatusError && [403, 404, 409, 422, 429].includes(error.code)) return undefined;
      throw error;
    }
  }

  close(): void {
    this.pods.close();
    this.nodes.close();
  }
}
