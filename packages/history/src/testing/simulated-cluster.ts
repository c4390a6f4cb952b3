// A cluster that lives a short while, with known truth: pods come and go on nodes with few addresses, kubelets report
// late and by clocks of their own, and everything that reaches the API is written down in order. It knows nothing of
// how the ledger thinks: it uses only the shapes of what is observed.
import type { Observed, ObservedMeta, ObservedPod } from '../observe/observation.ts';
import { SeededNumbers } from './seeded-numbers.ts';

export interface ClusterPlan {
  readonly seed: number;
  /** How many pods are created within `seconds`. */
  readonly pods: number;
  readonly seconds: number;
}

/** One write to the API, as a watch would deliver it. */
export interface Write {
  readonly version: number;
  /** By the true clock, which is also the API server's. */
  readonly at: number;
  readonly type: 'present' | 'deleted';
  readonly seen: Observed;
}

/** Who really held an address. `to` is infinite for those that hold it still. */
export interface TrueTenure {
  readonly ip: string;
  readonly uid: string;
  readonly kind: Observed['kind'];
  readonly from: number;
  readonly to: number;
}

export interface SimulatedCluster {
  readonly from: number;
  readonly to: number;
  readonly writes: readonly Write[];
  readonly truth: readonly TrueTenure[];
  /** Addresses of pods and services, also such as nobody ever held. */
  readonly addresses: readonly string[];
  readonly nodeAddresses: readonly string[];
}

const START = Date.UTC(2026, 10, 15, 10);
const SERVICE_ADDRESS = '10.96.0.10';
const NODES = 2;
const ADDRESSES_PER_NODE = 3;
/** How long a kubelet takes to notice, and then to write. */
const NOTICE_MS = 900;
const WRITE_LAG_MS = 1200;

interface Node {
  readonly name: string;
  readonly address: string;
  readonly skew: number;
  readonly free: string[];
  readonly freeSix: string[];
}

interface Pod {
  object: ObservedPod;
  /** What the kubelet knows; written when it gets to it. */
  status: ObservedPod['status'];
  readonly node: Node;
  readonly dualStack: boolean;
  readonly tellsFinish: boolean;
  held: string[];
  since: number;
  gone: boolean;
  /** It is on its way out: nothing else happens to it. */
  ending: boolean;
  noticeAt: number;
  flushAt: number | undefined;
}

export function simulateCluster(plan: ClusterPlan): SimulatedCluster {
  return new Simulation(plan).run();
}

class Simulation {
  readonly #plan: ClusterPlan;
  readonly #chance: SeededNumbers;
  readonly #queue: { readonly at: number; readonly order: number; readonly act: () => void }[] = [];
  readonly #writes: Write[] = [];
  readonly #truth: TrueTenure[] = [];
  readonly #nodes: Node[] = [];
  readonly #live = new Set<Pod>();
  readonly #services: TrueTenure[] = [];
  readonly #addresses: string[] = [SERVICE_ADDRESS];
  #version = 100;
  #now = START;
  #order = 0;
  #uids = 0;

  constructor(plan: ClusterPlan) {
    this.#plan = plan;
    this.#chance = new SeededNumbers(plan.seed);
  }

  run(): SimulatedCluster {
    const chance = this.#chance;
    for (let n = 0; n < NODES; n++) this.#addNode(n);
    this.#addService();
    const end = START + this.#plan.seconds * 1000;
    for (let p = 0; p < this.#plan.pods; p++) {
      this.#at(START + chance.between(0, this.#plan.seconds * 900), () => this.#create(`pod-${chance.between(0, 5)}`));
    }
    for (;;) {
      const next = this.#queue.shift();
      if (next === undefined || next.at > end) break;
      this.#now = next.at;
      next.act();
    }
    return {
      from: START,
      to: end,
      writes: this.#writes,
      truth: this.#truth.concat(this.#open),
      addresses: this.#addresses,
      nodeAddresses: this.#nodes.map((node) => node.address),
    };
  }

