// Why pods ended, for everything above: the wire, the CLI, the recorder's metrics.
export type { Case, Check } from './case.ts';
export { CAUSES, type Cause, type Verdict } from './cause.ts';
export { explain } from './explain.ts';
