// The one run of a manager: starts its parts in order, keeps standbys warm, and takes everything down in order with a
// deadline. Made by `Manager.run`, once.
import { type Clock, systemClock } from '../clock.ts';
import { MachineryError } from '../errors.ts';
import { within } from '../within.ts';
import type { ManagedSource } from './managed-source.ts';
import type { ManagedController, ManagerOptions, ManagerParts, Task } from './manager-parts.ts';
import { SourceSync } from './source-sync.ts';

export interface CutOff {
  readonly name: string;
  /** Keys whose pass was under way when it was asked to end; empty for a task. */
  readonly keys: readonly (string | number)[];
}

type Cause =
  /** The caller's signal aborted. */
  | { readonly kind: 'stopped' }
  /** The caller should exit: another replica leads, or soon will. */
  | { readonly kind: 'leadership-lost'; readonly reason: 'deadline' | 'taken'; readonly holder: string }
  /** A source or task failed. */
  | { readonly kind: 'failed'; readonly step: string; readonly error: unknown };

export type ManagerOutcome = Cause & {
  readonly cutOff: readonly CutOff[];
  /** Keys that were ready but got no pass; the next process finds them by its first list. */
  readonly leftQueued: number;
};

/**
 * Each phase is left for the next one; `stopping` from anywhere. `syncing` until every source is in sync or the time-out
 * has passed; controllers whose own sources are in sync may work before.
 */
export type ManagerPhase = 'idle' | 'syncing' | 'standby' | 'active' | 'stopping' | 'ended';

const SYNC_TIMEOUT_MS = 120_000;

interface Running {
  readonly name: string;
  readonly controller: ManagedController | undefined;
  readonly ended: Promise<void>;
  /** Ends when new passes stop, rather than when everything else has. */
  readonly drained: boolean;
  settled: boolean;
}

export class ManagerRun {
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #sources: ReadonlyMap<ManagedSource, string>;
  readonly #shared: ReadonlySet<ManagedSource>;
  readonly #controllers: readonly ManagedController[];
  readonly #tasks: readonly Task[];
  readonly #enter: (phase: ManagerPhase) => void;
  readonly #cause = Promise.withResolvers<Cause>();
  /** No new passes; tasks of the leader end. */
  readonly #stop = new AbortController();
  /** Passes that need leadership end; aborts at once when it is lost. */
  readonly #abortLeader = new AbortController();
  readonly #abortOthers = new AbortController();
  /** Tasks that need no leadership end: the last thing but the sources. */
  readonly #stopTasks = new AbortController();
  readonly #stopElection = new AbortController();
  readonly #stopSources = new AbortController();
  readonly #running: Running[] = [];
  #election: Promise<void> = Promise.resolve();
  /** What was under way under the leadership when that ended. */
  #underLeadership: readonly CutOff[] = [];

