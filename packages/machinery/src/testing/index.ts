// What tests of machinery's users need: a clock that moves when told, and a server that answers as told.
export { feed } from './informer-feed.ts';
export { ManualClock, settle } from './manual-clock.ts';
export { MemoryResourceClient, refusal } from './memory-resource-client.ts';
export { aPod, PodBuilder } from './pod-builder.ts';
export { ScriptedCall, ScriptedServer, ScriptedStream, statusBody } from './scripted-server.ts';
