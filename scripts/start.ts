// `npm start`: the demo, the same as `npx podtrail demo`. Flags go behind two dashes: npm start -- --seed 7.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
const demo = spawn(process.execPath, [program, 'demo', ...process.argv.slice(2)], { stdio: 'inherit' });
// Ctrl+C reaches both: the demo decides when it is over.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => demo.kill(signal));
// A signal that only npm got ends npm and its shell, and nobody tells us: but then we are somebody else's child.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) demo.kill('SIGTERM');
}, 500).unref();
demo.on('exit', (code) => process.exit(code ?? 1));
