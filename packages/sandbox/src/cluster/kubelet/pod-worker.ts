// One pod on one node, from the binding to the end: sandbox, address, containers, reports. It is to a pod what a pod
// worker is to a real kubelet. Each step is a timer of its kubelet, which runs none of them while its node is down.
import { isLeaving, isTerminal, type PodCondition, type PodObject, type PodPhase } from '../pod-object.ts';
import {
  backOff,
  COMPLETED,
  type ContainerRun,
  type Ending,
  endContainer,
  newContainer,
  startContainer,
} from './container-run.ts';
import type { Kubelet } from './kubelet.ts';
import { PodSandbox } from './pod-sandbox.ts';
import { podStatus } from './pod-status.ts';
import type { Span } from './timings.ts';

/** On a pod: how many seconds its containers run, and how they end. */
export const RUNS_FOR = 'sandbox.podtrail.dev/runs-for-seconds';
export const EXIT_CODE = 'sandbox.podtrail.dev/exit-code';

const BACK_OFF_MS = 10_000;
const LONGEST_BACK_OFF_MS = 300_000;
const NO_ADDRESS_RETRY: Span = [8_000, 15_000];
/** Only once the object is gone is the kubelet told that it was deleted by force. */
const FORCED_STOP: Span = [200, 2_000];

/**
 * `coming`: no sandbox yet (→ running, ending). `running`: has its sandbox, containers run or are being restarted
 * (→ coming with a new sandbox, ending, over). `ending`: being stopped (→ over, or gone with the object).
 * `over`: terminal, the address is free again, the object is still there.
 */
type Stage = 'coming' | 'running' | 'ending' | 'over';

interface Outcome {
  readonly phase?: PodPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly extra?: readonly Omit<PodCondition, 'lastTransitionTime'>[];
}

export class PodWorker {
  readonly #kubelet: Kubelet;
  readonly uid: string;
  readonly #sandbox: PodSandbox;
  #stage: Stage = 'coming';
  /** Raised with every change of course: steps that were planned before it are not taken. */
  #course = 0;
  #startedAt = 0;
  #containers: readonly ContainerRun[] = [];
  #outcome: Outcome = {};
  /** Its object is gone, its sandbox not yet. */
  #isOrphan = false;
  #said: readonly PodCondition[] | undefined;
  /** What was told last, and the version that it got. */
  #told: { readonly phase: PodPhase; readonly version: number } | undefined;

  constructor(kubelet: Kubelet, uid: string) {
    this.#kubelet = kubelet;
    this.uid = uid;
    this.#sandbox = new PodSandbox(kubelet);
  }

  get isRunning(): boolean {
    return this.#stage === 'running' && this.#containers.some(({ state }) => state.running !== undefined);
  }

