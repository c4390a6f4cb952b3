// Metrics and health, apart from the rest: the metrics library is read only by those who serve it.
export { type HealthServerOptions, serveHealth } from './health/health-server.ts';
export { addRecorderLiveness, addRecorderReadiness } from './health/recorder-health.ts';
export { type MetricsServerOptions, newRegistry, serveMetrics } from './metrics/metrics-server.ts';
export { MoveMetrics } from './metrics/move-metrics.ts';
export { RecorderMetrics } from './metrics/recorder-metrics.ts';
export { requestMetrics } from './metrics/request-metrics.ts';
export type { PlainServer } from './serving/plain-server.ts';
