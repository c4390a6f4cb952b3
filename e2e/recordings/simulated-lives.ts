// The mechanisms of ../proof/nodes/mechanisms.ts on simulated kubelets, on virtual time: what the API says of their pods
// and what becomes of their addresses, to be compared with what real kubelets were recorded to say.
import { ApiServer, type PodObject, SimulatedCluster, VirtualClock } from '@podtrail/sandbox';
import { type AddressEvent, type PodEvent, type WordSequence, wordSequence } from './api-words.ts';

export interface SimulatedSequence extends WordSequence {
  readonly pod: string;
}

const NAMESPACE = 'default';
const NOON = Date.UTC(2026, 10, 16, 12);
const NEVER = { restartPolicy: 'Never' };

/** How a pod behaves; see packages/sandbox/src/cluster/README.md. */
const says = (what: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(what).map(([name, value]) => [`sandbox.podtrail.dev/${name}`, value]));
const QUICK = { 'stops-in-seconds': '0.3', 'exit-code': '0' };
const DEAF = { 'stops-in-seconds': 'never' };

interface PodRequest {
  readonly says?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly container?: Readonly<Record<string, unknown>>;
  readonly containers?: number;
}

type Life = (world: SimulatedWorld) => void;

/** Creates the pod, lets it run so many seconds, and gives it to `end`. */
function life(request: PodRequest, seconds: number, end: (world: SimulatedWorld, name: string) => void): Life {
  return (world) => {
    world.create('pod', request);
    world.until(() => world.shows('pod'));
    world.pass(seconds);
    end(world, 'pod');
  };
}

const deleteWith =
  (grace: number) =>
  (world: SimulatedWorld, name: string): void =>
    world.delete(name, grace);

const hook = (name: string, action: object): Readonly<Record<string, unknown>> => ({ lifecycle: { [name]: action } });
const INIT = { initContainers: [{ name: 'init', image: 'example.test/init:1' }] };

export const SIMULATED: Readonly<Record<string, Life>> = {
  graceful: life({}, 3, deleteWith(4)),
  forced: life({}, 3, deleteWith(0)),
  'forced-deaf': life({ says: DEAF }, 3, deleteWith(0)),
  deaf: life({ says: DEAF }, 3, deleteWith(3)),
  'slow-term': life({ says: { ...QUICK, 'stops-in-seconds': '3' } }, 3, deleteWith(8)),
  'graceful-then-forced': life({ says: { ...QUICK, 'stops-in-seconds': '9' } }, 3, (world, name) => {
    world.delete(name, 15);
    world.pass(2);
    world.delete(name, 0);
  }),
  'pre-stop': life({ container: hook('preStop', { sleep: { seconds: 3 } }) }, 3, deleteWith(8)),
  'pre-stop-forced': life({ container: hook('preStop', { sleep: { seconds: 5 } }) }, 3, deleteWith(0)),
  'crash-loop': life({ says: { 'runs-for-seconds': '2', 'exit-code': '1' } }, 10, deleteWith(2)),
  'ends-at-once': life({ says: { 'runs-for-seconds': '0.15' }, spec: NEVER }, 5, deleteWith(0)),
  'slow-image': life({ says: { ...QUICK, 'pulls-for-seconds': '5' } }, 3, deleteWith(4)),
  'absent-image': life({ says: { 'pulls-for-seconds': 'never' } }, 5, deleteWith(0)),
  'slow-init': life({ says: { ...QUICK, 'init-runs-for-seconds': '4' }, spec: INIT }, 9, deleteWith(4)),
  'failed-init': life({ says: { 'init-exit-code': '1' }, spec: { ...INIT, ...NEVER } }, 6, deleteWith(0)),
  'two-containers': life({ says: { ...QUICK, 'pulls-for-seconds': '4' }, containers: 2 }, 4, deleteWith(4)),
  'failed-post-start': life({ container: hook('postStart', { exec: { command: ['false'] } }) }, 9, deleteWith(3)),
  'slow-post-start': life({ container: hook('postStart', { sleep: { seconds: 4 } }) }, 5, deleteWith(4)),
  'storage-evicted': life({}, 5, (world, name) => {
    world.cluster.evictByKubelet(NAMESPACE, name, 'emptyDir');
    world.pass(10);
    world.delete(name, 0);
  }),
  'api-evicted': life({}, 3, (world, name) => world.api.evict(NAMESPACE, name)),
  deadline: life(
    { says: { ...QUICK, 'runs-for-seconds': '1000' }, spec: { ...NEVER, activeDeadlineSeconds: 5 } },
    10,
    deleteWith(0),
  ),
  'deleted-early': (world) => {
    for (const grace of [0, 2]) {
      world.create(`early-${grace}`, {});
      world.until(() => world.read(`early-${grace}`)?.status.startTime !== undefined, 10);
      world.delete(`early-${grace}`, grace);
    }
  },
  'deleted-while-pulling': (world) => {
    for (const grace of [0, 2]) {
      world.create(`pulling-${grace}`, { says: { ...QUICK, 'pulls-for-seconds': '5' } });
      world.pass(3);
      world.delete(`pulling-${grace}`, grace);
    }
  },
  'sandbox-killed': (world) => {
    for (const grace of [0, 3]) {
      const name = `killed-${grace}`;
      life({}, 4, () => {})(world.named(name));
      world.cluster.recreateSandbox(NAMESPACE, name);
      world.pass(6);
      world.delete(name, grace);
    }
  },
  'same-name': (world) => {
    for (const grace of [2, 0, 2]) {
      life({}, 3, deleteWith(grace))(world);
      world.until(() => world.read('pod') === undefined);
    }
  },
  job: (world) => world.job(0),
  'failed-job': (world) => world.job(1),
  rollout: (world) => {
    const labels = { app: 'web' };
    const template = { metadata: { labels, annotations: says(QUICK) }, spec: specOf({}) };
    world.api.create('deployments.apps', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: NAMESPACE },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    });
    world.pass(8);
    world.cluster.rollout(NAMESPACE, 'web');
    world.pass(14);
    world.api.delete('deployments.apps', NAMESPACE, 'web');
  },
  'node-rebooted': (world) => {
    world.create('survives', {});
    world.create('deleted', {});
    world.pass(6);
    world.cluster.restartNode('node-01', 6_000);
    world.pass(2);
    world.delete('deleted', 4);
    world.pass(25);
    world.delete('survives', 4);
  },
  /** Its kubelet is away for longer than the control plane waits. */
  'node-lost': (world) => {
    const tolerations = [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', tolerationSeconds: 15 }];
    life({ spec: { tolerations } }, 3, () => {})(world);
    world.cluster.loseNode('node-01');
    world.pass(5);
    world.delete('pod', 4);
    world.pass(85);
    world.cluster.returnNode('node-01', false);
  },
};

