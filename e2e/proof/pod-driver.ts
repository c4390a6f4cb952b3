// Lives of pods on a real API server, written as a kubelet of 1.36 would write them, on a node that no kubelet and no kwok
// manages (proof-node.ts). Imports nothing of the ledger: what it does is the truth that the ledger is asked about.
import type { HttpAnswer, HttpRequest } from '../controlplane/index.ts';
import type { Addresses, AddressPool } from './address-pool.ts';
import type { Chance } from './random.ts';
import type { TruthBook, TruthBoundary, TruthTenure } from './truth.ts';

export interface DriverOptions {
  /** A request to the API server as an administrator; may fail while that is being killed. */
  readonly request: (path: string, request: HttpRequest) => Promise<HttpAnswer>;
  readonly namespace: string;
  readonly node: string;
  readonly nodeIp: string;
  readonly pool: AddressPool;
  readonly truth: TruthBook;
  readonly chance: Chance;
  /** Seconds that a pod runs. */
  readonly lifeSeconds: { readonly least: number; readonly most: number };
}

const STORIES = [
  'completes and lingers',
  'fails and lingers',
  'is evicted',
  'is deleted gracefully',
  'is deleted by force',
  'gets a new sandbox and address',
  'comes back under its name',
  'shares the host network',
] as const;

const UP = { PodReadyToStartContainers: 'True', ContainersReady: 'True', Ready: 'True' };
const DOWN = { PodReadyToStartContainers: 'False', ContainersReady: 'False', Ready: 'False' };

type Story = (typeof STORIES)[number];

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const seconds = (time: number): string => new Date(Math.floor(time / 1000) * 1000).toISOString().replace('.000Z', 'Z');

export class PodDriver {
  readonly #options: DriverOptions;
  #lives = 0;

  constructor(options: DriverOptions) {
    this.#options = options;
  }

  get lives(): number {
    return this.#lives;
  }

  /** One pod from creation to deletion; resolves with false when no address was free. */
  async live(): Promise<boolean> {
    const { chance, pool } = this.#options;
    const story = chance.pick(STORIES);
    const addresses = story === 'shares the host network' ? undefined : pool.take();
    if (addresses === undefined && story !== 'shares the host network') return false;
    const number = ++this.#lives;
    await this.#play(story, `${story === 'comes back under its name' ? 'db' : 'pod'}-${number}`, addresses);
    return true;
  }

