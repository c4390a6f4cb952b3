// A small cluster with its API server on a clock that tests advance.
import { ApiServer } from '../../api/api-server.ts';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import type { PodObject } from '../pod-object.ts';
import { SimulatedCluster, type SimulatedClusterOptions } from '../simulated-cluster.ts';

export interface SmallCluster {
  readonly api: ApiServer;
  readonly clock: VirtualClock;
  readonly cluster: SimulatedCluster;
  /** Lets time pass second by second until it holds; says what did not when it takes too long. */
  until(what: string, holds: () => boolean, mostSeconds?: number): void;
  pod(namespace: string, name: string): PodObject | undefined;
  /** Pods whose name begins like that, by name. */
  podsLike(prefix: string): PodObject[];
}

const NOON = Date.UTC(2026, 10, 15, 12);

export function smallCluster(options: Partial<SimulatedClusterOptions> = {}): SmallCluster {
  const clock = new VirtualClock(NOON);
  const api = new ApiServer({ clock, seed: options.seed ?? 1 });
  const cluster = new SimulatedCluster({ api, clock, nodes: 3, ...options });
  const podsLike = (prefix: string): PodObject[] =>
    [...cluster.pods()]
      .filter(({ metadata }) => metadata.name.startsWith(prefix))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return {
    api,
    clock,
    cluster,
    podsLike,
    pod: (namespace, name) => api.get('pods', namespace, name) as PodObject | undefined,
    until(what, holds, mostSeconds = 120) {
      for (let second = 0; !holds(); second++) {
        if (second >= mostSeconds) throw new Error(`${what}: not within ${mostSeconds} s`);
        clock.advanceBy(1000);
      }
    },
  };
}

interface WorkloadOptions {
  readonly name: string;
  readonly replicas?: number;
  readonly template?: Record<string, unknown>;
  readonly annotations?: Record<string, string>;
  readonly [field: string]: unknown;
}

/** A workload of the default namespace; what is not said about its spec is left to the API server. */
export function aWorkload(kind: string, { name, template, annotations, ...spec }: WorkloadOptions): object {
  const labels = { app: name };
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name, namespace: 'default', labels },
    spec: {
      ...(kind === 'Job' ? {} : { selector: { matchLabels: labels } }),
      ...spec,
      template: {
        metadata: { labels, ...(annotations === undefined ? {} : { annotations }) },
        spec: { containers: [{ name: 'main', image: 'example.test/main:1' }], ...template },
      },
    },
  };
}
