// One process: shared sources, controllers, other long-running tasks, the election and the checks. Here they are added and
// checked; manager-run.ts runs them. It never exits the process: `run` says why it ended, and the caller does that.
import { systemClock } from '../clock.ts';
import { MachineryError } from '../errors.ts';
import { HealthChecks } from './health.ts';
import type { ManagedSource } from './managed-source.ts';
import type { ManagedController, ManagerOptions, ManagerParts, Task } from './manager-parts.ts';
import { type ManagerOutcome, type ManagerPhase, ManagerRun } from './manager-run.ts';

export class Manager {
  /** For /livez and /healthz. */
  readonly live: HealthChecks;
  /** For /readyz: sources in sync, not stopping. A warm standby is ready. */
  readonly ready: HealthChecks;
  readonly #options: ManagerOptions;
  /** With the name of each. */
  readonly #sources = new Map<ManagedSource, string>();
  /** Those that every controller waits for. */
  readonly #shared = new Set<ManagedSource>();
  readonly #controllers: ManagedController[] = [];
  readonly #tasks: Task[] = [];
  #phase: ManagerPhase = 'idle';

  constructor(options: ManagerOptions = {}) {
    this.#options = options;
    const { clock = systemClock } = options;
    this.live = new HealthChecks(clock);
    this.ready = new HealthChecks(clock);
    this.live.add('ping', () => ({ ok: true }));
    this.ready.add('manager', () =>
      this.#phase === 'standby' || this.#phase === 'active' ? { ok: true } : { ok: false, reason: this.#phase },
    );
  }

  get phase(): ManagerPhase {
    return this.#phase;
  }

  /** True without an election. */
  isLeader(): boolean {
    return this.#options.election?.isLeader() ?? true;
  }

  /** A source that every controller waits for, whether it names it or not. */
  addSource(source: ManagedSource): void {
    this.#refuseWhenRunning();
    this.#shared.add(source);
    this.#startAndCheck(source);
  }

  /** It starts when its own sources are in sync. They are started once, however many controllers share them. */
  addController(controller: ManagedController): void {
    this.#refuseWhenRunning();
    this.#controllers.push(controller);
    for (const source of controller.sources) this.#startAndCheck(source);
  }

  addTask(task: Task): void {
    this.#refuseWhenRunning();
    this.#tasks.push(task);
  }

  /** Runs everything until `signal` aborts, the leadership is lost or something fails; then shuts down. Never rejects. */
  async run(signal: AbortSignal): Promise<ManagerOutcome> {
    this.#refuseWhenRunning();
    const parts: ManagerParts = {
      sources: this.#sources,
      shared: this.#shared,
      controllers: this.#controllers,
      tasks: this.#tasks,
    };
    return await new ManagerRun(this.#options, parts, (phase) => {
      this.#phase = phase;
    }).untilEnd(signal);
  }

  #startAndCheck(source: ManagedSource): void {
    if (this.#sources.has(source)) return;
    const name = this.#nameOf(source);
    this.#sources.set(source, name);
    this.ready.add(`source ${name}`, () => (source.synced ? { ok: true } : { ok: false, reason: 'not in sync yet' }));
  }

  /** Two informers of one kind, with other selectors, have two checks. */
  #nameOf(source: ManagedSource): string {
    const taken = new Set(this.#sources.values());
    const name = source.name ?? String(taken.size + 1);
    let unique = name;
    for (let i = 2; taken.has(unique); i++) unique = `${name} (${i})`;
    return unique;
  }

  #refuseWhenRunning(): void {
    if (this.#phase === 'idle') return;
    throw new MachineryError('already-started', 'the manager has been started', {
      hint: 'Add everything before run, and make a new manager for another run.',
    });
  }
}
