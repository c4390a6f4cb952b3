// What a kubelet does to make a pod run: sandbox, init containers, containers one by one with their images and hooks, and
// again where they end. Its steps are the worker's, so that a change of plan cancels them.
import type { Container, PodObject, PodPhase } from '../pod-object.ts';
import {
  backOff,
  COMPLETED,
  type ContainerRun,
  type Ending,
  endContainer,
  KILLED,
  startContainer,
  waitFor,
} from './container-run.ts';
import type { Kubelet } from './kubelet.ts';
import { isUp, type PodContainers } from './pod-containers.ts';
import { exitCodeOf, initRunOf, postStartFails, postStartMs, pullOf, runOf } from './pod-plan.ts';
import type { PodReporter } from './pod-reporter.ts';
import type { PodSandbox } from './pod-sandbox.ts';
import type { Span } from './timings.ts';

/** What the worker lends to the start of its pod. */
export interface StartingPod {
  readonly kubelet: Kubelet;
  /** As it was last there: a start goes on when the object is gone. */
  readonly pod: PodObject;
  readonly containers: PodContainers;
  readonly sandbox: PodSandbox;
  readonly reporter: PodReporter;
  /** Its object is there. */
  isThere(): boolean;
  later(span: Span, act: () => void): void;
  /** In the phase that it is in, or in this one. */
  report(phase?: PodPhase): void;
  /** From now on whoever wants the pod stopped waits … */
  syncs(): void;
  /** … until now. */
  synced(): void;
  /** Its sandbox has its network. */
  isSetUp(): void;
  finish(phase: PodPhase): void;
  /** Its containers ended by themselves. */
  exits(ending: Ending): void;
}

const BACK_OFF_MS = 10_000;
const LONGEST_BACK_OFF_MS = 300_000;
const NO_ADDRESS_RETRY: Span = [8_000, 15_000];
const PULL_RETRY: Span = [10_000, 15_000];
/** A hook that fails is tried again soon, once. */
const HOOK_RETRY: Span = [3_000, 6_000];
/** That a start is put off is only written with the next look at the pod. */
const BACK_OFF_SHOWN: Span = [8_500, 9_500];
const HOOK_BACK_OFF_SHOWN: Span = [1_500, 2_500];

export class PodStart {
  readonly #host: StartingPod;

  constructor(host: StartingPod) {
    this.#host = host;
  }

