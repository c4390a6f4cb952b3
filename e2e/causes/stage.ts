// A real control plane with kwok nodes, a recorder that watches it, and the store that it writes: what every provocation
// is made on, and where its verdict is read.
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type Case,
  type Engine,
  epochMillis,
  explain,
  openStore,
  readCase,
  type Verdict,
  withSnapshot,
} from '@podtrail/history';
import { type ControlPlane, startControlPlane, until } from '../controlplane/index.ts';
import { createSimulatedNodes } from '../controlplane/simulated-nodes.ts';
import { RawWatch } from '../proof/nodes/raw-watch.ts';
import { createProofNode } from '../proof/proof-node.ts';
import { RecorderProcess } from '../proof/recorder-process.ts';
import { PodWatch } from './pod-watch.ts';
import { QUICK_CONTROLLERS, QUICK_KUBELET, REAL_POOL, RealGround } from './real/real-ground.ts';
import { KWOK_POOL, Scene, SHARED } from './scene.ts';

const SHARED_NODES = KWOK_POOL.nodes;

/** Everything that a cause may rest on: until all are followed, silence proves nothing. */
const STREAMS = ['events', 'replicasets', 'deployments', 'statefulsets', 'daemonsets', 'jobs', 'namespaces'];
const FAR = epochMillis(Date.UTC(9999, 0, 1));

export interface CauseStageOptions {
  /** Instead of nodes by kwok: at least two, of which the first is shared by all scenes. */
  readonly realNodes?: number | undefined;
  /** Where everything is kept that the API shows of pods, nodes and events. */
  readonly watched?: string | undefined;
  readonly log?: (line: string) => void;
}

export interface Judged {
  readonly known: Case;
  readonly verdict: Verdict;
}

