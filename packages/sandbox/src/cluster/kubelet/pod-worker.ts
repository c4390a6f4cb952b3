// One pod on one node, from the binding to the end: sandbox, address, containers, reports. It is to a pod what a pod
// worker is to a real kubelet, and says what that says, in that order (e2e/recordings/simulator.test.ts). Each step is a
// timer of its kubelet, which runs none of them while its node is down.
import { isLeaving, isTerminal, type PodObject, type PodPhase } from '../pod-object.ts';
import { type Ending, endContainer } from './container-run.ts';
import type { Kubelet } from './kubelet.ts';
import { isUp, PodContainers } from './pod-containers.ts';
import { deadlineMs } from './pod-plan.ts';
import { PodReporter } from './pod-reporter.ts';
import { PodSandbox } from './pod-sandbox.ts';
import { PodStart } from './pod-start.ts';
import { type PodStop, podStop } from './pod-stop.ts';
import type { Span } from './timings.ts';

/** Whoever is deleted by force still gets a second of grace, and its runtime another one. */
const FORCED_GRACE_SECONDS = 2;

/**
 * `coming`: has no sandbox, or is getting another one (→ running, ending). `running`: has its sandbox, containers run or
 * are being restarted (→ coming with a new sandbox, ending, over). `ending`: being stopped (→ over, or gone with the
 * object). `over`: terminal, the address is free again, the object is still there.
 */
type Stage = 'coming' | 'running' | 'ending' | 'over';

export class PodWorker {
  readonly #kubelet: Kubelet;
  readonly uid: string;
  readonly #sandbox: PodSandbox;
  readonly #reporter: PodReporter;
  #stage: Stage = 'coming';
  /** Raised with every change of plan: steps that were planned before it are not taken. */
  #plan = 0;
  /** The pod is being set up. That is not broken off: whoever wants it stopped waits, as a real pod worker makes wait. */
  #syncing = false;
  #stopAsked = false;
  /** As it was last there: what is under way goes on when the object is gone. */
  #known: PodObject | undefined;
  #containers = new PodContainers();
  #start: PodStart | undefined;
  /** Its object is gone, its sandbox not yet. */
  #isOrphan = false;

  constructor(kubelet: Kubelet, uid: string) {
    this.#kubelet = kubelet;
    this.uid = uid;
    this.#sandbox = new PodSandbox(kubelet);
    this.#reporter = new PodReporter(kubelet);
  }