  async #play(story: Story, name: string, addresses: Addresses | undefined): Promise<void> {
    const { chance, lifeSeconds } = this.#options;
    const hostNetwork = addresses === undefined;
    const pod = await this.#create(name, hostNetwork);
    let held = await this.#run(pod, story, addresses);
    await sleep(chance.between(lifeSeconds.least, lifeSeconds.most) * 1000);
    switch (story) {
      case 'completes and lingers':
      case 'fails and lingers':
      case 'is evicted':
        await this.#end(pod, story, held);
        this.#giveBack(addresses);
        await sleep(chance.between(500, 10_000));
        await this.#delete(pod, 0);
        return;
      case 'is deleted gracefully':
        await this.#deleteWithGrace(pod, story, held);
        break;
      case 'gets a new sandbox and address': {
        const next = this.#options.pool.take();
        if (next !== undefined) {
          held = await this.#recreateSandbox(pod, story, held, next);
          this.#giveBack(addresses);
          await sleep(chance.between(lifeSeconds.least, lifeSeconds.most) * 1000);
        }
        await this.#deleteWithGrace(pod, story, held);
        this.#giveBack(next ?? addresses);
        return;
      }
      case 'comes back under its name': {
        await this.#deleteWithGrace(pod, story, held);
        this.#giveBack(addresses);
        const next = this.#options.pool.take();
        if (next === undefined) return;
        const again = await this.#create(name, false);
        const heldAgain = await this.#run(again, story, next);
        await sleep(chance.between(lifeSeconds.least, lifeSeconds.most) * 1000);
        await this.#deleteWithGrace(again, story, heldAgain);
        this.#giveBack(next);
        return;
      }
      default:
        await this.#deleteByForce(pod, held);
    }
    this.#giveBack(addresses);
  }

  #giveBack(addresses: Addresses | undefined): void {
    if (addresses !== undefined) this.#options.pool.giveBack(addresses);
  }

  async #create(name: string, hostNetwork: boolean): Promise<LivingPod> {
    const { namespace, node } = this.#options;
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: {
        nodeName: node,
        hostNetwork,
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'none' }],
      },
    };
    const collection = `/api/v1/namespaces/${namespace}/pods`;
    let { answer } = await this.#call(collection, { method: 'POST', body }, [201, 409]);
    // A first try whose answer was lost had counted.
    if (answer.status === 409) ({ answer } = await this.#call(`${collection}/${name}`, { method: 'GET' }, [200]));
    const made = answer.json() as { metadata: { uid: string } };
    return { name, uid: made.metadata.uid, conditions: {}, hostNetwork };
  }

  /** The kubelet begins with the pod; then the sandbox is up and the containers run, and the address is the pod's. */
  async #run(pod: LivingPod, story: string, addresses: Addresses | undefined): Promise<TruthTenure[]> {
    const { chance } = this.#options;
    await sleep(chance.between(30, 700));
    await this.#patchStatus(pod, (now) => ({
      phase: 'Pending',
      hostIP: this.#options.nodeIp,
      startTime: seconds(now),
      conditions: this.#conditions(pod, now, {
        Initialized: 'True',
        PodReadyToStartContainers: 'False',
        ContainersReady: 'False',
        Ready: 'False',
      }),
      containerStatuses: [container({ waiting: { reason: 'ContainerCreating' } })],
    }));
    // Measured on real nodes: the network condition 0.1 s to 0.4 s after the reservation.
    await sleep(chance.between(50, 400));
    const ips = addresses === undefined ? [this.#options.nodeIp] : [addresses.v4, addresses.v6];
    const when = await this.#patchStatus(pod, (now) => ({
      phase: 'Running',
      podIP: ips[0],
      podIPs: ips.map((ip) => ({ ip })),
      conditions: this.#conditions(pod, now, UP),
      containerStatuses: [container({ running: { startedAt: seconds(now) } })],
    }));
    if (addresses === undefined) return [];
    return ips.map((ip) => this.#options.truth.open({ ip, uid: pod.uid, pod: pod.name, story, start: when }));
  }

  /**
   * As a kubelet of 1.36 does (its sources, SyncPod and OnPodSandboxReady): it writes what it found, the sandbox lost and
   * the old address still shown; then, once there is a new sandbox, that it is ready, *with the old address*; the new
   * one only after the next look. A slow API server makes it skip the first of these, older ones skip the second.
   */
  async #recreateSandbox(pod: LivingPod, story: string, held: TruthTenure[], next: Addresses): Promise<TruthTenure[]> {
    const { chance } = this.#options;
    const way = chance.next();
    const lostAt = Date.now();
    const ended = { terminated: { exitCode: 255, reason: 'Unknown', finishedAt: seconds(lostAt) } };
    let lost: TruthBoundary = { earliest: lostAt, latest: lostAt };
    if (way >= 0.1) {
      const written = await this.#patchStatus(pod, (now) => ({
        conditions: this.#conditions(pod, now, DOWN),
        containerStatuses: [container(ended)],
      }));
      lost = { earliest: lostAt, latest: written.latest };
    }
    for (const tenure of held) tenure.end = lost;
    // Measured on real nodes: 0.17 s until the next sandbox is ready.
    await sleep(chance.between(100, 600));
    const readyAt = Date.now();
    let start: TruthBoundary = { earliest: readyAt, latest: readyAt };
    if (way < 0.6) {
      pod.conditions['PodReadyToStartContainers'] = {
        type: 'PodReadyToStartContainers',
        status: 'True',
        lastTransitionTime: seconds(readyAt),
      };
      await this.#patchStatus(pod, (now) => ({
        conditions: this.#conditions(pod, now, { ContainersReady: 'False', Ready: 'False' }),
        containerStatuses: [container(ended)],
      }));
      await sleep(chance.between(100, 3_000));
    }
    const ips = [next.v4, next.v6];
    const shown = await this.#patchStatus(pod, (now) => ({
      phase: 'Running',
      podIP: ips[0],
      podIPs: ips.map((ip) => ({ ip })),
      conditions: this.#conditions(pod, now, UP),
      containerStatuses: [
        { ...container({ running: { startedAt: seconds(now) } }), restartCount: 1, lastState: ended },
      ],
    }));
    if (way >= 0.6) start = { earliest: readyAt, latest: shown.latest };
    return ips.map((ip) => this.#options.truth.open({ ip, uid: pod.uid, pod: pod.name, story, start }));
  }

  /** Terminal: the address is free, whatever the object goes on to show. */
  async #end(pod: LivingPod, story: Story, held: readonly TruthTenure[]): Promise<void> {
    const succeeded = story === 'completes and lingers';
    const blank = this.#options.chance.next() < 0.2;
    const when = await this.#patchStatus(pod, (now) => ({
      phase: succeeded ? 'Succeeded' : 'Failed',
      ...(story === 'is evicted' ? { reason: 'Evicted', message: 'The node was low on resource: memory.' } : {}),
      // Some kubelets blank the address for a moment on completion.
      ...(blank ? { podIP: null, podIPs: null } : {}),
      conditions: this.#conditions(pod, now, DOWN),
      containerStatuses: [
        container({ terminated: { exitCode: succeeded ? 0 : 1, reason: 'Completed', finishedAt: seconds(now) } }),
      ],
    }));
    for (const tenure of held) tenure.end = when;
  }

  /** Containers and sandbox go, then the kubelet says so, then it deletes the object. */
  async #deleteWithGrace(pod: LivingPod, story: Story, held: readonly TruthTenure[]): Promise<void> {
    const { chance } = this.#options;
    await this.#delete(pod, 30);
    await sleep(chance.between(100, 2_500));
    await this.#end(pod, story, held);
    await sleep(chance.between(10, 500));
    await this.#delete(pod, 0);
  }

  /**
   * The object goes at once; only then does the kubelet begin to kill. The address is the pod's until the driver releases
   * it: on real nodes after 0.3 s where the program obeys TERM, after 2.1 s where it does not, after 3.7 s at most.
   */
  async #deleteByForce(pod: LivingPod, held: readonly TruthTenure[]): Promise<void> {
    const { chance } = this.#options;
    const takes = chance.next() < 0.6 ? chance.between(300, 600) : chance.between(1_900, 3_700);
    const { earliest } = await this.#delete(pod, 0);
    // While the API server is away, a delete may count long before its answer comes.
    await sleep(Math.max(300, earliest + takes - Date.now()));
    const released = Date.now();
    for (const tenure of held) {
      tenure.end = { earliest: released, latest: released };
      tenure.forcedAt = earliest;
    }
  }

  async #delete(pod: LivingPod, gracePeriodSeconds: number): Promise<TruthBoundary> {
    const path = `/api/v1/namespaces/${this.#options.namespace}/pods/${pod.name}`;
    const body = { gracePeriodSeconds, preconditions: { uid: pod.uid } };
    const { when } = await this.#call(path, { method: 'DELETE', body }, [200, 202, 404, 409]);
    return when;
  }

  async #patchStatus(pod: LivingPod, status: (now: number) => object): Promise<TruthBoundary> {
    const path = `/api/v1/namespaces/${this.#options.namespace}/pods/${pod.name}/status`;
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    // The body is made anew for each try: its times are those of the write that counts.
    const { when } = await this.#call(
      path,
      () => ({ method: 'PATCH', headers, body: { status: status(Date.now()) } }),
      [200],
    );
    return when;
  }

  #conditions(pod: LivingPod, now: number, changed: Record<string, string>): object[] {
    for (const [type, status] of Object.entries({ PodScheduled: 'True', ...changed })) {
      if (pod.conditions[type]?.status !== status) {
        pod.conditions[type] = { type, status, lastTransitionTime: seconds(now) };
      }
    }
    return Object.values(pod.conditions);
  }

  /** Tries until the server takes it: while the API server is away, a kubelet waits as well. */
  async #call(
    path: string,
    request: HttpRequest | (() => HttpRequest),
    expected: readonly number[],
  ): Promise<{ answer: HttpAnswer; when: TruthBoundary }> {
    const first = Date.now();
    for (;;) {
      try {
        const answer = await this.#options.request(path, typeof request === 'function' ? request() : request);
        // A try that seemed to fail may have counted: the boundary reaches back to the first.
        if (expected.includes(answer.status)) return { answer, when: { earliest: first, latest: Date.now() } };
        if (answer.status < 500 && answer.status !== 429) throw new UnexpectedAnswer(path, answer);
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw error;
      }
      await sleep(200);
    }
  }
}

class UnexpectedAnswer extends Error {
  constructor(path: string, answer: HttpAnswer) {
    super(`${path}: the API server answered ${answer.status}: ${answer.body.slice(0, 300)}`);
  }
}

interface LivingPod {
  readonly name: string;
  readonly uid: string;
  readonly hostNetwork: boolean;
  readonly conditions: Record<string, { type: string; status: string; lastTransitionTime: string }>;
}

function container(state: object): object {
  const runs = 'running' in state;
  return { name: 'main', image: 'none', imageID: '', ready: runs, started: runs, restartCount: 0, state };
}
