// Lives of pods on a real API server, written as a kubelet of 1.36 writes them (e2e/recordings/truth-driver.test.ts
// compares), on a node that no kubelet and no kwok manages (proof-node.ts). Imports nothing of the ledger: what it does is
// the truth that the ledger is asked about.
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
  /** Share of replaced sandboxes of which a word is left out, as a kubelet does that cannot write for a moment. */
  readonly coalesced?: number;
  readonly clock?: DriverClock;
}

export interface DriverClock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export const STORIES = [
  'completes and lingers',
  'fails and lingers',
  'is evicted',
  'is deleted gracefully',
  'is deleted by force',
  'gets a new sandbox and address',
  'comes back under its name',
  'shares the host network',
] as const;

export type Story = (typeof STORIES)[number];

const NETWORK = 'PodReadyToStartContainers';
const UP = { [NETWORK]: 'True', ContainersReady: 'True', Ready: 'True' };
const UNREADY = { ContainersReady: 'False', Ready: 'False' };
const DOWN = { [NETWORK]: 'False', ...UNREADY };
const COALESCED = 0.2;

const machineClock: DriverClock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const seconds = (time: number): string => new Date(Math.floor(time / 1000) * 1000).toISOString().replace('.000Z', 'Z');

export class PodDriver {
  readonly #options: DriverOptions;
  readonly #clock: DriverClock;
  #lives = 0;

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#clock = options.clock ?? machineClock;
  }

  get lives(): number {
    return this.#lives;
  }

  /** One pod from creation to deletion; resolves with false when no address was free. */
  async live(story: Story = this.#options.chance.pick(STORIES)): Promise<boolean> {
    const hostNetwork = story === 'shares the host network';
    const addresses = hostNetwork ? undefined : this.#options.pool.take();
    if (addresses === undefined && !hostNetwork) return false;
    const number = ++this.#lives;
    await this.#play(story, `${story === 'comes back under its name' ? 'db' : 'pod'}-${number}`, addresses);
    return true;
  }

  async #play(story: Story, name: string, addresses: Addresses | undefined): Promise<void> {
    const { chance, pool } = this.#options;
    const pod = await this.#create(name, story, addresses);
    await this.#run(pod);
    await this.#liveOn();
    switch (story) {
      case 'completes and lingers':
      case 'fails and lingers':
        await this.#finish(pod, story === 'completes and lingers' ? 0 : 1);
        await this.#sleep(500, 10_000);
        await this.#delete(pod, 0);
        return;
      case 'is evicted':
        await this.#evict(pod);
        await this.#sleep(500, 10_000);
        await this.#delete(pod, 0);
        return;
      case 'is deleted gracefully':
        await this.#deleteWithGrace(pod);
        return;
      case 'gets a new sandbox and address': {
        const next = pool.take();
        if (next !== undefined) {
          await this.#recreateSandbox(pod, next, chance.next() < (this.#options.coalesced ?? COALESCED));
          await this.#liveOn();
        }
        await this.#deleteWithGrace(pod);
        return;
      }
      case 'comes back under its name': {
        await this.#deleteWithGrace(pod);
        const next = pool.take();
        if (next === undefined) return;
        const again = await this.#create(name, story, next);
        await this.#run(again);
        await this.#liveOn();
        await this.#deleteWithGrace(again);
        return;
      }
      default:
        await this.#deleteByForce(pod);
    }
  }

  #sleep(least: number, most: number): Promise<void> {
    return this.#clock.sleep(this.#options.chance.between(least, most));
  }

  #liveOn(): Promise<void> {
    const { least, most } = this.#options.lifeSeconds;
    return this.#sleep(least * 1000, most * 1000);
  }

  /** Bound by nobody's scheduler but the driver. */
  async #create(name: string, story: Story, addresses: Addresses | undefined): Promise<LivingPod> {
    const { namespace, node } = this.#options;
    const hostNetwork = addresses === undefined;
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: {
        schedulerName: 'truth-driver',
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
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target };
    await this.#call(`${collection}/${name}/binding`, { method: 'POST', body: binding }, [201, 409]);
    return { name, story, uid: made.metadata.uid, conditions: {}, addresses, held: [], restarts: 0 };
  }

  /**
   * The kubelet begins with the pod; its sandbox has its network; that is written, without an address; the containers
   * run, and the address is written.
   */
  async #run(pod: LivingPod): Promise<void> {
    await this.#sleep(30, 700);
    const startTime = seconds(this.#clock.now());
    const begun = { hostIP: this.#options.nodeIp, startTime };
    const creating = [container({ waiting: { reason: 'ContainerCreating' } })];
    await this.#write(
      pod,
      { Initialized: 'True', ...DOWN },
      { phase: 'Pending', ...begun, containerStatuses: creating },
    );
    await this.#sleep(50, 400);
    this.#reserve(pod);
    // Measured on real nodes: the network condition 0.1 s to 0.4 s after the reservation.
    await this.#sleep(100, 400);
    await this.#write(pod, { [NETWORK]: 'True' }, { containerStatuses: creating });
    await this.#sleep(100, 400);
    await this.#writeRunning(pod);
  }

  #writeRunning(pod: LivingPod): Promise<TruthBoundary> {
    const ips = ipsOf(pod) ?? [this.#options.nodeIp];
    const running = container({ running: { startedAt: seconds(this.#clock.now()) } }, pod.restarts);
    const shown = { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) };
    return this.#write(pod, UP, { phase: 'Running', ...shown, containerStatuses: [running] });
  }

  #reserve(pod: LivingPod): void {
    const at = this.#clock.now();
    const start = { earliest: at, latest: at };
    const { uid, name, story } = pod;
    pod.held = (ipsOf(pod) ?? []).map((ip) => this.#options.truth.open({ ip, uid, pod: name, story, start }));
  }

  /** From now on the address can be anybody's, whatever the object goes on to show. */
  #release(pod: LivingPod, forcedAt?: number): void {
    const at = this.#clock.now();
    for (const tenure of pod.held) {
      tenure.end = { earliest: at, latest: at };
      if (forcedAt !== undefined) tenure.forcedAt = forcedAt;
    }
    pod.held = [];
    if (pod.addresses !== undefined) this.#options.pool.giveBack(pod.addresses);
  }

  /**
   * The sandbox is lost: the kubelet writes that, with everything else as it was, and only then calls the network plugins.
   * Once there is a new sandbox it writes that that is ready, *with the old address*; the new one when containers run.
   */
  async #recreateSandbox(pod: LivingPod, next: Addresses, isCoalesced: boolean): Promise<void> {
    const isFirstLeftOut = isCoalesced && this.#options.chance.next() < 0.5;
    pod.conditions[NETWORK] = condition(NETWORK, 'False', this.#clock.now());
    if (!isFirstLeftOut) await this.#write(pod, {}, {});
    // Measured on real nodes: released 0.05 s after that, the next sandbox ready 0.17 s after it.
    await this.#sleep(20, 200);
    this.#release(pod);
    await this.#sleep(10, 100);
    pod.addresses = next;
    this.#reserve(pod);
    pod.restarts++;
    await this.#sleep(80, 300);
    pod.conditions[NETWORK] = condition(NETWORK, 'True', this.#clock.now());
    if (!isCoalesced || isFirstLeftOut) await this.#write(pod, {}, {});
    await this.#sleep(100, 1_500);
    await this.#writeRunning(pod);
  }

  /** Its container ends; that is written; the network goes; then it is written that the pod is over. */
  async #finish(pod: LivingPod, exitCode: number): Promise<void> {
    const ended = terminated(pod, exitCode, this.#clock.now());
    await this.#sleep(20, 900);
    await this.#write(pod, UNREADY, { containerStatuses: [ended] });
    await this.#sleep(300, 1_100);
    await this.#writeEnd(pod, { containerStatuses: [ended], phase: exitCode === 0 ? 'Succeeded' : 'Failed' });
  }

  /** By the time it is written the runtime has lost the container. */
  async #evict(pod: LivingPod): Promise<void> {
    await this.#sleep(100, 2_000);
    pod.restarts++;
    const status = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' };
    const creating = container({ waiting: { reason: 'ContainerCreating' } }, pod.restarts);
    await this.#writeEnd(pod, { ...status, containerStatuses: [creating] });
    await this.#sleep(20, 300);
    const lost = { exitCode: 137, reason: 'ContainerStatusUnknown', startedAt: null, finishedAt: null };
    await this.#write(pod, {}, { ...status, containerStatuses: [container({ terminated: lost }, pod.restarts)] });
  }

  async #writeEnd(pod: LivingPod, status: object): Promise<void> {
    this.#release(pod);
    await this.#sleep(10, 60);
    await this.#write(pod, DOWN, status);
  }

  /** Containers and sandbox go, then the kubelet says so, then it deletes the object. */
  async #deleteWithGrace(pod: LivingPod): Promise<void> {
    await this.#delete(pod, 30);
    await this.#sleep(100, 2_500);
    const ended = terminated(pod, 0, this.#clock.now());
    await this.#writeEnd(pod, { containerStatuses: [ended], phase: 'Succeeded' });
    await this.#sleep(10, 500);
    await this.#delete(pod, 0);
  }

  /**
   * The object goes at once; only then does the kubelet begin to kill. The address is the pod's until the driver releases
   * it: on real nodes after 0.3 s where the program obeys TERM, after 2.1 s where it does not, after 3.7 s at most.
   */
  async #deleteByForce(pod: LivingPod): Promise<void> {
    const { chance } = this.#options;
    const takes = chance.next() < 0.6 ? chance.between(300, 600) : chance.between(1_900, 3_700);
    const { earliest } = await this.#delete(pod, 0);
    // While the API server is away, a delete may count long before its answer comes.
    await this.#clock.sleep(Math.max(300, earliest + takes - this.#clock.now()));
    this.#release(pod, earliest);
  }

  async #delete(pod: LivingPod, gracePeriodSeconds: number): Promise<TruthBoundary> {
    const path = `/api/v1/namespaces/${this.#options.namespace}/pods/${pod.name}`;
    const body = { gracePeriodSeconds, preconditions: { uid: pod.uid } };
    const { when } = await this.#call(path, { method: 'DELETE', body }, [200, 202, 404, 409]);
    return when;
  }

  /** Times are those of the first try, as a kubelet goes on trying to write what it found. */
  async #write(pod: LivingPod, changed: Readonly<Record<string, string>>, status: object): Promise<TruthBoundary> {
    const path = `/api/v1/namespaces/${this.#options.namespace}/pods/${pod.name}/status`;
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const now = this.#clock.now();
    for (const [type, value] of Object.entries({ PodScheduled: 'True', ...changed })) {
      if (pod.conditions[type]?.status !== value) pod.conditions[type] = condition(type, value, now);
    }
    const body = { status: { ...status, conditions: Object.values(pod.conditions) } };
    const { when } = await this.#call(path, { method: 'PATCH', headers, body }, [200]);
    return when;
  }

  /** Tries until the server takes it: while the API server is away, a kubelet waits as well. */
  async #call(
    path: string,
    request: HttpRequest,
    expected: readonly number[],
  ): Promise<{ answer: HttpAnswer; when: TruthBoundary }> {
    const first = this.#clock.now();
    for (;;) {
      try {
        const answer = await this.#options.request(path, request);
        // A try that seemed to fail may have counted: the boundary reaches back to the first.
        if (expected.includes(answer.status)) return { answer, when: { earliest: first, latest: this.#clock.now() } };
        if (answer.status < 500 && answer.status !== 429) throw new UnexpectedAnswer(path, answer);
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw error;
      }
      await this.#clock.sleep(200);
    }
  }
}

class UnexpectedAnswer extends Error {
  constructor(path: string, answer: HttpAnswer) {
    super(`${path}: the API server answered ${answer.status}: ${answer.body.slice(0, 300)}`);
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
}

interface LivingPod {
  readonly name: string;
  readonly story: Story;
  readonly uid: string;
  readonly conditions: Record<string, Condition>;
  /** None on the host's network. */
  addresses: Addresses | undefined;
  held: TruthTenure[];
  restarts: number;
}

function ipsOf({ addresses }: LivingPod): string[] | undefined {
  return addresses && [addresses.v4, addresses.v6];
}

function condition(type: string, status: string, now: number): Condition {
  return { type, status, lastTransitionTime: seconds(now) };
}

function terminated({ restarts }: LivingPod, exitCode: number, now: number): object {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return container({ terminated: { exitCode, reason, finishedAt: seconds(now) } }, restarts);
}

function container(state: object, restartCount = 0): object {
  const runs = 'running' in state;
  return { name: 'main', image: 'none', imageID: '', ready: runs, started: runs, restartCount, state };
}
