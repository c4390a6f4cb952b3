// history's public surface: what a recorder writes with, and what every door asks with.
export type { Batch, Cluster, Engine, Writer } from './engines/engine.ts';
export { openStore } from './engines/open-store.ts';
export { HistoryError } from './errors.ts';
export type { Fact } from './model/fact.ts';
export { type IpAddress, parseIp } from './model/ip-address.ts';
export type { Checkpoint, Scope } from './model/records.ts';
export { type EpochMillis, epochMillis } from './model/time.ts';
export type { Observation, Observed } from './observe/observation.ts';
export { Observer, type ObserverState } from './observe/observer.ts';
export type { Answer } from './query/answer.ts';
export { who } from './query/who.ts';
