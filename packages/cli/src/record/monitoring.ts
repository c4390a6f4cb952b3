// The two ports of a running recorder, each only if it was asked for: metrics, and the answers to probes. They are there
// before the cluster has answered, so that a probe learns why it is not ready.
import { type Clock, HealthChecks, type RequestObserver } from '@podtrail/machinery';
import type { MoveFollower, MoveListener, Recorder, RecorderListener } from '@podtrail/operator';
import { UsageError } from '../errors.ts';

export interface MonitoringOptions {
  readonly metricsPort: number | undefined;
  readonly healthPort: number | undefined;
  readonly bind: string;
  readonly clock: Clock;
  readonly version: string;
}

export interface Monitoring {
  readonly observer: RequestObserver | undefined;
  readonly listeners: readonly RecorderListener[];
  /** Counts moves; undefined where nobody asks for them. Called at most once, and only where causes are recorded. */
  moves(): MoveListener | undefined;
  /** Where it can be asked; for the log. */
  readonly addresses: Readonly<Record<string, string>>;
  /** From now on it reports this recorder. */
  watch(recorder: Recorder, moves: MoveFollower | undefined): void;
  close(): Promise<void>;
}

const NOT_BEGUN = 'the cluster or its ledger is still being opened';

export async function startMonitoring(options: MonitoringOptions): Promise<Monitoring> {
  const { metricsPort, healthPort, bind, clock, version } = options;
  if (metricsPort === undefined && healthPort === undefined) return NONE;
  if (metricsPort === healthPort && metricsPort !== 0)
    throw new UsageError(`--metrics-port and --health-port are both ${metricsPort}`, 'give each a port of its own.');
  // Read only here: no other command should wait for the metrics library.
  const tools = await import('@podtrail/operator/monitoring');
  const live = new HealthChecks(clock);
  const ready = new HealthChecks(clock);
  ready.add('recorder', () => ({ ok: false, reason: NOT_BEGUN }));
  const registry = tools.newRegistry(version);
  const metrics = new tools.RecorderMetrics(registry);
  let moveMetrics: InstanceType<typeof tools.MoveMetrics> | undefined;
  const addresses: Record<string, string> = {};
  const servers: { close(): Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
  const note = (what: string, path: string, server: { readonly port: number; close(): Promise<void> }) => {
    servers.push(server);
    addresses[what] = `http://${bind.includes(':') ? `[${bind}]` : bind}:${server.port}${path}`;
  };
  try {
    if (metricsPort !== undefined)
      note('metrics', '/metrics', await tools.serveMetrics({ host: bind, port: metricsPort, registry }));
    if (healthPort !== undefined)
      note('health', '/readyz', await tools.serveHealth({ host: bind, port: healthPort, live, ready, clock }));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    observer: metricsPort === undefined ? undefined : tools.requestMetrics(registry),
    listeners: metricsPort === undefined ? [] : [metrics],
    moves() {
      if (metricsPort !== undefined) moveMetrics = new tools.MoveMetrics(registry);
      return moveMetrics;
    },
    addresses,
    watch(recorder, moves) {
      metrics.watch(recorder, clock);
      if (moves !== undefined) moveMetrics?.watch(moves);
      tools.addRecorderLiveness(live, recorder);
      tools.addRecorderReadiness(ready, recorder, clock);
      ready.add('recorder', () => ({ ok: true }));
    },
    close,
  };
}

const NONE: Monitoring = {
  observer: undefined,
  listeners: [],
  moves: () => undefined,
  addresses: {},
  watch() {},
  close: async () => {},
};