  /** The pod as it is now; undefined once the object is gone, or (etcd was restored) no longer bound to this node. */
  get #pod(): PodObject | undefined {
    const pod = this.#kubelet.world.pods.get(this.uid);
    return pod?.spec.nodeName === this.#kubelet.node ? pod : undefined;
  }

  begin(): void {
    const pod = this.#pod;
    if (pod === undefined) return;
    this.#containers = pod.spec.containers.map(({ name, image }) => newContainer(name, image));
    if (isTerminal(pod)) this.#stage = 'over';
    if (isLeaving(pod)) {
      this.stop();
      return;
    }
    if (isTerminal(pod)) return;
    this.#later(this.#kubelet.timings.notice, () => {
      this.#startedAt = this.#now;
      if (pod.spec.hostNetwork === true) this.#sandbox.willShare();
      this.#report('Pending');
      this.#later(this.#kubelet.timings.sandbox, () => this.#setUp());
    });
  }

  /** The pod is to go: it was deleted with a grace period. */
  stop(): void {
    if (this.#stage === 'ending') return;
    const over = this.#stage === 'over';
    this.#changeTo('ending');
    if (over) {
      this.#later(this.#kubelet.timings.report, () => this.#remove());
      return;
    }
    if (!this.#sandbox.isUp) {
      // Nothing runs that would have to be stopped.
      this.#reportEnd();
      return;
    }
    // What it found is told before it is ended: also the address of a pod that had only just begun.
    const isShown = this.#pod?.status.podIP === this.#sandbox.addresses[0];
    if (!isShown) this.#later(this.#kubelet.timings.report, () => this.#report(this.#phaseNow()));
    const { wait, ending } = this.#stopping(this.#pod?.metadata.deletionGracePeriodSeconds ?? 30);
    this.#later([wait, wait], () => {
      this.#endAll(ending);
      this.#later(this.#kubelet.timings.teardown, () => {
        this.#sandbox.tearDown();
        this.#reportEnd();
      });
    });
  }

  #reportEnd(): void {
    this.#later(this.#kubelet.timings.report, () => {
      this.#report(this.#phaseAtEnd());
      this.#later(this.#kubelet.timings.report, () => this.#remove());
    });
  }

  /** The object is gone. After a forced deletion the sandbox is still there, and is removed now. */
  objectGone(): void {
    // It is back already, or was told twice.
    if (this.#isOrphan || this.#pod !== undefined) return;
    if (!this.#sandbox.isUp) {
      this.#course++;
      this.#kubelet.forget(this.uid);
      return;
    }
    this.#changeTo('ending');
    this.#isOrphan = true;
    const { world } = this.#kubelet;
    // The kubelet knows already, and needs nobody for it: it goes on even if the node is cut off meanwhile.
    world.clock.in(world.wait(FORCED_STOP[0], FORCED_STOP[1]), () => {
      this.#sandbox.tearDown();
      this.#kubelet.forget(this.uid);
      const risen = this.#pod;
      if (risen !== undefined) this.#kubelet.podSeen(risen);
    });
  }

  /** The API server lost what was told (etcd was restored from a backup): it is told again. */
  seen(pod: PodObject): void {
    const told = this.#told;
    // Where the object was gone the sandbox goes first; if the object is there again by then, it begins anew.
    if (this.#isOrphan || told === undefined || Number(pod.metadata.resourceVersion) >= told.version) return;
    this.#told = undefined;
    this.#later(this.#kubelet.timings.report, () => this.#report(told.phase));
  }

  /** The node can be reached again: what others wrote about the pod meanwhile is put right. */
  reportAgain(): void {
    if (this.#startedAt === 0 || this.#stage === 'over' || this.#stage === 'ending') return;
    this.#report(this.#phaseNow());
  }

  /** The node came up again: nothing of the sandbox is left. Addresses are given back now, as CNI is only told now. */
  afterReboot(): void {
    const pod = this.#pod;
    const wasUp = this.#sandbox.isUp;
    this.#course++;
    this.#endAll({ exitCode: 255, reason: 'Unknown' });
    this.#sandbox.tearDown();
    if (pod === undefined) {
      this.#kubelet.forget(this.uid);
      return;
    }
    if (this.#stage === 'over' && !isLeaving(pod)) return;
    if (isLeaving(pod)) {
      this.#stage = 'ending';
      this.#reportEnd();
    } else if (this.#stage === 'ending') this.#finish(this.#outcome.phase ?? this.#phaseAtEnd());
    else if (pod.spec.restartPolicy === 'Never' && wasUp) this.#finish('Failed');
    else if (wasUp) this.#renewSandbox();
    else {
      this.#stage = 'coming';
      this.begin();
    }
  }

  /** The sandbox dies: its address is free at once, the pod stays and gets another one. */
  recreateSandbox(): boolean {
    if (!this.isRunning) return false;
    this.#course++;
    this.#endAll({ exitCode: 137, reason: 'Error' });
    this.#sandbox.tearDown();
    const pod = this.#pod!;
    this.#kubelet.tell(pod, 'Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
    this.#renewSandbox();
    return true;
  }

  /** The first container ends like this, and is started again where the pod's policy says so. */
  crash(ending: Ending): boolean {
    if (!this.isRunning) return false;
    this.#course++;
    const container = this.#containers.find(({ state }) => state.running !== undefined)!;
    endContainer(container, ending, this.#now);
    this.#afterExit(ending);
    return true;
  }

  /** Evicted by its kubelet: the pod fails and its object stays. */
  evict(resource: string): boolean {
    if (!this.isRunning) return false;
    const message = `The node was low on resource: ${resource}. `;
    this.#outcome = {
      phase: 'Failed',
      reason: 'Evicted',
      message,
      extra: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message }],
    };
    this.#changeTo('ending');
    this.#kubelet.tell(this.#pod!, 'Warning', 'Evicted', message);
    const { wait, ending } = this.#stopping(5);
    this.#later([wait, wait], () => {
      this.#endAll(ending);
      this.#finish('Failed');
    });
    return true;
  }

  /** The node is gone for good, with everything on it. */
  perish(): void {
    this.#course++;
    this.#sandbox.tearDown();
  }

  #setUp(): void {
    const pod = this.#pod;
    if (pod === undefined) return;
    const { namespace = '', name } = pod.metadata;
    if (!this.#sandbox.setUp({ namespace, name, uid: this.uid }, pod.spec.hostNetwork === true)) {
      const message = 'Failed to create pod sandbox: no IP addresses available in range set';
      this.#kubelet.tell(pod, 'Warning', 'FailedCreatePodSandBox', message);
      this.#later(NO_ADDRESS_RETRY, () => this.#setUp());
      return;
    }
    this.#stage = 'running';
    const { slowPull, slowPullChance, containerStart } = this.#kubelet.timings;
    const slow = this.#kubelet.world.random.happens(slowPullChance);
    if (slow) {
      this.#later([900, 1200], () => {
        this.#report(this.#containers[0]?.id === undefined ? 'Pending' : 'Running');
        this.#later(slowPull, () => this.#start());
      });
    } else this.#later(containerStart, () => this.#start());
  }

  #start(): void {
    const pod = this.#pod;
    if (pod === undefined) return;
    for (const container of this.#containers) {
      if (container.state.running === undefined) startContainer(container, this.#now, this.#kubelet.world.random);
    }
    this.#kubelet.tell(pod, 'Normal', 'Started', `Started container ${pod.spec.containers[0]?.name}`);
    const probed = pod.spec.containers.some(({ readinessProbe }) => readinessProbe !== undefined);
    if (!probed) for (const container of this.#containers) container.ready = true;
    this.#later(this.#kubelet.timings.report, () => {
      this.#report('Running');
      if (probed) {
        this.#later(this.#kubelet.timings.readiness, () => {
          for (const container of this.#containers) container.ready = true;
          this.#report('Running');
        });
      }
      this.#planExit(pod);
    });
  }

  /** Pods that are made to end do so; where they do not say when, it is drawn. */
  #planExit(pod: PodObject): void {
    const said = pod.metadata.annotations?.[RUNS_FOR];
    if (said === undefined && (pod.spec.restartPolicy ?? 'Always') === 'Always') return;
    const seconds = Number(said);
    const span: Span = seconds > 0 ? [seconds * 1000, seconds * 1000 + 900] : this.#kubelet.timings.run;
    const exitCode = Number(pod.metadata.annotations?.[EXIT_CODE] ?? 0) || 0;
    this.#later(span, () => {
      this.#course++;
      const ending = exitCode === 0 ? COMPLETED : { exitCode, reason: 'Error' };
      this.#endAll(ending);
      this.#afterExit(ending);
    });
  }

  #afterExit(ending: Ending): void {
    const pod = this.#pod;
    if (pod === undefined) return;
    const policy = pod.spec.restartPolicy ?? 'Always';
    if (policy === 'Never' || (policy === 'OnFailure' && ending.exitCode === 0)) {
      this.#finish(ending.exitCode === 0 ? 'Succeeded' : 'Failed');
      return;
    }
    const ended = this.#containers.filter(({ state }) => state.terminated !== undefined);
    const failures = Math.max(...ended.map((container) => this.#countFailure(container)));
    if (failures <= 1) {
      this.#later(this.#kubelet.timings.report, () => {
        this.#report('Running');
        this.#later(this.#kubelet.timings.containerStart, () => this.#start());
      });
      return;
    }
    const delay = Math.min(BACK_OFF_MS * 2 ** (failures - 2), LONGEST_BACK_OFF_MS);
    const { name, namespace } = pod.metadata;
    for (const container of ended) backOff(container, delay, `${name}_${namespace}(${this.uid})`);
    this.#later(this.#kubelet.timings.report, () => {
      this.#report('Running');
      this.#later([delay, delay + 900], () => this.#start());
    });
  }

  /** A container that ran well for long enough begins anew. */
  #countFailure(container: ContainerRun): number {
    if (this.#now - container.startedAt > 2 * LONGEST_BACK_OFF_MS) container.failures = 0;
    return ++container.failures;
  }

  #renewSandbox(): void {
    this.#stage = 'coming';
    this.#later(this.#kubelet.timings.report, () => {
      this.#report('Running');
      this.#later(this.#kubelet.timings.sandbox, () => this.#setUp());
    });
  }

  /** All containers have ended for good: the sandbox goes, then the end is reported. */
  #finish(phase: PodPhase): void {
    this.#changeTo('ending');
    this.#later(this.#kubelet.timings.teardown, () => {
      this.#sandbox.tearDown();
      this.#later(this.#kubelet.timings.report, () => {
        this.#stage = 'over';
        this.#report(phase);
        const pod = this.#pod;
        if (pod !== undefined && isLeaving(pod)) this.stop();
      });
    });
  }

  #stopping(graceSeconds: number): { readonly wait: number; readonly ending: Ending } {
    const { random } = this.#kubelet.world;
    const { stop, stubborn } = this.#kubelet.timings;
    const wait = random.between(stop[0], stop[1]);
    if (wait >= graceSeconds * 1000 || random.happens(stubborn)) {
      return { wait: graceSeconds * 1000, ending: { exitCode: 137, reason: 'Error' } };
    }
    return { wait, ending: random.happens(0.8) ? COMPLETED : { exitCode: 143, reason: 'Error' } };
  }

  #phaseNow(): PodPhase {
    return this.#containers.some(({ id }) => id !== undefined) ? 'Running' : 'Pending';
  }

  #phaseAtEnd(): PodPhase {
    const ends = this.#containers.map(({ state, lastState }) => state.terminated ?? lastState.terminated);
    return ends.length > 0 && ends.every((end) => end?.exitCode === 0) ? 'Succeeded' : 'Failed';
  }

  #endAll(ending: Ending): void {
    for (const container of this.#containers) endContainer(container, ending, this.#now);
  }

  #report(phase: PodPhase): void {
    const pod = this.#pod;
    // A pod does not come back from its end, whoever declared it.
    if (pod === undefined || (isTerminal(pod) && pod.status.phase !== phase)) return;
    const status = podStatus(
      pod,
      {
        phase,
        ...(phase === 'Failed' || phase === 'Succeeded' ? this.#outcome : {}),
        sandboxUp: this.#sandbox.isUp,
        addresses: this.#sandbox.addresses,
        hostAddresses: this.#kubelet.addresses,
        startedAt: this.#startedAt,
        containers: this.#containers,
        said: this.#said,
      },
      this.#now,
    );
    this.#said = status.conditions;
    const written = this.#kubelet.world.attempt(() =>
      this.#kubelet.world.api.update('pods', { ...pod, status }, 'status'),
    );
    if (written !== undefined) this.#told = { phase, version: Number(written.metadata.resourceVersion) };
  }

  /** The last word: only now may the object go. */
  #remove(): void {
    const pod = this.#pod;
    if (pod === undefined) return;
    const { namespace, name } = pod.metadata;
    const options = { gracePeriodSeconds: 0, uid: this.uid };
    this.#kubelet.world.attempt(() => this.#kubelet.world.api.delete('pods', namespace, name, options));
  }

  get #now(): number {
    return this.#kubelet.world.clock.now();
  }

  #changeTo(stage: Stage): void {
    this.#course++;
    this.#stage = stage;
  }

  #later(span: Span, act: () => void): void {
    const course = this.#course;
    this.#kubelet.later(span, () => {
      if (course === this.#course) act();
    });
  }
}
