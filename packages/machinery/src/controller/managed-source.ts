// What the manager needs to know of an informer, and of anything else that must be in sync before reconcilers run.

export interface ManagedSource {
  /** For checks and messages. */
  readonly name?: string;
  /** True once the first full state is in the cache; stays true. */
  readonly synced: boolean;
  /** Runs until the signal aborts. A rejected promise, or a throw, is a failure of the process. */
  start(signal: AbortSignal): void | Promise<void>;
  waitForSync(signal?: AbortSignal): Promise<void>;
}
