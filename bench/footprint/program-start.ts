// What one short run of a program costs, whole process: wall time from its start to its end, and its peak memory. The
// two are measured in different runs, because reading the peak takes time. Used by `npm run bench -- footprint`.
import { spawn } from 'node:child_process';
import { BenchError } from '../benchmark.ts';
import { median } from '../median.ts';

export interface Program {
  readonly name: string;
  readonly args: readonly string[];
}

export interface Start {
  readonly name: string;
  readonly medianMs: number;
  readonly leastMs: number;
  readonly peakRssBytes: number;
}

/** Written at the very end of the process to its fourth file. */
const REPORT_PEAK = `import { readFileSync, writeSync } from 'node:fs';
process.on('exit', () => writeSync(3, /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]));`;
const PRELOAD = ['--import', `data:text/javascript,${encodeURIComponent(REPORT_PEAK)}`];
const ROUNDS_FOR_MEMORY = 5;

/** Interleaved, so that a slow minute of the machine falls on everyone; the first round warms caches. */
export async function measureStarts(programs: readonly Program[], rounds: number): Promise<Start[]> {
  const times = programs.map((): number[] => []);
  const peaks = programs.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, { name, args }] of programs.entries()) {
      const { ms } = await run(name, args);
      if (round > 0) times[at]!.push(ms);
    }
  }
  for (let round = 0; round < ROUNDS_FOR_MEMORY; round++) {
    for (const [at, { name, args }] of programs.entries()) {
      peaks[at]!.push((await run(name, [...PRELOAD, ...args])).peakRssBytes);
    }
  }
  return programs.map(({ name }, at) => ({
    name,
    medianMs: median(times[at]!),
    leastMs: Math.min(...times[at]!),
    peakRssBytes: median(peaks[at]!),
  }));
}

async function run(name: string, args: readonly string[]): Promise<{ ms: number; peakRssBytes: number }> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  let said = '';
  let peak = '';
  child.stderr?.on('data', (text) => (said += text));
  child.stdio[3]?.on('data', (text) => (peak += text));
  return await new Promise((resolve, reject) => {
    let ms = 0;
    child.on('error', reject);
    child.on('exit', () => (ms = performance.now() - begun));
    child.on('close', (code) => {
      if (code === 0) resolve({ ms, peakRssBytes: Number(peak) * 1024 });
      else reject(new BenchError(`${name} ended with exit code ${code}:\n${said.slice(-2000)}`));
    });
  });
}
