// Real nodes as tests and proofs use them.
export { type AddressRange, APP_IMAGE } from './node-config.ts';
export { olderKubelets } from './programs.ts';
export type { RealNode } from './real-node.ts';
export { RealNodes, type RealNodesOptions } from './real-nodes.ts';
export { missingForRealNodes } from './requirements.ts';