  setUp(): void {
    const { kubelet, pod, sandbox, reporter } = this.#host;
    const { namespace = '', name, uid } = pod.metadata;
    if (!sandbox.setUp({ namespace, name, uid }, pod.spec.hostNetwork === true)) {
      const message = 'Failed to create pod sandbox: no IP addresses available in range set';
      if (this.#host.isThere()) kubelet.recordEvent(pod, 'Warning', 'FailedCreatePodSandBox', message);
      this.#host.later(NO_ADDRESS_RETRY, () => {
        this.#host.syncs();
        this.setUp();
      });
      this.#host.synced();
      return;
    }
    reporter.networkUp = true;
    this.#host.isSetUp();
    this.#host.later(kubelet.timings.report, () => {
      // Since 1.36 right after the sandbox, when no address is known yet, or the old one; before, with the next status.
      if (kubelet.tellsNetworkAtOnce) this.#host.report();
      this.#startInit(0);
    });
  }

  /** Containers that ended are started again: at once the first time, then later and later. */
  startAgain(containers: readonly ContainerRun[]): void {
    this.#putOff(containers, [0, 0], BACK_OFF_SHOWN);
  }

  #startInit(index: number): void {
    const { kubelet, pod, containers, sandbox, reporter } = this.#host;
    const init = containers.inits[index];
    if (init === undefined) {
      this.#startContainer(0);
      return;
    }
    const { ms, exitCode } = initRunOf(pod);
    this.#host.later(kubelet.timings.containerStart, () => {
      startContainer(init, this.#now, kubelet.world.random);
      reporter.shown = sandbox.addresses;
      this.#host.later(kubelet.timings.report, () => {
        this.#host.report();
        this.#host.later([ms, ms + 200], () => this.#initEnds(index, exitCode));
        this.#host.synced();
      });
    });
  }

  #initEnds(index: number, exitCode: number): void {
    const { kubelet, pod, containers } = this.#host;
    endContainer(containers.inits[index]!, exitCode === 0 ? COMPLETED : { exitCode, reason: 'Error' }, this.#now);
    if (exitCode !== 0 && pod.spec.restartPolicy === 'Never') {
      this.#host.finish('Failed');
      return;
    }
    this.#host.later(kubelet.timings.report, () => {
      this.#host.report();
      const next = (): void => {
        this.#host.syncs();
        this.#startInit(exitCode === 0 ? index + 1 : index);
      };
      if (exitCode === 0) next();
      else this.#host.later([BACK_OFF_MS, BACK_OFF_MS + 900], next);
    });
  }

  /** One after the other, each with its image and its hook; nothing is reported before the last of them runs. */
  #startContainer(index: number): void {
    const { kubelet, pod, containers } = this.#host;
    const container = containers.mains[index];
    if (container === undefined) {
      this.#started();
      return;
    }
    const isStranded = containers.takeStranded(container);
    if (isUp(container) && !isStranded) {
      this.#startContainer(index + 1);
      return;
    }
    const pull = pullOf(pod, index);
    if (pull === 'never') {
      this.#failPull(container);
      return;
    }
    const { containerStart, slowPull, slowPullChance } = kubelet.timings;
    const isSlow = pull === undefined && container.id === undefined && kubelet.world.random.happens(slowPullChance);
    const [least, most] = isSlow ? slowPull : [pull ?? 0, pull ?? 0];
    this.#host.later([least + containerStart[0], most + containerStart[1]], () => {
      if (isStranded) endContainer(container, KILLED, this.#now);
      startContainer(container, this.#now, kubelet.world.random);
      this.#runHook(container, index);
    });
  }

  #runHook(container: ContainerRun, index: number): void {
    const spec = this.#host.pod.spec.containers[index] as Container;
    const ms = postStartMs(spec);
    const next = (): void => {
      if (postStartFails(spec)) {
        endContainer(container, COMPLETED, this.#now);
        waitFor(container, 'PostStartHookError');
      }
      this.#startContainer(index + 1);
    };
    if (ms > 0) this.#host.later([ms, ms], next);
    else next();
  }

  #failPull(container: ContainerRun): void {
    const { kubelet, containers, sandbox, reporter } = this.#host;
    const isFirst = container.state.waiting?.reason !== 'ErrImagePull';
    waitFor(container, isFirst ? 'ErrImagePull' : 'ImagePullBackOff');
    reporter.shown = sandbox.addresses;
    this.#host.later(kubelet.timings.report, () => {
      this.#host.report();
      this.#host.later(PULL_RETRY, () => {
        this.#host.syncs();
        this.#startContainer(containers.mains.indexOf(container));
      });
      this.#host.synced();
    });
  }

  #started(): void {
    const { kubelet, pod, containers, sandbox, reporter } = this.#host;
    reporter.shown = sandbox.addresses;
    const message = `Started container ${pod.spec.containers[0]?.name}`;
    if (this.#host.isThere()) kubelet.recordEvent(pod, 'Normal', 'Started', message);
    const isProbed = pod.spec.containers.some(({ readinessProbe }) => readinessProbe !== undefined);
    const becomeReady = (): void => {
      for (const container of containers.mains) container.ready = isUp(container);
    };
    if (!isProbed) becomeReady();
    const { startReport, startReportOfOld, readiness } = kubelet.timings;
    const failed = containers.mains.filter(({ state }) => state.waiting?.reason === 'PostStartHookError');
    if (failed.length === 0) this.#planExit();
    this.#host.later(kubelet.tellsNetworkAtOnce ? startReport : startReportOfOld, () => {
      this.#host.report('Running');
      if (isProbed) {
        this.#host.later(readiness, () => {
          becomeReady();
          this.#host.report('Running');
        });
      }
      if (failed.length > 0) this.#putOff(failed, HOOK_RETRY, HOOK_BACK_OFF_SHOWN);
      this.#host.synced();
    });
  }

  /** Pods that are made to end do so; where they do not say when, it is drawn. */
  #planExit(): void {
    const { kubelet, pod } = this.#host;
    const ms = runOf(pod);
    if (typeof ms !== 'number' && (pod.spec.restartPolicy ?? 'Always') === 'Always') return;
    const span: Span = typeof ms === 'number' ? [ms, ms + Math.min(900, ms / 2)] : kubelet.timings.run;
    const exitCode = exitCodeOf(pod) ?? 0;
    this.#host.later(span, () => this.#host.exits(exitCode === 0 ? COMPLETED : { exitCode, reason: 'Error' }));
  }

  #putOff(ended: readonly ContainerRun[], firstTime: Span, shownAfter: Span): void {
    const failures = Math.max(...ended.map((container) => this.#countFailure(container)));
    const start = (): void => {
      this.#host.syncs();
      this.#startContainer(0);
    };
    if (failures <= 1) {
      this.#host.later(firstTime, start);
      return;
    }
    // The rule of real kubelets, written here: the sandbox imports nothing of the client that it tests.
    const delay = Math.min(BACK_OFF_MS * 2 ** (failures - 2), LONGEST_BACK_OFF_MS);
    const { name, namespace, uid } = this.#host.pod.metadata;
    this.#host.later(shownAfter, () => {
      for (const container of ended) backOff(container, delay, `${name}_${namespace}(${uid})`);
      this.#host.report('Running');
      const rest = delay - shownAfter[0];
      this.#host.later([rest, rest + 900], start);
    });
  }

  /** A container that ran well for long enough is counted from nothing. */
  #countFailure(container: ContainerRun): number {
    if (this.#now - container.startedAt > 2 * LONGEST_BACK_OFF_MS) container.failures = 0;
    return ++container.failures;
  }

  get #now(): number {
    return this.#host.kubelet.world.clock.now();
  }
}
