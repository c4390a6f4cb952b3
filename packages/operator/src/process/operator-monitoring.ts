// The operator's two ports: metrics, and the answers to probes. They are there before the cluster has answered, so that
// a probe gets the reason why it is not ready; from `watch` on they report the running process.
import {
  type CheckResult,
  type Clock,
  HealthChecks,
  type HealthReport,
  type RequestObserver,
} from '@podtrail/machinery';
import type { Registry } from 'prom-client';
import { serveHealth } from '../health/health-server.ts';
import { addRecorderLiveness, addRecorderReadiness } from '../health/recorder-health.ts';
import { newRegistry, serveMetrics } from '../metrics/metrics-server.ts';
import { RecorderMetrics } from '../metrics/recorder-metrics.ts';
import { requestMetrics } from '../metrics/request-metrics.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { PlainServer } from '../serving/plain-server.ts';

export interface OperatorMonitoringOptions {
  readonly host: string;
  readonly metricsPort: number;
  readonly healthPort: number;
  readonly clock: Clock;
  readonly version: string;
}

/** What the manager knows of itself. */
interface Checked {
  readonly live: Pick<HealthChecks, 'report'>;
  readonly ready: Pick<HealthChecks, 'report'>;
}

export class OperatorMonitoring {
  readonly registry: Registry;
  readonly recorderMetrics: RecorderMetrics;
  readonly observer: RequestObserver;
  readonly #clock: Clock;
  readonly #live: HealthChecks;
  readonly #ready: HealthChecks;
  #servers: { readonly metrics: PlainServer; readonly health: PlainServer } | undefined;

  static async start(options: OperatorMonitoringOptions): Promise<OperatorMonitoring> {
    const monitoring = new OperatorMonitoring(options);
    await monitoring.#listen(options);
    return monitoring;
  }

  private constructor({ clock, version }: OperatorMonitoringOptions) {
    this.#clock = clock;
    this.registry = newRegistry(version);
    this.recorderMetrics = new RecorderMetrics(this.registry);
    this.observer = requestMetrics(this.registry);
    this.#live = new HealthChecks(clock);
    this.#ready = new HealthChecks(clock);
    this.#ready.add('recorder', () => ({ ok: false, reason: 'the cluster or its ledger is still being opened' }));
  }

  /** For the log. */
  get addresses(): Readonly<Record<string, string>> {
    const url = ({ host, port }: PlainServer, path: string) =>
      `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
    if (this.#servers === undefined) return {};
    return { metrics: url(this.#servers.metrics, '/metrics'), health: url(this.#servers.health, '/readyz') };
  }

  /** From now on it reports these. */
  watch(recorder: Recorder, manager: Checked): void {
    this.recorderMetrics.watch(recorder, this.#clock);
    addRecorderLiveness(this.#live, recorder);
    addRecorderReadiness(this.#ready, recorder, this.#clock);
    this.#ready.add('recorder', () => ({ ok: true }));
    this.#live.add('controllers', async () => joined(await manager.live.report()));
    this.#ready.add('controllers', async () => joined(await manager.ready.report()));
  }

  async close(): Promise<void> {
    await Promise.all([this.#servers?.metrics.close(), this.#servers?.health.close()]);
  }

  async #listen({ host, metricsPort, healthPort }: OperatorMonitoringOptions): Promise<void> {
    const metrics = await serveMetrics({ host, port: metricsPort, registry: this.registry });
    try {
      const health = await serveHealth({
        host,
        port: healthPort,
        live: this.#live,
        ready: this.#ready,
        clock: this.#clock,
      });
      this.#servers = { metrics, health };
    } catch (error) {
      await metrics.close();
      throw error;
    }
  }
}

/** Many checks as one. */
function joined({ ok, checks }: HealthReport): CheckResult {
  if (ok) return { ok };
  const failed = checks.filter((check) => !check.ok);
  return { ok, reason: failed.map(({ name, reason }) => `${name}: ${reason}`).join('; ') };
}
