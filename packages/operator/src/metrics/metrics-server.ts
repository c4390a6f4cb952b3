// /metrics in the Prometheus text format, with what the process itself reports.
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type PlainServer, startPlainServer } from '../serving/plain-server.ts';

/** A registry with the process's own metrics and `podtrail_build_info`. */
export function newRegistry(version: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const build = new Gauge({
    name: 'podtrail_build_info',
    help: 'Always 1; what runs here is in the labels.',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  build.set({ version, node: process.versions.node }, 1);
  return registry;
}

export interface MetricsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
}

export async function serveMetrics({ host, port, registry }: MetricsServerOptions): Promise<PlainServer> {
  const page = async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() });
  return await startPlainServer({ host, port, pages: { '/metrics': page } });
}