  get #open(): TrueTenure[] {
    const held = [...this.#live].flatMap((pod) =>
      pod.held.map((ip) => this.#tenure(pod, ip, Number.POSITIVE_INFINITY)),
    );
    return [...held, ...this.#services];
  }

  #addNode(n: number): void {
    const name = `node-${n}`;
    const address = `192.168.0.${n + 1}`;
    const free = Array.from({ length: ADDRESSES_PER_NODE }, (_, i) => `10.0.${n}.${i + 1}`);
    const freeSix = Array.from({ length: ADDRESSES_PER_NODE }, (_, i) => `fd00::${n}:${i + 1}`);
    this.#addresses.push(...free, ...freeSix);
    this.#nodes.push({ name, address, skew: this.#chance.between(-1000, 1000), free, freeSix });
    const status = { addresses: [{ type: 'InternalIP', address }] };
    this.#write('present', { kind: 'Node', object: { metadata: this.#meta(name, ''), status } });
  }

  #addService(): void {
    const metadata = this.#meta('dns', 'kube-system');
    const seen = { kind: 'Service' as const, object: { metadata, spec: { clusterIPs: [SERVICE_ADDRESS] } } };
    this.#write('present', seen);
    const from = this.#now;
    const tenure = { ip: SERVICE_ADDRESS, uid: metadata.uid, kind: 'Service' as const, from };
    if (!this.#chance.chance(0.3)) {
      this.#services.push({ ...tenure, to: Number.POSITIVE_INFINITY });
      return;
    }
    this.#services.push({ ...tenure, to: Number.POSITIVE_INFINITY });
    this.#at(from + this.#chance.between(5, this.#plan.seconds) * 1000, () => {
      this.#services.pop();
      this.#truth.push({ ...tenure, to: this.#now });
      const resourceVersion = String(++this.#version);
      this.#write('deleted', { ...seen, object: { ...seen.object, metadata: { ...metadata, resourceVersion } } });
    });
  }

  #create(name: string): void {
    const chance = this.#chance;
    // A name comes back only when it is free.
    const taken = [...this.#live].some((pod) => pod.object.metadata.name === name);
    const node = chance.pick(this.#nodes as [Node, ...Node[]]);
    const metadata = {
      ...this.#meta(taken ? `${name}-${this.#uids}` : name, 'shop'),
      creationTimestamp: this.#second(),
    };
    const status = { phase: 'Pending', podIP: '', podIPs: [], startTime: undefined, conditions: [], terminations: [] };
    const hostNetwork = chance.chance(0.1);
    const pod: Pod = {
      object: { metadata, spec: { nodeName: '', hostNetwork }, status },
      status,
      node,
      dualStack: chance.chance(0.3),
      tellsFinish: chance.chance(0.85),
      held: [],
      since: 0,
      gone: false,
      ending: false,
      noticeAt: 0,
      flushAt: undefined,
    };
    this.#live.add(pod);
    this.#store(pod);
    this.#in(50, 800, () => this.#schedule(pod));
  }

  #schedule(pod: Pod): void {
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: this.#second() };
    pod.status = { ...pod.status, conditions: [scheduled] };
    pod.object = { ...pod.object, spec: { ...pod.object.spec, nodeName: pod.node.name }, status: pod.status };
    this.#store(pod);
    this.#in(100, 1500, () => {
      pod.status = { ...pod.status, startTime: this.#kubeletSecond(pod) };
      this.#bringUp(pod, undefined);
    });
  }

  /** The sandbox comes up: from now on the address is this pod's. */
  #bringUp(pod: Pod, same: readonly string[] | undefined): void {
    if (pod.gone) return;
    const ips = pod.object.spec.hostNetwork ? [pod.node.address] : this.#allocate(pod, same);
    if (ips === undefined) {
      this.#in(200, 1500, () => this.#bringUp(pod, undefined));
      return;
    }
    if (!pod.object.spec.hostNetwork) pod.held = [...ips];
    pod.since = this.#now;
    let ready: Condition | undefined;
    const networkIsUp = () => {
      ready ??= { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: this.#kubeletSecond(pod) };
      return withCondition(pod.status.conditions, ready);
    };
    // Kubelets of 1.36 report first that the sandbox is there, and its address only after their next look.
    if (this.#chance.chance(0.3)) {
      this.#notice(pod, () => ({ conditions: networkIsUp() }));
      pod.noticeAt += this.#chance.between(0, 2 * WRITE_LAG_MS);
    }
    this.#notice(pod, () => {
      const serving = { type: 'ContainersReady', status: 'True', lastTransitionTime: this.#kubeletSecond(pod) };
      const conditions = this.#chance.chance(0.8) ? withCondition(networkIsUp(), serving) : networkIsUp();
      return { phase: 'Running', podIP: ips[0] ?? '', podIPs: ips, conditions };
    });
    this.#in(300, 25_000, () => this.#decide(pod));
  }

  #allocate(pod: Pod, same: readonly string[] | undefined): string[] | undefined {
    const { free, freeSix } = pod.node;
    const four = same?.find((ip) => free.includes(ip)) ?? free[0];
    if (four === undefined) return undefined;
    const six = pod.dualStack ? (same?.find((ip) => freeSix.includes(ip)) ?? freeSix[0]) : undefined;
    const ips = six === undefined ? [four] : [four, six];
    for (const list of [free, freeSix]) for (const ip of ips) if (list.includes(ip)) list.splice(list.indexOf(ip), 1);
    return ips;
  }

  /** The pod no longer has its addresses. `reusableIn`: when others may get them. */
  #release(pod: Pod, reusableIn = 0): void {
    for (const ip of pod.held) {
      this.#truth.push(this.#tenure(pod, ip, this.#now));
      this.#at(this.#now + reusableIn, () => (ip.includes(':') ? pod.node.freeSix : pod.node.free).unshift(ip));
    }
    pod.held = [];
  }

  /** What happens to a running pod next. */
  #decide(pod: Pod): void {
    if (pod.gone || pod.ending) return;
    const roll = this.#chance.next();
    if (roll < 0.3) this.#complete(pod);
    else if (roll < 0.45) this.#deleteGracefully(pod);
    else if (roll < 0.6) this.#deleteNow(pod);
    else if (roll < 0.8) this.#loseSandbox(pod);
    else {
      const annotations = new Map([['note', String(this.#chance.between(0, 9))]]);
      pod.object = { ...pod.object, metadata: { ...pod.object.metadata, annotations } };
      this.#store(pod);
      this.#in(500, 20_000, () => this.#decide(pod));
    }
  }

  #complete(pod: Pod): void {
    pod.ending = true;
    const finished = this.#finish(pod);
    if (this.#chance.chance(0.2)) this.#notice(pod, () => ({ podIP: '', podIPs: [] }));
    this.#in(0, 300, () => {
      this.#release(pod, this.#chance.between(0, 400));
      this.#notice(pod, () => ({
        phase: this.#chance.chance(0.8) ? 'Succeeded' : 'Failed',
        ...finished(),
        ...this.#down(pod),
      }));
      if (this.#chance.chance(0.6)) this.#in(4000, 60_000, () => this.#remove(pod));
    });
  }

  #deleteGracefully(pod: Pod): void {
    pod.ending = true;
    const deletionTimestamp = this.#second() + 30_000;
    const metadata = { ...pod.object.metadata, deletionTimestamp, deletionGracePeriodSeconds: 30 };
    pod.object = { ...pod.object, metadata };
    this.#store(pod);
    this.#in(100, 3000, () => {
      const finished = this.#finish(pod);
      this.#in(0, 300, () => {
        this.#release(pod, this.#chance.between(0, 400));
        // Kubelets before 1.27 leave the phase as it is.
        const phase = this.#chance.chance(0.8) ? { phase: 'Failed' } : {};
        this.#notice(pod, () => ({ ...phase, ...finished(), ...this.#down(pod) }));
        this.#in(NOTICE_MS + WRITE_LAG_MS, NOTICE_MS + WRITE_LAG_MS + 500, () => this.#remove(pod));
      });
    });
  }

  /** Without grace: the object goes at once; its node needs a moment to follow. */
  #deleteNow(pod: Pod): void {
    this.#release(pod, this.#chance.between(100, 2000));
    this.#remove(pod);
  }

  #loseSandbox(pod: Pod): void {
    if (pod.object.spec.hostNetwork) {
      this.#in(500, 20_000, () => this.#decide(pod));
      return;
    }
    const before = pod.held;
    // A kubelet that reboots with its node notices late.
    const reboot = this.#chance.chance(0.3);
    const isReported = reboot || this.#chance.chance(0.7);
    const lostAt = this.#kubeletSecond(pod);
    const silence = reboot ? this.#chance.between(1000, 2500) : 0;
    this.#release(pod);
    const ended = isReported ? { terminations: [{ current: false, finishedAt: lostAt }] } : {};
    const blank = this.#chance.chance(0.3) ? { podIP: '', podIPs: [] } : {};
    this.#at(this.#now + silence, () => {
      this.#notice(pod, () => ({ ...ended, ...blank, ...this.#down(pod) }));
      // A loss of which no word is ever written cannot be known: the end of the object comes after it.
      const reported = NOTICE_MS + WRITE_LAG_MS;
      if (this.#chance.chance(0.15)) this.#in(reported, reported + 2000, () => this.#remove(pod));
      else {
        // Pulling an image or waiting for a volume takes its time.
        const longest = this.#chance.chance(0.4) ? 12_000 : 2000;
        this.#in(300, longest, () => this.#bringUp(pod, this.#chance.chance(0.6) ? before : undefined));
      }
    });
  }

  #finish(pod: Pod): () => Partial<ObservedPod['status']> {
    const finishedAt = pod.tellsFinish ? this.#kubeletSecond(pod) : undefined;
    return () => ({ terminations: [{ current: true, finishedAt }] });
  }

  #down(pod: Pod): Partial<ObservedPod['status']> {
    const since = { status: 'False', lastTransitionTime: this.#kubeletSecond(pod) };
    const others = pod.status.conditions.filter(({ type }) => type !== 'ContainersReady');
    const idle = withCondition(others, { type: 'ContainersReady', ...since });
    return { conditions: withCondition(idle, { type: 'PodReadyToStartContainers', ...since }) };
  }

  /** The kubelet notices a little later, and writes what it knows by then a little later still. */
  #notice(pod: Pod, change: () => Partial<ObservedPod['status']>): void {
    // In the order in which things happened.
    pod.noticeAt = Math.max(pod.noticeAt, this.#now + this.#chance.between(0, NOTICE_MS));
    this.#at(pod.noticeAt, () => {
      pod.status = { ...pod.status, ...change() };
      if (pod.flushAt !== undefined) return;
      pod.flushAt = this.#now + this.#chance.between(5, WRITE_LAG_MS);
      this.#at(pod.flushAt, () => {
        pod.flushAt = undefined;
        if (pod.gone) return;
        pod.object = { ...pod.object, status: pod.status };
        this.#store(pod);
      });
    });
  }

  #remove(pod: Pod): void {
    if (pod.gone) return;
    pod.gone = true;
    this.#release(pod);
    this.#live.delete(pod);
    const metadata = { ...pod.object.metadata, resourceVersion: String(++this.#version) };
    this.#write('deleted', { kind: 'Pod', object: { ...pod.object, metadata } });
  }

  #store(pod: Pod): void {
    const metadata = { ...pod.object.metadata, resourceVersion: String(++this.#version) };
    pod.object = { ...pod.object, metadata };
    this.#write('present', { kind: 'Pod', object: pod.object });
  }

  #write(type: Write['type'], seen: Observed): void {
    this.#writes.push({ version: this.#version, at: this.#now, type, seen });
    // Other kinds of objects move the version on, too.
    this.#version += this.#chance.between(0, 2);
  }

  #meta(name: string, namespace: string): ObservedMeta {
    return {
      name,
      namespace,
      uid: `${name}/${this.#uids++}`,
      resourceVersion: String(++this.#version),
      creationTimestamp: this.#second(),
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      labels: new Map(),
      annotations: new Map(),
      ownerReferences: [],
    };
  }

  #tenure(pod: Pod, ip: string, to: number): TrueTenure {
    return { ip, uid: pod.object.metadata.uid, kind: 'Pod', from: pod.since, to };
  }

  #second(): number {
    return Math.floor(this.#now / 1000) * 1000;
  }

  #kubeletSecond(pod: Pod): number {
    return Math.floor((this.#now + pod.node.skew) / 1000) * 1000;
  }

  #in(least: number, most: number, act: () => void): void {
    this.#at(this.#now + this.#chance.between(least, most), act);
  }

  #at(at: number, act: () => void): void {
    const order = this.#order++;
    const index = this.#queue.findIndex((other) => other.at > at);
    this.#queue.splice(index === -1 ? this.#queue.length : index, 0, { at, order, act });
  }
}

type Condition = ObservedPod['status']['conditions'][number];

function withCondition(conditions: readonly Condition[], condition: Condition): readonly Condition[] {
  return [...conditions.filter(({ type }) => type !== condition.type), condition];
}
