// Real nodes as tests and proofs use them; `startControlPlane({ realNodes })` starts them.
export { APP_IMAGE } from './node-config.ts';
export { missingForRealNodes } from './requirements.ts';
