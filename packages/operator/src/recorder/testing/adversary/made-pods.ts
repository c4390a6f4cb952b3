// Pods and the kubelets that run them: what is, what a kubelet knows of it, and what it has written.

import type { Machine, MadeNodes } from './made-nodes.ts';
import type { Gray, Hold, Written } from './made-shapes.ts';
import type { WorldBook } from './world-book.ts';

const NAMESPACES = ['shop', 'jobs'] as const;

interface Container {
  finishedAt: number | undefined;
  lastFinishedAt: number | undefined;
}

interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly created: number;
  readonly hostNetwork: boolean;
  readonly dual: boolean;
  readonly containers: Container[];
  machine: Machine | undefined;
  deletion: number | undefined;
  grace: number | undefined;
  // What the kubelet knows.
  startTime: number | undefined;
  phase: string;
  network: { status: 'True' | 'False'; at: number } | undefined;
  ready: { status: 'True' | 'False'; at: number } | undefined;
  shown: string[];
  // What is.
  holds: Hold[];
  blank: Gray[];
  gone: boolean;
  over: boolean;
  flushing: boolean;
  generation: number;
  /** The last sandbox in which its containers ran. */
  ran: number;
}

export class MadePods {
  readonly #book: WorldBook;
  readonly #nodes: MadeNodes;
  readonly #pods = new Set<Pod>();

  constructor(book: WorldBook, nodes: MadeNodes) {
    this.#book = book;
    this.#nodes = nodes;
  }

  createPod(): void {
    const c = this.#book.chance;
    const namespace = c.one(NAMESPACES);
    const name = `pod-${c.int(1, 6)}`;
    if (this.#book.objects.has(`Pod/${namespace}/${name}`)) {
      if (c.is(0.7)) this.#book.later(c.int(1, 15_000), () => this.createPod());
      return;
    }
    const pod: Pod = {
      ...{ namespace, name, uid: this.#book.uid('pod'), created: this.#book.apiTime, hostNetwork: c.is(0.08) },
      ...{ dual: c.is(0.3), containers: Array.from({ length: c.int(1, 2) }, emptyContainer), machine: undefined },
      ...{ deletion: undefined, grace: undefined, startTime: undefined, phase: 'Pending', network: undefined },
      ...{
        ready: undefined,
        shown: [],
        holds: [],
        blank: [],
        gone: false,
        over: false,
        flushing: false,
        generation: 0,
        ran: 0,
      },
    };
    this.#pods.add(pod);
    this.#writePod('ADDED', pod);
    this.#book.tell(`${pod.uid} (${namespace}/${name}) is created`);
    if (c.is(0.05)) {
      this.#book.later(c.int(0, 3000), () => this.#delete(pod));
      return;
    }
    this.#book.later(c.int(1, 1500), () => {
      if (pod.gone) return;
      pod.machine = c.one(this.#nodes.machines);
      this.#writePod('MODIFIED', pod);
      this.#book.later(c.int(1, 800), () => this.#admit(pod));
    });
  }

