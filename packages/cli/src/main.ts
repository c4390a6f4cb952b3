// The podtrail program, also as `kubectl podtrail`. People start it through podtrail.mjs, which looks at the version of Node
// first; our own processes start it straight.
import { enableCompileCache } from 'node:module';
import { keepHeapSmall, runsForDays } from './small-heap.ts';

// Before anything of ours is loaded: with it the second start takes half the time of the first.
enableCompileCache();
if (runsForDays(process.argv.slice(2))) keepHeapSmall();
const { runPodtrail } = await import('./run.ts');
const { systemCommandEnv } = await import('./system-command-env.ts');

const { commandEnv, ended } = systemCommandEnv();
const code = await runPodtrail(process.argv.slice(2), commandEnv);
ended();
// Interrupted work may go on in the thread of a store: nobody waits for it.
if (commandEnv.signal.aborted) process.exit(code);
process.exitCode = code;
