// The real nodes of a run of causes. The first is shared by all: only pods end there. Each of the others belongs to one
// scene at a time, which may do to it what it likes; what it did is made good before the next scene has it.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, until } from '../../controlplane/index.ts';
import type { CniLine } from '../../proof/nodes/run-folder.ts';
import { APP_IMAGE, type RealNode } from '../../realnodes/index.ts';
import type { PodWatch } from '../pod-watch.ts';
import type { Pool } from '../scene.ts';

const POOL_LABEL = { 'podtrail.dev/pool': 'real' };

/** It obeys SIGTERM after a second: every deletion has a grace that is lived through. */
export const APP = { name: 'main', image: APP_IMAGE, imagePullPolicy: 'Never' };
export const REAL_POOL: Pool = {
  ...{ nodes: 1, selector: POOL_LABEL },
  spec: {
    containers: [{ ...APP, args: ['serve', '-term', '1s'] }],
    terminationGracePeriodSeconds: 5,
    automountServiceAccountToken: false,
  },
};

/** Eviction, statistics and Leases run on short clocks, so that a cause takes seconds. */
export const QUICK_KUBELET = {
  ...{ nodeLeaseDurationSeconds: 8, nodeStatusUpdateFrequency: '2s', volumeStatsAggPeriod: '2s' },
  ...{ shutdownGracePeriod: '8s', shutdownGracePeriodCriticalPods: '2s' },
};
/** A node without heartbeats is given up after this, instead of 50 s. */
export const QUICK_CONTROLLERS = ['--node-monitor-grace-period=16s', '--node-monitor-period=1s'];

/** A namespace that is deleted sooner takes Events of its controllers along, and then their silence proves nothing. */
const CALM_MS = 11_000;

export class HitNode implements AsyncDisposable {
  readonly name: string;
  readonly real: RealNode;
  readonly #release: () => void;

  constructor(real: RealNode, release: () => void) {
    this.name = real.name;
    this.real = real;
    this.#release = release;
  }

  /** What was done to it is made good in the background: `take` waits for that. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#release();
  }
}

export class RealGround implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly #pods: PodWatch;
  readonly #free: RealNode[];
  readonly #waiting: ((node: RealNode) => void)[] = [];
  readonly #mending = new Set<Promise<void>>();
  readonly #log: (line: string) => void;
  #isOver = false;

  private constructor(plane: ControlPlane, pods: PodWatch, log: (line: string) => void) {
    this.plane = plane;
    this.#pods = pods;
    this.#log = log;
    this.#free = plane.realNodes.nodes.slice(1);
  }

  static async prepare(plane: ControlPlane, pods: PodWatch, log: (line: string) => void): Promise<RealGround> {
    const ground = new RealGround(plane, pods, log);
    await ground.#patchNode(ground.shared.name, { metadata: { labels: POOL_LABEL } });
    return ground;
  }

  /** Nobody hits it. */
  get shared(): RealNode {
    return this.plane.realNodes.nodes[0] as RealNode;
  }

  /** The newest of a pod, by CNI. */
  sandboxOf(uid: string): string | undefined {
    const { cniLog } = this.plane.realNodes;
    if (!existsSync(cniLog)) return undefined;
    const lines = readFileSync(cniLog, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as CniLine).findLast((one) => one.command === 'ADD' && one.uid === uid)
      ?.sandbox;
  }

  /** A node of one's own, Ready and empty. */
  async take(): Promise<HitNode> {
    const node = this.#free.shift() ?? (await new Promise<RealNode>((resolve) => void this.#waiting.push(resolve)));
    return new HitNode(node, () => this.#track(node.name, () => this.#makeGood(node)));
  }

  /** In the background: removes a scene's namespace, and gives its nodes back. */
  clear(namespace: string, nodes: AsyncDisposable): void {
    this.#track(`namespace ${namespace}`, async () => {
      await sleep(CALM_MS);
      await this.plane.request(`/api/v1/namespaces/${namespace}`, { method: 'DELETE' });
      await nodes[Symbol.asyncDispose]();
    });
  }

  /** Nothing is started any more when this has resolved. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    while (this.#mending.size > 0) await Promise.all(this.#mending);
  }

  #track(what: string, work: () => Promise<void>): void {
    const mending = work()
      .catch((error) => {
        if (!this.#isOver) this.#log(`${what} was not made good: ${error}`);
      })
      .finally(() => this.#mending.delete(mending));
    this.#mending.add(mending);
  }

  async #makeGood(node: RealNode): Promise<void> {
    if (this.#isOver) return;
    // Whatever its kubelet was given or had in mind is gone with it.
    if (node.isOn) {
      await node.stopKubelet();
      await node.startKubelet();
    } else await node.start();
    if (this.#isOver) return;
    await this.#registered(node.name);
    await this.#patchNode(node.name, { spec: { unschedulable: null, taints: null } });
    await this.plane.realNodes.ready(node.name);
    if (this.#isOver) return;
    await this.#pods.until(`no pod is left on ${node.name}`, (all) =>
      all.some(({ spec }) => spec.nodeName === node.name) ? undefined : true,
    );
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(node);
    else next(node);
  }

  async #registered(name: string): Promise<void> {
    await until(
      `${name} is registered`,
      async () => (await this.plane.request(`/api/v1/nodes/${name}`)).status === 200,
      { withinMs: 120_000, everyMs: 250 },
    );
  }

  async #patchNode(name: string, body: object): Promise<void> {
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const answer = await this.plane.request(`/api/v1/nodes/${name}`, { method: 'PATCH', headers, body });
    if (answer.status >= 400) throw new Error(`PATCH of node ${name}: ${answer.status} ${answer.body}`);
  }
}