  #writePod(type: Written['type'], pod: Pod): void {
    const conditions: unknown[] = [];
    if (pod.network !== undefined && pod.machine?.kubelet !== 'none')
      conditions.push(condition('PodReadyToStartContainers', pod.network));
    if (pod.ready !== undefined) conditions.push(condition('ContainersReady', pod.ready));
    const terminations = pod.containers.flatMap(({ finishedAt, lastFinishedAt }) => [
      ...(finishedAt === undefined ? [] : [{ kind: 'regular', current: true, finishedAt }]),
      ...(lastFinishedAt === undefined ? [] : [{ kind: 'regular', current: false, finishedAt: lastFinishedAt }]),
    ]);
    const podIPs = [...pod.shown];
    this.#book.write(type, 'Pod', `${pod.namespace}/${pod.name}`, (version) => ({
      metadata: {
        ...this.#book.meta(pod.name, pod.namespace, pod.uid, version, pod.created),
        deletionTimestamp: pod.deletion,
        deletionGracePeriodSeconds: pod.grace,
      },
      spec: { nodeName: pod.machine?.name ?? '', hostNetwork: pod.hostNetwork },
      status: {
        ...{ phase: pod.phase, podIP: podIPs[0] ?? '', podIPs, startTime: pod.startTime, conditions, terminations },
      },
    }));
  }

  #nodeTime(pod: Pod): number {
    return this.#book.second(this.#book.now + (pod.machine?.skew ?? 0));
  }

  /** The kubelet writes what it knows, a little later; what it learns until then is in it. */
  #flush(pod: Pod, most = 700): void {
    if (pod.flushing || pod.gone) return;
    pod.flushing = true;
    const machine = pod.machine as Machine;
    const wait = Math.max(
      this.#book.chance.int(1, most),
      machine.cutUntil - this.#book.now,
      machine.rebootUntil - this.#book.now,
    );
    this.#book.later(wait, () => {
      pod.flushing = false;
      if (machine.cutUntil > this.#book.now || machine.rebootUntil > this.#book.now) {
        this.#flush(pod, most);
        return;
      }
      if (!pod.gone) this.#writePod('MODIFIED', pod);
    });
  }

  #isDown(pod: Pod): boolean {
    return (pod.machine as Machine).rebootUntil > this.#book.now;
  }

  #admit(pod: Pod): void {
    if (pod.gone || pod.over || pod.deletion !== undefined) return;
    if (this.#isDown(pod)) {
      this.#book.later(500, () => this.#admit(pod));
      return;
    }
    pod.startTime = this.#nodeTime(pod);
    if (pod.hostNetwork) {
      pod.shown = [(pod.machine as Machine).address];
      pod.phase = 'Running';
      pod.network = { status: 'True', at: this.#nodeTime(pod) };
      this.#flush(pod);
      this.#book.later(this.#book.chance.int(2000, 90_000), () => this.#end(pod));
      return;
    }
    pod.network = { status: 'False', at: this.#nodeTime(pod) };
    this.#flush(pod);
    this.#book.later(this.#book.chance.int(50, 1500), () => this.#startSandbox(pod));
  }

  #startSandbox(pod: Pod, avoid: readonly string[] = []): void {
    if (pod.gone || pod.over || pod.deletion !== undefined) return;
    const machine = pod.machine as Machine;
    if (this.#isDown(pod)) {
      this.#book.later(500, () => this.#startSandbox(pod, avoid));
      return;
    }
    const c = this.#book.chance;
    const pick = (pool: readonly string[]) => {
      const free = pool.filter((ip) => !this.#book.isHeld(ip) && !this.#book.isRunOn(ip) && !avoid.includes(ip));
      return free.length === 0 ? undefined : c.one(free);
    };
    const four = pick(machine.four);
    const six = pod.dual ? pick(machine.six) : undefined;
    if (four === undefined) {
      this.#book.later(c.int(200, 2000), () => this.#startSandbox(pod, avoid));
      return;
    }
    const ips = six === undefined ? [four] : [four, six];
    pod.holds = ips.map((ip) => this.#book.hold(ip, pod.uid, 'Pod'));
    this.#blankIsOver(pod);
    const generation = ++pod.generation;
    this.#book.tell(`${pod.uid} gets ${ips} on ${machine.name}`);
    const stillThere = (act: () => void) => () => {
      if (pod.generation === generation && !pod.gone && !pod.over && pod.holds.length > 0) act();
    };
    const showAll = () => {
      pod.shown = ips;
      if (pod.phase === 'Pending' && c.is(0.5)) pod.phase = 'Running';
      this.#flush(pod);
    };
    const noticed = c.int(10, 1200);
    if (machine.kubelet === 'early') {
      this.#book.later(
        noticed,
        stillThere(() => {
          pod.network = { status: 'True', at: this.#nodeTime(pod) };
          this.#flush(pod);
        }),
      );
      this.#book.later(noticed + (c.is(0.4) ? c.int(5000, 40_000) : c.int(1, 3000)), stillThere(showAll));
    } else {
      this.#book.later(
        noticed,
        stillThere(() => {
          pod.network = { status: 'True', at: this.#nodeTime(pod) };
          showAll();
        }),
      );
    }
    const startsAt = noticed + c.int(100, 3000);
    const serves = () => {
      pod.ran = generation;
      // Its address is known by now, or is with this.
      if (pod.shown.join() !== ips.join()) pod.shown = ips;
      pod.phase = 'Running';
      for (const container of pod.containers) {
        if (container.finishedAt !== undefined) container.lastFinishedAt = container.finishedAt;
        container.finishedAt = undefined;
      }
      pod.ready = { status: 'True', at: this.#nodeTime(pod) };
      this.#flush(pod);
    };
    if (c.is(0.8)) this.#book.later(startsAt, stillThere(serves));
    const life = c.is(0.2) ? c.int(300, 4000) : c.int(3000, 70_000);
    this.#book.later(
      life,
      stillThere(() => (c.is(0.25) ? this.#loseSandbox(pod) : this.#end(pod))),
    );
  }

  /** A kubelet that does not tell of sandboxes shows no address until there is another: nobody can know why. */
  #grayWhileBlank(pod: Pod, ips: readonly string[]): void {
    if (pod.machine?.kubelet !== 'none') return;
    for (const ip of ips) {
      const gray: Gray = { ip, from: this.#book.now, to: Number.POSITIVE_INFINITY };
      this.#book.grays.push(gray);
      pod.blank.push(gray);
    }
  }

  #blankIsOver(pod: Pod): void {
    for (const gray of pod.blank) gray.to = this.#book.now;
    pod.blank = [];
  }

  #letGo(pod: Pod): void {
    for (const hold of pod.holds) this.#book.release(hold.ip, pod.uid);
    if (pod.holds.length > 0) this.#book.tell(`${pod.uid} lets go of ${pod.holds.map(({ ip }) => ip)}`);
    pod.holds = [];
  }

  /** Killed, and made again by the kubelet. */
  #loseSandbox(pod: Pod): void {
    const c = this.#book.chance;
    const before = pod.holds.map(({ ip }) => ip);
    const finished = this.#nodeTime(pod);
    this.#letGo(pod);
    this.#grayWhileBlank(pod, before);
    const hasRun = pod.ran === pod.generation;
    const generation = ++pod.generation;
    this.#book.later(c.int(10, 1500), () => {
      if (pod.generation !== generation || pod.gone) return;
      if (hasRun) for (const container of pod.containers) container.finishedAt = finished;
      pod.network = { status: 'False', at: this.#nodeTime(pod) };
      if (pod.ready !== undefined) pod.ready = { status: 'False', at: this.#nodeTime(pod) };
      if (c.is(0.4) || pod.machine?.kubelet === 'none') pod.shown = [];
      this.#flush(pod);
      // A kubelet without the condition cannot tell the same address twice from once.
      const avoid = pod.machine?.kubelet === 'none' ? before : [];
      this.#book.later(c.int(300, 6000), () => {
        if (pod.generation === generation) this.#startSandbox(pod, avoid);
      });
    });
  }

  #end(pod: Pod): void {
    const c = this.#book.chance;
    if (pod.gone || pod.over) return;
    const how = c.one(['completes', 'completes', 'deleted', 'deleted', 'forced', 'failed-by-others'] as const);
    switch (how) {
      case 'completes':
        this.#finish(pod, c.is(0.7) ? 'Succeeded' : 'Failed', () =>
          this.#book.later(c.int(200, 60_000), () => this.#remove(pod)),
        );
        return;
      case 'deleted':
        this.#delete(pod);
        return;
      case 'forced':
        this.#book.tell(`${pod.uid} is deleted by force`);
        this.#runOn(pod, () => this.#remove(pod));
        return;
      case 'failed-by-others':
        this.#book.tell(`${pod.uid} is failed by others`);
        pod.over = true;
        this.#runOn(pod, () => {
          pod.phase = 'Failed';
          this.#writePod('MODIFIED', pod);
          this.#book.later(c.int(200, 30_000), () => this.#remove(pod));
        });
    }
  }

  /** For Kubernetes it ends now; its containers go on for a while. */
  #runOn(pod: Pod, endForKubernetes: () => void): void {
    const ips = pod.holds.map(({ ip }) => ip);
    this.#letGo(pod);
    const until = this.#book.now + this.#book.chance.int(100, 20_000);
    for (const ip of ips) this.#book.grays.push({ ip, from: this.#book.now, to: until });
    endForKubernetes();
  }

  #delete(pod: Pod): void {
    const c = this.#book.chance;
    if (pod.gone || pod.over || pod.deletion !== undefined) return;
    if (pod.machine === undefined || pod.startTime === undefined) {
      this.#remove(pod);
      return;
    }
    pod.grace = c.one([0, 1, 30, 600]);
    pod.deletion = this.#book.apiTime + pod.grace * 1000;
    this.#writePod('MODIFIED', pod);
    this.#book.tell(`${pod.uid} is to be deleted`);
    this.#book.later(c.int(100, Math.min(20_000, pod.grace * 1000 + 500)), () =>
      this.#finish(pod, pod.machine?.kubelet === 'none' ? undefined : 'Failed', () =>
        this.#book.later(c.int(50, 2000), () => this.#remove(pod)),
      ),
    );
  }

  /** Its containers end, then its sandbox; then its kubelet tells, and then `done`. */
  #finish(pod: Pod, phase: string | undefined, done: () => void): void {
    const c = this.#book.chance;
    if (pod.gone || pod.over) return;
    if (this.#isDown(pod)) {
      this.#book.later(1000, () => this.#finish(pod, phase, done));
      return;
    }
    pod.over = true;
    const finished = this.#nodeTime(pod);
    const hadSandbox = pod.holds.length > 0;
    const ips = pod.holds.map(({ ip }) => ip);
    this.#book.later(c.int(1, 900), () => {
      this.#letGo(pod);
      const tells = () => {
        if (pod.gone) return;
        const hasRun = hadSandbox && pod.ran === pod.generation;
        if (hasRun && c.is(0.95)) for (const container of pod.containers) container.finishedAt = finished;
        if (pod.machine?.kubelet !== 'none') pod.network = { status: 'False', at: this.#nodeTime(pod) };
        if (pod.ready !== undefined) pod.ready = { status: 'False', at: this.#nodeTime(pod) };
        if (hadSandbox && pod.shown.length === 0 && c.is(0.7)) pod.shown = ips;
        if (c.is(0.1)) pod.shown = [];
        // What never ran has not succeeded.
        if (phase !== undefined) pod.phase = hasRun ? phase : 'Failed';
        this.#flush(pod);
        const wait = () => {
          if (pod.flushing) {
            this.#book.later(300, wait);
            return;
          }
          done();
        };
        wait();
      };
      this.#book.later(c.int(1, 900), tells);
    });
  }

  #remove(pod: Pod): void {
    if (pod.gone) return;
    pod.gone = true;
    this.#blankIsOver(pod);
    this.#letGo(pod);
    this.#pods.delete(pod);
    this.#writePod('DELETED', pod);
    this.#book.tell(`${pod.uid} is gone`);
  }

  reboot(machine: Machine): void {
    const until = this.#book.now + this.#book.chance.int(3000, 30_000);
    machine.rebootUntil = until;
    this.#book.tell(`${machine.name} reboots`);
    for (const pod of this.#pods) {
      if (pod.machine !== machine || pod.holds.length === 0 || pod.over) continue;
      const finished = this.#nodeTime(pod);
      const before = pod.holds.map(({ ip }) => ip);
      this.#letGo(pod);
      this.#grayWhileBlank(pod, before);
      const hasRun = pod.ran === pod.generation;
      const generation = ++pod.generation;
      this.#book.later(until - this.#book.now + this.#book.chance.int(1, 1500), () => {
        if (pod.generation !== generation || pod.gone || pod.over) return;
        if (hasRun) for (const container of pod.containers) container.finishedAt = finished;
        pod.network = { status: 'False', at: this.#nodeTime(pod) };
        if (pod.ready !== undefined) pod.ready = { status: 'False', at: this.#nodeTime(pod) };
        this.#flush(pod);
        this.#book.later(this.#book.chance.int(300, 4000), () => {
          if (pod.generation === generation) this.#startSandbox(pod, machine.kubelet === 'none' ? before : []);
        });
      });
    }
  }

  cut(machine: Machine): void {
    machine.cutUntil = this.#book.now + this.#book.chance.int(3000, 40_000);
    this.#book.tell(`${machine.name} cannot write until ${((machine.cutUntil - this.#book.from) / 1000).toFixed(1)}`);
  }
}

function emptyContainer(): Container {
  return { finishedAt: undefined, lastFinishedAt: undefined };
}

function condition(type: string, { status, at }: { status: string; at: number }) {
  return { type, status, lastTransitionTime: at };
}