/** All pods of one mechanism. */
export function simulate(mechanism: string, kubeletVersion: string, seed: number): SimulatedSequence[] {
  const world = new SimulatedWorld(kubeletVersion, seed);
  (SIMULATED[mechanism] as Life)(world);
  world.pass(40);
  return world.sequences();
}

class SimulatedWorld {
  readonly api: ApiServer;
  readonly clock = new VirtualClock(NOON);
  readonly cluster: SimulatedCluster;
  readonly #events = new Map<string, PodEvent[]>();
  #name: string | undefined;

  constructor(kubeletVersion: string, seed: number) {
    this.api = new ApiServer({ clock: this.clock, seed });
    this.cluster = new SimulatedCluster({
      api: this.api,
      clock: this.clock,
      seed,
      nodes: 1,
      kubeletVersion,
      podRanges: [{ cidr: '10.99.0.0/16', nodePrefix: 24 }],
      timings: { slowPullChance: 0 },
    });
    this.api.watch('pods', (type, object) => {
      const uid = object.metadata.uid ?? '';
      const events = this.#events.get(uid) ?? [];
      events.push({ at: this.clock.now(), type, object });
      this.#events.set(uid, events);
    });
  }

  /** The same world, in which `pod` has another name. */
  named(name: string): SimulatedWorld {
    this.#name = name;
    return this;
  }

  create(name: string, request: PodRequest): void {
    this.api.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: this.#called(name), namespace: NAMESPACE, annotations: says({ ...QUICK, ...request.says }) },
      spec: specOf(request),
    });
  }

  delete(name: string, gracePeriodSeconds: number): void {
    this.api.delete('pods', NAMESPACE, this.#called(name), { gracePeriodSeconds });
  }

  read(name: string): PodObject | undefined {
    return this.api.get('pods', NAMESPACE, this.#called(name)) as PodObject | undefined;
  }

  shows(name: string): boolean {
    return this.read(name)?.status.podIP !== undefined;
  }

  job(exitCode: number): void {
    const annotations = says({ 'runs-for-seconds': '3', 'exit-code': String(exitCode) });
    this.api.create('jobs.batch', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'job', namespace: NAMESPACE },
      spec: {
        backoffLimit: 0,
        ttlSecondsAfterFinished: 12,
        template: { metadata: { annotations }, spec: specOf({ spec: NEVER }) },
      },
    });
  }

  pass(seconds: number): void {
    this.clock.advanceBy(seconds * 1000);
  }

  until(holds: () => boolean, stepMs = 100): void {
    for (let waited = 0; !holds(); waited += stepMs) {
      if (waited > 60_000) throw new Error('nothing came of it within a minute');
      this.clock.advanceBy(stepMs);
    }
  }

  sequences(): SimulatedSequence[] {
    return [...this.#events].map(([uid, events]) => {
      const addresses = this.cluster.truth.tenures.flatMap(({ uid: holder, ip, from, to }): AddressEvent[] => {
        if (holder !== uid) return [];
        const reserved = { at: from, what: 'reserved', ip } as const;
        return to === undefined ? [reserved] : [reserved, { at: to, what: 'released', ip }];
      });
      const pod = events[0]?.object as PodObject;
      return { ...wordSequence(events, addresses, 0), pod: pod.metadata.name };
    });
  }

  #called(name: string): string {
    return name === 'pod' ? (this.#name ?? name) : name;
  }
}

function specOf({ spec = {}, container = {}, containers = 1 }: PodRequest): object {
  const made = Array.from({ length: containers }, (_, n) => ({
    name: `main-${n}`,
    image: 'example.test/main:1',
    ...container,
  }));
  return { terminationGracePeriodSeconds: 4, containers: made, ...spec };
}
