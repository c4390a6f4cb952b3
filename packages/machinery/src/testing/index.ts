// What tests of machinery's users need: a clock that the test moves, a scripted server, a feed for informers, a certificate.
export { selfSignedCertificate } from '../config/testing/self-signed-certificate.ts';
export { feed } from './informer-feed.ts';
export { ManualClock, settle } from './manual-clock.ts';
export { MemoryResourceClient, refusal } from './memory-resource-client.ts';
export { aPod, PodBuilder } from './pod-builder.ts';
export { ScriptedCall, ScriptedServer, ScriptedStream, statusBody } from './scripted-server.ts';