  constructor(options: ManagerOptions, parts: ManagerParts, enter: (phase: ManagerPhase) => void) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#sources = parts.sources;
    this.#shared = parts.shared;
    this.#controllers = parts.controllers;
    this.#tasks = parts.tasks;
    this.#enter = enter;
  }

  async untilEnd(signal: AbortSignal): Promise<ManagerOutcome> {
    const onAbort = () => this.#end({ kind: 'stopped' });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    void this.#start();
    const cause = await this.#cause.promise;
    signal.removeEventListener('abort', onAbort);
    const outcome = await this.#shutDown(cause);
    this.#enter('ended');
    return outcome;
  }

  #end(cause: Cause): void {
    if (this.#stop.signal.aborted) return;
    this.#enter('stopping');
    this.#stop.abort(new MachineryError('manager-ended', `the manager ends: ${cause.kind}`));
    for (const controller of this.#controllers) controller.shutDown();
    this.#cause.resolve(cause);
  }

  /** Servers first, so that probes are answered; then caches; each reconciler only on its caches in sync. */
  async #start(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#enter('syncing');
    const tasksOfAll = this.#tasks.filter((task) => task.needsLeadership !== true);
    for (const task of tasksOfAll) this.#launch(`task ${task.name}`, false, () => task.run(this.#stopTasks.signal));
    for (const source of this.#sources.keys()) {
      const step = `source ${source.name ?? ''}`.trimEnd();
      this.#attempt(step, async () => source.start(this.#stopSources.signal));
    }
    const sync = new SourceSync({
      ...{ clock: this.#clock, sources: this.#sources, stop: this.#stop.signal },
      timeoutMs: this.#options.syncTimeoutMs ?? SYNC_TIMEOUT_MS,
      onTimeout: (source) => this.#options.onSyncTimeout?.(source),
      onFailure: (error) => this.#end({ kind: 'failed', step: 'sync of the sources', error }),
    });
    const { election } = this.#options;
    for (const controller of this.#controllers) {
      if (election !== undefined && controller.needsLeadership) continue;
      void this.#launchController(controller, sync, this.#stop.signal);
    }
    // A replica whose caches are not in sync does not compete: as a leader it could do nothing.
    if (!(await this.#mayLead(sync))) return;
    if (election === undefined) {
      this.#enter('active');
      void this.#launchTasksOfLeader(sync, this.#stop.signal);
      return;
    }
    this.#enter('standby');
    this.#election = this.#attempt('election', async () => {
      const outcome = await election.run(this.#stopElection.signal, {
        ...(this.#options.onNewLeader === undefined ? {} : { onNewLeader: this.#options.onNewLeader }),
        onStartedLeading: (leading) => {
          leading.addEventListener('abort', () => this.#stopLeading(leading.reason), { once: true });
          return this.#startLeading(sync);
        },
      });
      if (outcome.kind === 'lost') {
        this.#end({ kind: 'leadership-lost', reason: outcome.reason, holder: outcome.holder });
      }
    });
  }

  /** True when all sources are in sync or, once that takes too long, a controller could work; false when the run ends. */
  async #mayLead(sync: SourceSync): Promise<boolean> {
    const { signal } = this.#stop;
    const some = Promise.withResolvers<boolean>();
    void sync.late.then(() => {
      for (const controller of this.#controllers) {
        if (!controller.needsLeadership) continue;
        void sync.inSync(this.#sourcesOf(controller), signal).then((synced) => synced && some.resolve(true));
      }
    });
    return await Promise.race([sync.inSync(this.#sources.keys(), signal), some.promise]);
  }

  #sourcesOf(controller: ManagedController): ManagedSource[] {
    return [...this.#shared, ...controller.sources];
  }

  /** Resolves when the work of the leader has ended: only then may the lease be released. */
  async #startLeading(sync: SourceSync): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#enter('active');
    const signal = AbortSignal.any([this.#stop.signal, this.#abortLeader.signal]);
    const ofLeader = this.#controllers.filter((controller) => controller.needsLeadership);
    await Promise.all([
      ...ofLeader.map((controller) => this.#launchController(controller, sync, signal)),
      this.#launchTasksOfLeader(sync, signal),
    ]);
  }

  /** Tasks name no sources, so that they wait for all: a sweeper must not take an empty cache for an empty cluster. */
  async #launchTasksOfLeader(sync: SourceSync, signal: AbortSignal): Promise<void> {
    if (!(await sync.inSync(this.#sources.keys(), signal))) return;
    const tasks = this.#tasks.filter((task) => task.needsLeadership === true);
    await Promise.all(tasks.map((task) => this.#launch(`task ${task.name}`, true, () => task.run(this.#stop.signal))));
  }

  /** The leadership has ended: at once, before the election says why. */
  #stopLeading(reason: unknown): void {
    this.#underLeadership = this.#cutOff(this.#running).filter((cut) => cut.keys.length > 0);
    this.#abortLeader.abort(reason);
  }

  /** As soon as its sources are in sync, unless `signal` aborts before. Resolves when it has ended. */
  async #launchController(controller: ManagedController, sync: SourceSync, signal: AbortSignal): Promise<void> {
    if (!(await sync.inSync(this.#sourcesOf(controller), signal))) return;
    const { election } = this.#options;
    const abort = controller.needsLeadership ? this.#abortLeader.signal : this.#abortOthers.signal;
    const isLeader = () => !controller.needsLeadership || election === undefined || election.isLeader();
    await this.#launch(
      `controller ${controller.name}`,
      true,
      () => controller.run({ stop: this.#stop.signal, abort }, isLeader),
      controller,
    );
  }

  /** Resolves when it has ended. */
  #launch(name: string, drained: boolean, run: () => Promise<void>, controller?: ManagedController): Promise<void> {
    const running: Running = {
      name,
      controller,
      drained,
      settled: false,
      ended: this.#attempt(name, run).then(() => {
        running.settled = true;
      }),
    };
    this.#running.push(running);
    return running.ended;
  }

  /** Runs `act`; its failure ends the manager. Never rejects. */
  async #attempt(step: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#end({ kind: 'failed', step, error });
    }
  }

  async #shutDown(cause: Cause): Promise<ManagerOutcome> {
    const leftQueued = this.#controllers.reduce((sum, controller) => sum + controller.queued, 0);
    const drained = this.#running.filter((r) => !r.settled && r.drained);
    const lost = cause.kind === 'leadership-lost' ? this.#underLeadership : [];
    await this.#wait(drained, this.#options.shutdownDeadlineMs ?? 30_000);
    const late = this.#cutOff(drained).filter((cut) => !lost.some((l) => l.name === cut.name));
    this.#abortLeader.abort(new MachineryError('shutdown-deadline', 'the shutdown deadline has passed'));
    this.#abortOthers.abort(new MachineryError('shutdown-deadline', 'the shutdown deadline has passed'));
    const grace = this.#options.abortGraceMs ?? 1000;
    await this.#wait(drained, grace);
    // The election goes last of the workers: it releases the lease, if nobody works under it any more.
    this.#stopElection.abort(new MachineryError('manager-ended', 'the manager ends'));
    await this.#wait([{ ended: this.#election, settled: false }], this.#releaseMs(drained, grace));
    this.#stopSources.abort(new MachineryError('manager-ended', 'the manager ends'));
    this.#stopTasks.abort(new MachineryError('manager-ended', 'the manager ends'));
    const tasks = this.#running.filter((r) => !r.settled && !drained.includes(r));
    await this.#wait(tasks, grace);
    return { ...cause, cutOff: [...lost, ...late, ...this.#cutOff(tasks)], leftQueued };
  }

  /** What is still running, with the keys of its passes. */
  #cutOff(running: readonly Running[]): CutOff[] {
    return running.filter((r) => !r.settled).map((r) => ({ name: r.name, keys: [...(r.controller?.inFlight ?? [])] }));
  }

  /** A release takes a read and a write; if passes still run it will not happen, and is not waited for. */
  #releaseMs(drained: readonly Running[], grace: number): number {
    return drained.every((r) => r.settled) ? Math.max(grace, 5000) : grace;
  }

  async #wait(running: readonly Pick<Running, 'ended' | 'settled'>[], ms: number): Promise<void> {
    if (running.every((r) => r.settled)) return;
    try {
      await within(this.#clock, ms, undefined, () => Promise.all(running.map((r) => r.ended)));
    } catch {
      // The time is up: what is still running shows in `settled`.
    }
  }
}