/** The one that docs/audit.md recommends. */
const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - level: RequestResponse
    verbs: [create, delete, deletecollection]
    resources: [{ group: "", resources: [pods, pods/eviction, pods/binding] }]
  - level: Request
    verbs: [update, patch, delete]
    resources:
      - { group: "", resources: [nodes] }
      - { group: apps, resources: [deployments, deployments/scale, statefulsets, statefulsets/scale, daemonsets, replicasets] }
  - level: Metadata
    resources: [{ group: "", resources: [pods, pods/*, nodes, namespaces] }, { group: apps }, { group: batch }]
`;

export interface Asked {
  readonly uid: string;
  /** For a pod that goes on: when something happened to it. */
  readonly at?: number | undefined;
}

interface Store {
  readonly engine: Engine;
  readonly cluster: string;
}

const PODTRAIL = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
const run = promisify(execFile);

export class CauseStage implements AsyncDisposable {
  readonly #plane: ControlPlane;
  readonly #pods: PodWatch;
  readonly #recorder: RecorderProcess;
  readonly #store: Store;
  readonly #played: AsyncDisposable[] = [];
  readonly #ground: RealGround | undefined;
  readonly #raw: RawWatch | undefined;
  #nodes = SHARED_NODES;
  #scenes = 0;

  private constructor(
    plane: ControlPlane,
    pods: PodWatch,
    recorder: RecorderProcess,
    store: Store,
    more: { ground: RealGround | undefined; raw: RawWatch | undefined },
  ) {
    this.#plane = plane;
    this.#pods = pods;
    this.#recorder = recorder;
    this.#store = store;
    this.#ground = more.ground;
    this.#raw = more.raw;
  }

  static async start({ realNodes, watched, log = () => {} }: CauseStageOptions = {}): Promise<CauseStage> {
    await using starting = new AsyncDisposableStack();
    const plane = await startPlane(realNodes);
    starting.use(plane);
    if (realNodes === undefined) for (let node = 0; node < SHARED_NODES; node++) await label(plane, `node-${node}`);
    const url = `sqlite:${join(plane.directory, 'ledger.db')}`;
    const recorder = new RecorderProcess(plane.adminKubeconfig, url);
    starting.defer(() => recorder.kill());
    recorder.start();
    const cluster = (await plane.request('/api/v1/namespaces/kube-system')).json().metadata.uid as string;
    const saying = (error: unknown): never => {
      throw new Error(`the recorder did not start; it said:\n${recorder.said}`, { cause: error });
    };
    const patient = { withinMs: 180_000, everyMs: 250 };
    const engine = await until(
      'the recorder has made its store',
      () => openStore(url, { access: 'read' }),
      patient,
    ).catch(saying);
    starting.defer(() => engine.close());
    await until('the recorder watches', () => isWatching(engine, cluster), patient).catch(saying);
    const pods = await PodWatch.start(plane);
    starting.use(pods);
    const raw = watched === undefined ? undefined : new RawWatch(plane, watched);
    await raw?.start();
    starting.defer(() => raw?.stop());
    const ground = realNodes === undefined ? undefined : await RealGround.prepare(plane, pods, log);
    starting.move();
    return new CauseStage(plane, pods, recorder, { engine, cluster }, { ground, raw });
  }

  async scene(): Promise<Scene> {
    const name = `scene-${this.#scenes++}`;
    await this.#plane.request('/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
    return new Scene({
      ...{ plane: this.#plane, pods: this.#pods, namespace: name, name },
      ...(this.#ground === undefined ? {} : { ground: this.#ground, pool: REAL_POOL }),
      makeNode: async () => {
        const [node] = await createSimulatedNodes(this.#plane.apiserver, {
          ...{ count: 1, first: this.#nodes++, untainted: true },
        });
        return node as string;
      },
      makePlayedNode: async (node) => {
        const taints = [{ key: 'podtrail.dev/played', effect: 'NoSchedule' }];
        const request = this.#plane.request.bind(this.#plane);
        const played = await createProofNode(request, { name: node, taints });
        this.#played.push(played);
        return played;
      },
    });
  }

  /** Its nodes are real ones, which a scene gives back only when its pods are explained. */
  get isReal(): boolean {
    return this.#ground !== undefined;
  }

  /** Undefined while the recorder has not stored that the pod has begun to end. */
  async judge(uid: string, at?: number): Promise<Judged | undefined> {
    const [judged] = await judgeAll(this.#store, [{ uid, at }]);
    return judged;
  }

  /** All of them in one look at the store. */
  judgeAll(asked: readonly Asked[]): Promise<(Judged | undefined)[]> {
    return judgeAll(this.#store, asked);
  }

  /**
   * The same with the API server's audit log: it is imported into a copy of the store by `podtrail import`. Ends the
   * recorder.
   */
  async judgeAudited(asked: readonly Asked[]): Promise<(Judged | undefined)[]> {
    await this.#recorder.stop();
    const copy = join(this.#plane.directory, 'audited');
    await mkdir(copy);
    for (const name of await readdir(this.#plane.directory)) {
      if (!name.startsWith('ledger.db') || name.endsWith('.lock')) continue;
      await cp(join(this.#plane.directory, name), join(copy, name), { recursive: true });
    }
    const url = `sqlite:${join(copy, 'ledger.db')}`;
    await run(process.execPath, [
      PODTRAIL,
      'import',
      '--audit-log',
      this.#plane.apiserver.auditLogFile,
      '--store',
      url,
    ]);
    const engine = await openStore(url, { access: 'read' });
    try {
      return await judgeAll({ engine, cluster: this.#store.cluster }, asked);
    } finally {
      await engine.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#played.map((node) => node[Symbol.asyncDispose]()));
    const mended = this.#ground?.[Symbol.asyncDispose]();
    this.#pods[Symbol.dispose]();
    await mended;
    await this.#raw?.stop();
    await this.#store.engine.close();
    await this.#recorder.kill();
    await this.#plane.stop();
  }
}

async function startPlane(realNodes: number | undefined): Promise<ControlPlane> {
  // Autoscalers look every 15 s unless asked for more.
  const flags = ['--horizontal-pod-autoscaler-sync-period=2s'];
  if (realNodes !== undefined) {
    const nodes = Array.from({ length: realNodes }, (_, index) => ({ name: `real-${index + 1}` }));
    return await startControlPlane({
      controllerManager: { flags: [...flags, ...QUICK_CONTROLLERS] },
      scheduler: true,
      realNodes: { nodes, kubeletConfig: QUICK_KUBELET },
      audit: AUDIT_POLICY,
    });
  }
  return await startControlPlane({
    controllerManager: { flags },
    scheduler: true,
    audit: AUDIT_POLICY,
    kwok: {
      nodes: SHARED_NODES,
      // Kwok does what kubelets do: whoever reads the audit log must take it for one.
      user: 'system:node:kwok',
      flags: ['--manage-all-nodes=false', '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake'],
    },
  });
}

/** A snapshot may be read for a minute: so many at a time. */
const JUDGED_AT_ONCE = 25;

async function judgeAll({ engine, cluster }: Store, asked: readonly Asked[]): Promise<(Judged | undefined)[]> {
  const found: (Judged | undefined)[] = [];
  for (let from = 0; from < asked.length; from += JUDGED_AT_ONCE) {
    const some = asked.slice(from, from + JUDGED_AT_ONCE);
    await withSnapshot(engine, cluster, async (snapshot) => {
      for (const { uid, at } of some) {
        const known = await readCase(snapshot, uid, at === undefined ? undefined : epochMillis(at));
        found.push(known === undefined ? undefined : { known, verdict: explain(known) });
      }
    });
  }
  return found;
}

async function label(plane: ControlPlane, node: string): Promise<void> {
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  await plane.request(`/api/v1/nodes/${node}`, { method: 'PATCH', headers, body: { metadata: { labels: SHARED } } });
}

async function isWatching(engine: Engine, cluster: string): Promise<boolean> {
  return await withSnapshot(engine, cluster, async (snapshot) => {
    if ((await snapshot.coverage()).length === 0) return false;
    for (const name of STREAMS) {
      const { items } = await snapshot.occurrences({
        ...{ kind: 'evidence', subject: { by: 'name', namespace: '', name }, page: { limit: 10 } },
        span: { from: epochMillis(0), to: FAR },
      });
      if (!items.some(({ what }) => what === 'stream-followed')) return false;
    }
    return true;
  });
}
