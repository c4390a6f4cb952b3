// One pod on one node, from the binding to the end: sandbox, address, containers, reports. It is to a pod what a pod
// worker is to a real kubelet, and says what that says, in that order (e2e/recordings/simulator.test.ts). Each step is a
// timer of its kubelet, which runs none of them while its node is down.
import {
  type Container,
  isLeaving,
  isTerminal,
  type PodCondition,
  type PodObject,
  type PodPhase,
} from '../pod-object.ts';
import {
  backOff,
  COMPLETED,
  type ContainerRun,
  type Ending,
  endContainer,
  forgetContainer,
  newContainer,
  showLastEnding,
  startContainer,
  waitFor,
} from './container-run.ts';
import type { Kubelet } from './kubelet.ts';
import {
  deadlineMs,
  exitCodeOf,
  initRunOf,
  postStartFails,
  postStartMs,
  preStopMs,
  pullOf,
  runOf,
  stopOf,
} from './pod-plan.ts';
import { PodSandbox } from './pod-sandbox.ts';
import { podStatus } from './pod-status.ts';
import type { Span } from './timings.ts';

const BACK_OFF_MS = 10_000;
const LONGEST_BACK_OFF_MS = 300_000;
const NO_ADDRESS_RETRY: Span = [8_000, 15_000];
const PULL_RETRY: Span = [10_000, 15_000];
/** A hook that fails is tried again soon, once. */
const HOOK_RETRY: Span = [3_000, 6_000];
/** That a start is put off is only written with the next look at the pod. */
const BACK_OFF_SHOWN: Span = [8_500, 9_500];
const HOOK_BACK_OFF_SHOWN: Span = [1_500, 2_500];
/** Whoever is deleted by force still gets a second of grace, and its runtime another one. */
const FORCED_GRACE_SECONDS = 2;

