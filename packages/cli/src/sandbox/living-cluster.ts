// A simulated cluster that is populated, lives, and is served: what `podtrail sandbox` and `podtrail demo` share.
import { randomUUID } from 'node:crypto';
import {
  ApiServer,
  ChurnDriver,
  type ChurnKind,
  type ChurnRates,
  type FaultSwitchboard,
  HISTORY_CHURN,
  LIVE_CHURN,
  type SandboxServer,
  SimulatedCluster,
  startSandboxServer,
  VirtualClock,
} from '@podtrail/sandbox';

export interface LivingClusterOptions {
  readonly nodes: number;
  readonly pods: number;
  readonly seed: number;
  /** Milliseconds since 1970 at which its life begins. */
  readonly begins: number;
}

export interface LiveOptions {
  /** Things happen so many times as often. */
  readonly speed: number;
  readonly onChurn?: (kind: ChurnKind, about: string) => void;
  /** Something simulated failed; the rest lives on. */
  readonly onError: (error: unknown) => void;
}

export interface PopulateOptions {
  readonly onSlice?: () => unknown;
  readonly signal: AbortSignal;
}

const MINUTE = 60_000;

/** Whose kubeconfig is handed out. */
export const ADMIN = 'admin';

/** A day has to be lived in seconds, also on a small machine: this part of what usually happens is enough to look at. */
const HISTORY_SPEED = 0.15;

/** Until all pods of a new cluster run, in virtual time, and no longer than this. */
const SETTLING_STEP_MS = 5_000;
const SETTLING_MOST_MS = 10 * MINUTE;

/** A cluster that shall live now begins so long before: it starts faster than the machine's time, and must not end ahead. */
export const STARTING_MS = 2 * MINUTE;

export class LivingCluster {
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly cluster: SimulatedCluster;
  readonly #seed: number;
  #churn: ChurnDriver | undefined;

  constructor(options: LivingClusterOptions) {
    this.#seed = options.seed;
    this.clock = new VirtualClock(options.begins);
    this.api = new ApiServer({ clock: this.clock, seed: options.seed });
    const podsPerNode = Math.max(110, Math.ceil((options.pods / options.nodes) * 1.5));
    const { clock, api } = this;
    const { seed, nodes } = options;
    // Nodes that report that nothing has changed are no news, and a third of all writes.
    this.cluster = new SimulatedCluster({ api, clock, seed, nodes, podsPerNode, nodeStatusEveryMs: 0 });
  }

  /** Resolves when all pods run, or it was stopped; `onSlice` lets others keep up. */
  async populate(pods: number, options: PopulateOptions): Promise<void> {
    this.cluster.populate({ pods });
    const latest = this.clock.now() + SETTLING_MOST_MS;
    do {
      await this.clock.runUntil(this.clock.now() + SETTLING_STEP_MS, options);
    } while (!this.cluster.isSettled && this.clock.now() < latest && !options.signal.aborted);
  }

  /** Lives as fast as it can until the machine's own time is reached. */
  async catchUp(onSlice: () => unknown, signal: AbortSignal): Promise<void> {
    this.#churnAt(HISTORY_CHURN, HISTORY_SPEED);
    await this.clock.runUntil(() => Date.now(), { onSlice, signal });
  }

  /** The same, while nothing happens but what the cluster does by itself. */
  async arrive(signal: AbortSignal): Promise<void> {
    await this.clock.runUntil(() => Date.now(), { signal });
  }

  /** From now on at the pace of the machine, and never ahead of it. */
  live({ speed, onChurn, onError }: LiveOptions): void {
    this.#churnAt(LIVE_CHURN, speed, onChurn);
    this.clock.follow({ from: Date.now(), onError });
  }

  /** For those who hold its kubeconfig: the sandbox of one user is not another's, also on a shared machine. */
  serve(port: number, faults?: FaultSwitchboard): Promise<SandboxServer> {
    const access = { tokens: { [randomUUID()]: ADMIN } };
    return startSandboxServer({ api: this.api, port, access, ...(faults === undefined ? {} : { faults }) });
  }

  close(): void {
    this.#churn?.stop();
    this.clock.stop();
    this.cluster.close();
  }

  #churnAt(rates: ChurnRates, speed: number, onChurn?: LiveOptions['onChurn']): void {
    this.#churn?.stop();
    const scaled = Object.fromEntries(Object.entries(rates).map(([kind, ms]) => [kind, ms / speed]));
    const { cluster } = this;
    this.#churn = new ChurnDriver({ cluster, seed: this.#seed, rates: scaled, ...(onChurn && { onChurn }) });
    if (speed > 0) this.#churn.start();
  }
}
