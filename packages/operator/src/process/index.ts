// The operator's process, apart from the rest: only `podtrail operator` reads it, and the metrics library with it.
export { Log, type LogLevel, problemOf } from './log.ts';
export { OperatorMonitoring } from './operator-monitoring.ts';
export { OperatorProcess } from './operator-process.ts';
