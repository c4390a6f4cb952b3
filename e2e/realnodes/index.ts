// Real nodes as tests and proofs use them; `startControlPlane({ realNodes })` starts them.
export { ensureNodeBinaries } from './build.ts';
export { APP_IMAGE } from './node-config.ts';
export type { RealNode } from './real-node.ts';
export { missingForRealNodes } from './requirements.ts';