/**
 * `coming`: has no sandbox, or is getting another one (→ running, ending). `running`: has its sandbox, containers run or
 * are being restarted (→ coming with a new sandbox, ending, over). `ending`: being stopped (→ over, or gone with the
 * object). `over`: terminal, the address is free again, the object is still there.
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
  /** Raised with every change of plan: steps that were planned before it are not taken. */
  #plan = 0;
  /** The pod is being set up. That is not broken off: whoever wants it stopped waits, as a real pod worker makes wait. */
  #syncing = false;
  #stopAsked = false;
  #startedAt = 0;
  /** As it was last there: what is under way goes on when the object is gone. */
  #known: PodObject | undefined;
  #inits: readonly ContainerRun[] = [];
  #containers: readonly ContainerRun[] = [];
  /** Running in a sandbox that is no more: to be started again in the next one. */
  readonly #stranded = new Set<ContainerRun>();
  /** What is reported of the network, which is not always what is so. */
  #networkUp = false;
  #shown: readonly string[] = [];
  /** Its end is decided, its containers still run. */
  #failing = false;
  #outcome: Outcome = {};
  /** Its object is gone, its sandbox not yet. */
  #isOrphan = false;
  #said: readonly PodCondition[] | undefined;
  /** What was reported last, and the version that it got. */
  #told: { readonly phase: PodPhase; readonly version: number } | undefined;

  constructor(kubelet: Kubelet, uid: string) {
    this.#kubelet = kubelet;
    this.uid = uid;
    this.#sandbox = new PodSandbox(kubelet);
  }

  get isRunning(): boolean {
    return this.#stage === 'running' && !this.#syncing && this.#containers.some(isUp);
  }

  /** The pod as it is now; undefined once the object is gone, or (etcd was restored) no longer bound to this node. */
  get #pod(): PodObject | undefined {
    const pod = this.#kubelet.world.pods.get(this.uid);
    return pod?.spec.nodeName === this.#kubelet.node ? pod : undefined;
  }

  begin(): void {
    const pod = this.#pod;
    if (pod === undefined) return;
    this.#known = pod;
    this.#inits = initsOf(pod).map(({ name, image }) => newContainer(name, image, 'PodInitializing'));
    const waiting = this.#inits.length > 0 ? 'PodInitializing' : 'ContainerCreating';
    this.#containers = pod.spec.containers.map(({ name, image }) => newContainer(name, image, waiting));
    if (isTerminal(pod)) this.#stage = 'over';
    if (isLeaving(pod)) {
      this.stop();
      return;
    }
    if (isTerminal(pod)) return;
    this.#later(this.#kubelet.timings.notice, () => {
      this.#startedAt = this.#now;
      if (pod.spec.hostNetwork === true) this.#shown = this.#kubelet.addresses;
      this.#report('Pending');
      this.#planDeadline(pod);
      this.#syncing = true;
      this.#later(this.#kubelet.timings.sandbox, () => this.#setUp());
    });
  }

  /** The pod is to go: it was deleted with a grace period. */
  stop(): void {
    // Deleted by force: the object is gone already, which is about to be noticed.
    if (this.#stage === 'ending' || this.#pod === undefined) return;
    if (this.#syncing) {
      this.#stopAsked = true;
      return;
    }
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
    if (this.#containers.some(showLastEnding)) this.#report(this.#phaseNow());
    const { wait, ending } = this.#stopping(this.#pod?.metadata.deletionGracePeriodSeconds ?? 30);
    this.#later([wait, wait], () => {
      this.#endAll(ending);
      this.#later(this.#kubelet.timings.teardown, () => {
        if (this.#tearDown()) this.#reportEnd();
      });
    });
  }

  #reportEnd(): void {
    this.#later(this.#kubelet.timings.report, () => {
      if (this.#inits.length === 0) for (const container of this.#containers) forgetContainer(container);
      this.#report(this.#phaseAtEnd());
      this.#later(this.#kubelet.timings.report, () => this.#remove());
    });
  }

  /** The object is gone. After a forced deletion the sandbox is still there, and only now begins to be stopped. */
  objectGone(): void {
    // It is back already, or was reported twice.
    if (this.#isOrphan || this.#pod !== undefined) return;
    if (!this.#sandbox.isUp && !this.#syncing) {
      this.#plan++;
      this.#kubelet.forget(this.uid);
      return;
    }
    this.#isOrphan = true;
    // Neither a start nor a stop that is under way is broken off or shortened.
    if (!this.#syncing && this.#stage !== 'ending') this.#stopOrphan();
  }

  #stopOrphan(): void {
    this.#changeTo('ending');
    const { world, timings } = this.#kubelet;
    const { wait } = this.#stopping(FORCED_GRACE_SECONDS);
    const [least, most] = timings.forcedStop;
    // The kubelet knows already, and needs nobody for it: it goes on even if the node is cut off meanwhile.
    world.clock.in(this.#sandbox.isUp ? wait + world.wait(least, most) : 0, () => this.#tearDown());
  }

  /** The API server lost what was reported (etcd was restored from a backup): it is reported again. */
  seen(pod: PodObject): void {
    const told = this.#told;
    // Where the object was gone the sandbox goes first; if the object is there again by then, it begins again.
    if (this.#isOrphan || told === undefined || Number(pod.metadata.resourceVersion) >= told.version) return;
    this.#told = undefined;
    this.#later(this.#kubelet.timings.report, () => this.#report(told.phase));
  }

  /** The node can be reached again: what others wrote about the pod meanwhile is put right. */
  reportAgain(): void {
    if (this.#startedAt === 0 || this.#stage === 'over' || this.#stage === 'ending') return;
    this.#report(this.#phaseNow());
  }

  /**
   * The node came up again: nothing of the sandbox is left, and the kubelet knows no address any more. The old one is
   * given back when the plugins are called for it, which is now.
   */
  afterReboot(): void {
    const pod = this.#pod;
    const wasUp = this.#sandbox.isUp;
    this.#plan++;
    this.#syncing = false;
    this.#stopAsked = false;
    this.#networkUp = false;
    this.#endAll({ exitCode: 255, reason: 'Unknown' });
    if (pod === undefined) {
      this.#isOrphan = true;
      this.#tearDown();
      return;
    }
    if (this.#stage === 'over' && !isLeaving(pod)) return;
    if (this.#stage !== 'over' && pod.spec.hostNetwork !== true) this.#shown = [];
    const { teardown, sandbox } = this.#kubelet.timings;
    if (isLeaving(pod)) {
      this.#stage = 'ending';
      if (wasUp) this.#report(this.#phaseNow());
      this.#later(teardown, () => {
        if (this.#tearDown()) this.#reportEnd();
      });
    } else if (this.#stage === 'ending') this.#finish(this.#outcome.phase ?? this.#phaseAtEnd());
    else if (pod.spec.restartPolicy === 'Never' && wasUp) this.#finish('Failed');
    else if (wasUp) {
      this.#stage = 'coming';
      this.#syncing = true;
      this.#report(this.#phaseNow());
      this.#later(teardown, () => {
        if (this.#tearDown()) this.#later(sandbox, () => this.#setUp());
      });
    } else {
      this.#stage = 'coming';
      this.begin();
    }
  }

  /**
   * The sandbox dies. The kubelet writes that first, with everything else as it was; then it calls the plugins, so that
   * the old address is free and another one taken; the new one is shown when the containers run again.
   */
  recreateSandbox(): boolean {
    if (!this.isRunning) return false;
    const { lossNotice, lossTeardown, resetUp } = this.#kubelet.timings;
    this.#changeTo('coming');
    this.#syncing = true;
    this.#later(lossNotice, () => {
      this.#networkUp = false;
      this.#report(this.#phaseNow());
      const pod = this.#pod;
      const message = 'Pod sandbox changed, it will be killed and re-created.';
      if (pod !== undefined) this.#kubelet.tell(pod, 'Normal', 'SandboxChanged', message);
      this.#later(lossTeardown, () => {
        this.#sandbox.tearDown();
        for (const container of this.#containers) if (isUp(container)) this.#stranded.add(container);
        this.#later(resetUp, () => this.#setUp());
      });
    });
    return true;
  }

  /** The first container ends like this, and is started again where the pod's policy says so. */
  crash(ending: Ending): boolean {
    if (!this.isRunning) return false;
    this.#plan++;
    const container = this.#containers.find(isUp)!;
    endContainer(container, ending, this.#now);
    this.#afterExit(ending);
    return true;
  }

  /** Evicted by its kubelet: the pod fails and its object stays. `emptyDir`: because it wrote more than it may. */
  evict(resource: string): boolean {
    if (!this.isRunning) return false;
    const byLimit = resource === 'emptyDir';
    const message = byLimit
      ? 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". '
      : `The node was low on resource: ${resource}. `;
    const target = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message } as const;
    this.#outcome = { phase: 'Failed', reason: 'Evicted', message, extra: byLimit ? [] : [target] };
    this.#changeTo('ending');
    this.#kubelet.tell(this.#pod!, 'Warning', 'Evicted', message);
    const { wait, ending } = this.#stopping(FORCED_GRACE_SECONDS);
    this.#later([wait, wait], () => {
      this.#endAll(ending);
      this.#later(this.#kubelet.timings.teardown, () => {
        if (this.#tearDown()) this.#reportEviction();
      });
    });
    return true;
  }

  /** By then the runtime has lost the containers: they look as if they were being created again, then as unknown. */
  #reportEviction(): void {
    const { report } = this.#kubelet.timings;
    this.#later(report, () => {
      for (const container of this.#containers) waitFor(container, 'ContainerCreating', container.restarts + 1);
      this.#report('Failed');
      this.#later(report, () => {
        for (const container of this.#containers) forgetContainer(container);
        this.#isOver('Failed');
      });
    });
  }

  /** The node is gone for good, with everything on it. */
  perish(): void {
    this.#plan++;
    this.#sandbox.tearDown();
  }

  #setUp(): void {
    const pod = this.#known!;
    const { namespace = '', name } = pod.metadata;
    const { report } = this.#kubelet.timings;
    if (!this.#sandbox.setUp({ namespace, name, uid: this.uid }, pod.spec.hostNetwork === true)) {
      const message = 'Failed to create pod sandbox: no IP addresses available in range set';
      if (this.#pod !== undefined) this.#kubelet.tell(pod, 'Warning', 'FailedCreatePodSandBox', message);
      this.#later(NO_ADDRESS_RETRY, () => {
        this.#syncing = true;
        this.#setUp();
      });
      this.#synced();
      return;
    }
    this.#stage = 'running';
    this.#networkUp = true;
    this.#later(report, () => {
      // Since 1.36 right after the sandbox, when no address is known yet, or the old one; before, with the next status.
      if (this.#kubelet.tellsNetworkAtOnce) this.#report(this.#phaseNow());
      this.#startInit(0);
    });
  }

  /** What waited while the pod was being set up. */
  #synced(): void {
    this.#syncing = false;
    if (this.#isOrphan) this.#stopOrphan();
    else if (this.#stopAsked) this.stop();
  }

  #startInit(index: number): void {
    const init = this.#inits[index];
    if (init === undefined) {
      this.#startContainer(0);
      return;
    }
    const { containerStart, report } = this.#kubelet.timings;
    const { ms, exitCode } = initRunOf(this.#known!);
    this.#later(containerStart, () => {
      startContainer(init, this.#now, this.#kubelet.world.random);
      this.#shown = this.#sandbox.addresses;
      this.#later(report, () => {
        this.#report(this.#phaseNow());
        this.#later([ms, ms + 200], () => this.#initEnded(index, exitCode));
        this.#synced();
      });
    });
  }

  #initEnded(index: number, exitCode: number): void {
    const init = this.#inits[index]!;
    endContainer(init, exitCode === 0 ? COMPLETED : { exitCode, reason: 'Error' }, this.#now);
    if (exitCode !== 0 && this.#known?.spec.restartPolicy === 'Never') {
      this.#finish('Failed');
      return;
    }
    this.#later(this.#kubelet.timings.report, () => {
      this.#report(this.#phaseNow());
      const again = (): void => {
        this.#syncing = true;
        this.#startInit(exitCode === 0 ? index + 1 : index);
      };
      if (exitCode === 0) again();
      else this.#later([BACK_OFF_MS, BACK_OFF_MS + 900], again);
    });
  }

  /** One after the other, each with its image and its hook; nothing is reported before the last of them runs. */
  #startContainer(index: number): void {
    const container = this.#containers[index];
    if (container === undefined) {
      this.#started();
      return;
    }
    const isStranded = this.#stranded.delete(container);
    if (isUp(container) && !isStranded) {
      this.#startContainer(index + 1);
      return;
    }
    const pull = pullOf(this.#known!, index);
    if (pull === 'never') {
      this.#pullFails(container);
      return;
    }
    const spec = this.#known!.spec.containers[index] as Container;
    const { containerStart, slowPull, slowPullChance } = this.#kubelet.timings;
    const isSlow =
      pull === undefined && container.id === undefined && this.#kubelet.world.random.happens(slowPullChance);
    const [least, most] = isSlow ? slowPull : [pull ?? 0, pull ?? 0];
    this.#later([least + containerStart[0], most + containerStart[1]], () => {
      if (isStranded) endContainer(container, { exitCode: 137, reason: 'Error' }, this.#now);
      startContainer(container, this.#now, this.#kubelet.world.random);
      const hook = postStartMs(spec);
      const next = (): void => {
        if (postStartFails(spec)) {
          endContainer(container, COMPLETED, this.#now);
          waitFor(container, 'PostStartHookError');
        }
        this.#startContainer(index + 1);
      };
      if (hook > 0) this.#later([hook, hook], next);
      else next();
    });
  }

  #pullFails(container: ContainerRun): void {
    const isFirst = container.state.waiting?.reason !== 'ErrImagePull';
    waitFor(container, isFirst ? 'ErrImagePull' : 'ImagePullBackOff');
    this.#shown = this.#sandbox.addresses;
    this.#later(this.#kubelet.timings.report, () => {
      this.#report(this.#phaseNow());
      this.#later(PULL_RETRY, () => {
        this.#syncing = true;
        this.#startContainer(this.#containers.indexOf(container));
      });
      this.#synced();
    });
  }

  #started(): void {
    const pod = this.#known!;
    this.#shown = this.#sandbox.addresses;
    if (this.#pod !== undefined)
      this.#kubelet.tell(pod, 'Normal', 'Started', `Started container ${pod.spec.containers[0]?.name}`);
    const probed = pod.spec.containers.some(({ readinessProbe }) => readinessProbe !== undefined);
    if (!probed) for (const container of this.#containers) container.ready = isUp(container);
    const { startReport, startReportOfOld, readiness } = this.#kubelet.timings;
    const failed = this.#containers.filter(({ state }) => state.waiting?.reason === 'PostStartHookError');
    if (failed.length === 0) this.#planExit(pod);
    this.#later(this.#kubelet.tellsNetworkAtOnce ? startReport : startReportOfOld, () => {
      this.#report('Running');
      if (probed) {
        this.#later(readiness, () => {
          for (const container of this.#containers) container.ready = isUp(container);
          this.#report('Running');
        });
      }
      if (failed.length > 0) this.#putOff(failed, HOOK_RETRY, HOOK_BACK_OFF_SHOWN);
      this.#synced();
    });
  }

  /** Pods that are made to end do so; where they do not say when, it is drawn. */
  #planExit(pod: PodObject): void {
    const ms = runOf(pod);
    if (typeof ms !== 'number' && (pod.spec.restartPolicy ?? 'Always') === 'Always') return;
    const span: Span = typeof ms === 'number' ? [ms, ms + Math.min(900, ms / 2)] : this.#kubelet.timings.run;
    const exitCode = exitCodeOf(pod) ?? 0;
    this.#later(span, () => {
      this.#plan++;
      const ending = exitCode === 0 ? COMPLETED : { exitCode, reason: 'Error' };
      this.#endAll(ending);
      // It may be over before it was reported to run, and be waited for.
      const isAwaited = this.#isOrphan || this.#stopAsked;
      this.#synced();
      if (!isAwaited) this.#afterExit(ending);
    });
  }

  #planDeadline(pod: PodObject): void {
    const ms = deadlineMs(pod);
    if (ms !== undefined) this.#kubelet.later([ms, ms], () => this.#exceedDeadline());
  }

  /** Others see at once that it is not ready any more, and only when its network is gone that it failed. */
  #exceedDeadline(): void {
    if (!this.isRunning) return;
    const message = 'Pod was active on the node longer than the specified deadline';
    this.#outcome = { phase: 'Failed', reason: 'DeadlineExceeded', message };
    this.#changeTo('ending');
    this.#failing = true;
    this.#report('Running');
    const { wait, ending } = this.#stopping(this.#known?.spec.terminationGracePeriodSeconds ?? 30);
    this.#later([wait, wait], () => {
      this.#endAll(ending);
      this.#finish('Failed');
    });
  }

  #afterExit(ending: Ending): void {
    const policy = this.#known?.spec.restartPolicy ?? 'Always';
    if (policy === 'Never' || (policy === 'OnFailure' && ending.exitCode === 0)) {
      this.#finish(ending.exitCode === 0 ? 'Succeeded' : 'Failed');
      return;
    }
    const ended = this.#containers.filter(({ state }) => state.terminated !== undefined);
    this.#later(this.#kubelet.timings.report, () => {
      this.#report('Running');
      this.#putOff(ended, [0, 0], BACK_OFF_SHOWN);
    });
  }

  /** Started again: at once the first time, then later and later. */
  #putOff(containers: readonly ContainerRun[], firstTime: Span, shownAfter: Span): void {
    const failures = Math.max(...containers.map((container) => this.#countFailure(container)));
    const again = (): void => {
      this.#syncing = true;
      this.#startContainer(0);
    };
    if (failures <= 1) {
      this.#later(firstTime, again);
      return;
    }
    const delay = Math.min(BACK_OFF_MS * 2 ** (failures - 2), LONGEST_BACK_OFF_MS);
    const { name, namespace } = this.#known!.metadata;
    this.#later(shownAfter, () => {
      for (const container of containers) backOff(container, delay, `${name}_${namespace}(${this.uid})`);
      this.#report('Running');
      const rest = delay - shownAfter[0];
      this.#later([rest, rest + 900], again);
    });
  }

  /** A container that ran well for long enough begins again. */
  #countFailure(container: ContainerRun): number {
    if (this.#now - container.startedAt > 2 * LONGEST_BACK_OFF_MS) container.failures = 0;
    return ++container.failures;
  }

  /** All containers have ended for good: that is reported, the sandbox goes, then the end is reported. */
  #finish(phase: PodPhase): void {
    const { report, linger } = this.#kubelet.timings;
    const isShown = this.#failing;
    this.#changeTo('ending');
    this.#later(report, () => {
      if (!isShown) this.#report(this.#phaseNow());
      this.#later(linger, () => {
        if (this.#tearDown()) this.#later(report, () => this.#isOver(phase));
      });
    });
  }

  #isOver(phase: PodPhase): void {
    this.#stage = 'over';
    this.#report(phase);
    const pod = this.#pod;
    if (pod !== undefined && isLeaving(pod)) this.stop();
  }

  /** False where nobody is left to report to: the object went first. If it is there again, all of it begins again. */
  #tearDown(): boolean {
    this.#sandbox.tearDown();
    this.#networkUp = false;
    if (!this.#isOrphan) return true;
    if (this.#kubelet.worker(this.uid) !== this) return false;
    this.#plan++;
    this.#kubelet.forget(this.uid);
    const again = this.#pod;
    if (again !== undefined) this.#kubelet.podSeen(again);
    return false;
  }

  #stopping(graceSeconds: number): { readonly wait: number; readonly ending: Ending } {
    const { random, timings } = { random: this.#kubelet.world.random, timings: this.#kubelet.timings };
    const asked = this.#known === undefined ? undefined : stopOf(this.#known);
    const drawn = random.between(timings.stop[0], timings.stop[1]);
    const isStubborn = asked === 'never' || (asked === undefined && random.happens(timings.stubborn));
    if (!this.#containers.some(isUp)) return { wait: 0, ending: COMPLETED };
    const hook = this.#known === undefined ? 0 : preStopMs(this.#known);
    const wait = hook + (typeof asked === 'number' ? asked : drawn);
    if (wait >= graceSeconds * 1000 || isStubborn) {
      return { wait: graceSeconds * 1000, ending: { exitCode: 137, reason: 'Error' } };
    }
    const exitCode = (this.#known && exitCodeOf(this.#known)) ?? (random.happens(timings.obedient) ? 0 : 143);
    return { wait, ending: exitCode === 0 ? COMPLETED : { exitCode, reason: 'Error' } };
  }

  /** A pod whose containers are all over is in the phase that was last reported, until its network is gone. */
  #phaseNow(): PodPhase {
    if (this.#told?.phase === 'Pending' && !this.#containers.some(({ state }) => !state.terminated)) return 'Pending';
    return this.#containers.some(({ id }) => id !== undefined) ? 'Running' : 'Pending';
  }

  #phaseAtEnd(): PodPhase {
    const ends = this.#containers.map(({ state, lastState }) => state.terminated ?? lastState.terminated);
    return ends.length > 0 && ends.every((end) => end?.exitCode === 0) ? 'Succeeded' : 'Failed';
  }

  #endAll(ending: Ending): void {
    for (const container of [...this.#inits, ...this.#containers]) endContainer(container, ending, this.#now);
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
        networkUp: this.#networkUp,
        failing: this.#failing,
        addresses: this.#shown,
        hostAddresses: this.#kubelet.addresses,
        startedAt: this.#startedAt,
        inits: this.#inits,
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
    this.#plan++;
    this.#stage = stage;
  }

  #later(span: Span, act: () => void): void {
    const plan = this.#plan;
    this.#kubelet.later(span, () => {
      if (plan === this.#plan) act();
    });
  }
}

function isUp({ state }: ContainerRun): boolean {
  return state.running !== undefined;
}

function initsOf(pod: PodObject): readonly Container[] {
  return (pod.spec['initContainers'] ?? []) as readonly Container[];
}
