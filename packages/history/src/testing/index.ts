// For tests of other packages: builders, and a cluster whose truth is known.
export { type BitsResult, type BitsTally, bitsRun } from './bits/bits-run.ts';
export { aNode, aPod, aService, PodBuilder } from './observed-pod.ts';
export { readerWith } from './reader-with.ts';
export { simulateCluster } from './simulated-cluster.ts';
export { simulateWatch } from './simulated-watch.ts';
