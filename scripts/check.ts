// `npm run check`: everything that can be said about the code without running it, one step after the other, the same
// here and in CI. Stops at the first step that fails, with its exit code.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

interface Step {
  readonly title: string;
  readonly command: readonly [program: string, ...args: string[]];
}

const bin = (name: string) => join('node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);

const STEPS: readonly Step[] = [
  { title: 'format and lint', command: [bin('biome'), 'check', '--error-on-warnings', '.'] },
  { title: 'types', command: [bin('tsc'), '-p', '.'] },
  { title: 'types of the page', command: [bin('tsc'), '-p', 'packages/web'] },
  { title: 'layers', command: [process.execPath, 'scripts/check-layers.ts'] },
  { title: 'dead exports and dependencies', command: [bin('knip')] },
  { title: 'conformance with client-go', command: [process.execPath, 'scripts/check-conformance.ts'] },
  { title: 'documents', command: [process.execPath, 'scripts/check-docs.ts'] },
  { title: 'words', command: [process.execPath, 'scripts/check-words.ts'] },
];

process.exitCode = runSteps();

function runSteps(): number {
  for (const { title, command } of STEPS) {
    const [program, ...args] = command;
    process.stdout.write(`── ${title}\n`);
    const started = performance.now();
    const shell = program.endsWith('.cmd');
    const { status, signal, error } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], shell });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (status !== 0) {
      process.stderr.write(`── ${title} failed after ${seconds} s${reason(signal, error)}\n`);
      return status ?? 1;
    }
    process.stdout.write(`── ${title}: ${seconds} s\n`);
  }
  return 0;
}

function reason(signal: NodeJS.Signals | null, error: Error | undefined): string {
  if (error !== undefined) return `: ${error.message}`;
  return signal === null ? '' : `: it was ended by ${signal}`;
}
