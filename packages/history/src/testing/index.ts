// For tests of other packages: builders, and a cluster whose truth is known.
export { type BitsResult, type BitsTally, bitsRun } from './bits/bits-run.ts';
export { aNode, aPod, aService, PodBuilder } from './observed-pod.ts';
export { DAY, IPS, ledgerFacts, ledgerOf } from './random-ledger.ts';
export { readerWith } from './reader-with.ts';
export { SeededNumbers } from './seeded-numbers.ts';
export { simulateCluster } from './simulated-cluster.ts';
export { simulateWatch } from './simulated-watch.ts';
