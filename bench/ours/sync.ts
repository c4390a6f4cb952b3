// Starts the measured program as podtrail itself starts: with Node's compile cache, so that from the second start on
// nothing is stripped of types or compiled again. The first round of a run may be the cold one; its figures are kept.
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./measured-sync.ts');