  get isRunning(): boolean {
    return this.#stage === 'running' && !this.#syncing && this.#containers.isAnyUp;
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
    this.#containers = new PodContainers(pod);
    this.#start = this.#starting(pod);
    if (isTerminal(pod)) this.#stage = 'over';
    if (isLeaving(pod)) {
      this.stop();
      return;
    }
    if (isTerminal(pod)) return;
    this.#later(this.#kubelet.timings.notice, () => {
      this.#reporter.startedAt = this.#now;
      if (pod.spec.hostNetwork === true) this.#reporter.shown = this.#kubelet.addresses;
      this.#report('Pending');
      this.#planDeadline(pod);
      this.#syncing = true;
      this.#later(this.#kubelet.timings.sandbox, () => this.#start?.setUp());
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
    if (this.#containers.showLastEndings()) this.#report();
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
      this.#containers.loseTrace();
      this.#report(this.#containers.phaseAtEnd);
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
    // Where the object was gone the sandbox goes first; if the object is there again by then, it begins again.
    const lost = this.#isOrphan ? undefined : this.#reporter.takeLost(pod);
    if (lost !== undefined) this.#later(this.#kubelet.timings.report, () => this.#report(lost));
  }

  /** The node can be reached again: what others wrote about the pod meanwhile is put right. */
  reportAgain(): void {
    if (this.#reporter.startedAt === 0 || this.#stage === 'over' || this.#stage === 'ending') return;
    this.#report();
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
    this.#reporter.networkUp = false;
    this.#endAll({ exitCode: 255, reason: 'Unknown' });
    if (pod === undefined) {
      this.#isOrphan = true;
      this.#tearDown();
      return;
    }
    if (this.#stage === 'over' && !isLeaving(pod)) return;
    if (this.#stage !== 'over' && pod.spec.hostNetwork !== true) this.#reporter.shown = [];
    const { teardown, sandbox } = this.#kubelet.timings;
    if (isLeaving(pod)) {
      this.#stage = 'ending';
      if (wasUp) this.#report();
      this.#later(teardown, () => {
        if (this.#tearDown()) this.#reportEnd();
      });
    } else if (this.#stage === 'ending') this.#finish(this.#reporter.outcome.phase ?? this.#containers.phaseAtEnd);
    else if (pod.spec.restartPolicy === 'Never' && wasUp) this.#finish('Failed');
    else if (wasUp) {
      this.#stage = 'coming';
      this.#syncing = true;
      this.#report();
      this.#later(teardown, () => {
        if (this.#tearDown()) this.#later(sandbox, () => this.#start?.setUp());
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
      this.#reporter.networkUp = false;
      this.#report();
      const pod = this.#pod;
      const message = 'Pod sandbox changed, it will be killed and re-created.';
      if (pod !== undefined) this.#kubelet.recordEvent(pod, 'Normal', 'SandboxChanged', message);
      this.#later(lossTeardown, () => {
        this.#sandbox.tearDown();
        this.#containers.strand();
        this.#later(resetUp, () => this.#start?.setUp());
      });
    });
    return true;
  }

  /** The first container ends like this, and is started again where the pod's policy says so. */
  crash(ending: Ending): boolean {
    if (!this.isRunning) return false;
    this.#plan++;
    const container = this.#containers.mains.find(isUp)!;
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
    this.#reporter.outcome = { phase: 'Failed', reason: 'Evicted', message, extra: byLimit ? [] : [target] };
    this.#changeTo('ending');
    this.#kubelet.recordEvent(this.#pod!, 'Warning', 'Evicted', message);
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
      this.#containers.lookCreated();
      this.#report('Failed');
      this.#later(report, () => {
        this.#containers.loseTrace();
        this.#isOver('Failed');
      });
    });
  }

  /** The node is gone for good, with everything on it. */
  perish(): void {
    this.#plan++;
    this.#sandbox.tearDown();
  }

  #starting(pod: PodObject): PodStart {
    return new PodStart({
      kubelet: this.#kubelet,
      pod,
      containers: this.#containers,
      sandbox: this.#sandbox,
      reporter: this.#reporter,
      isThere: () => this.#pod !== undefined,
      later: (span, act) => this.#later(span, act),
      report: (phase) => this.#report(phase),
      syncs: () => {
        this.#syncing = true;
      },
      synced: () => this.#synced(),
      isSetUp: () => {
        this.#stage = 'running';
      },
      finish: (phase) => this.#finish(phase),
      exits: (ending) => this.#exit(ending),
    });
  }

  /** What waited while the pod was being set up. */
  #synced(): void {
    this.#syncing = false;
    if (this.#isOrphan) this.#stopOrphan();
    else if (this.#stopAsked) this.stop();
  }

  #exit(ending: Ending): void {
    this.#plan++;
    this.#endAll(ending);
    // It may be over before it was reported to run, and be waited for.
    const isAwaited = this.#isOrphan || this.#stopAsked;
    this.#synced();
    if (!isAwaited) this.#afterExit(ending);
  }

  #planDeadline(pod: PodObject): void {
    const ms = deadlineMs(pod);
    if (ms !== undefined) this.#kubelet.later([ms, ms], () => this.#exceedDeadline());
  }

  /** Others see at once that it is not ready any more, and only when its network is gone that it failed. */
  #exceedDeadline(): void {
    if (!this.isRunning) return;
    const message = 'Pod was active on the node longer than the specified deadline';
    this.#reporter.outcome = { phase: 'Failed', reason: 'DeadlineExceeded', message };
    this.#changeTo('ending');
    this.#reporter.failing = true;
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
    const ended = this.#containers.mains.filter(({ state }) => state.terminated !== undefined);
    this.#later(this.#kubelet.timings.report, () => {
      this.#report('Running');
      this.#start?.startAgain(ended);
    });
  }

  /** All containers have ended for good: that is reported, the sandbox goes, then the end is reported. */
  #finish(phase: PodPhase): void {
    const { report, linger } = this.#kubelet.timings;
    const isShown = this.#reporter.failing;
    this.#changeTo('ending');
    this.#later(report, () => {
      if (!isShown) this.#report();
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
    this.#reporter.networkUp = false;
    if (!this.#isOrphan) return true;
    if (this.#kubelet.worker(this.uid) !== this) return false;
    this.#plan++;
    this.#kubelet.forget(this.uid);
    const again = this.#pod;
    if (again !== undefined) this.#kubelet.podSeen(again);
    return false;
  }

  #stopping(graceSeconds: number): PodStop {
    const { timings, world } = this.#kubelet;
    const pod = this.#pod;
    if (pod !== undefined && this.#containers.isAnyUp) {
      for (const { name } of pod.spec.containers) {
        this.#kubelet.recordEvent(pod, 'Normal', 'Killing', `Stopping container ${name}`);
      }
    }
    return podStop(this.#known!, this.#containers.isAnyUp, graceSeconds, timings, world.random);
  }

  #endAll(ending: Ending): void {
    this.#containers.endAll(ending, this.#now);
  }

  /** A pod whose containers are all over is in the phase that was last reported, until its network is gone. */
  #phaseNow(): PodPhase {
    const isPending = this.#reporter.lastPhase === 'Pending' && this.#containers.areAllOver;
    return this.#containers.hasAnyBegun && !isPending ? 'Running' : 'Pending';
  }

  #report(phase: PodPhase = this.#phaseNow()): void {
    this.#reporter.write(this.#pod, phase, this.#containers);
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
