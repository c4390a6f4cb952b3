// Builds the Go half of the benchmarks (the loader and the client-go peer) and runs the loader.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { BenchError } from '../benchmark.ts';

export interface GoPrograms {
  readonly load: string;
  readonly sync: string;
}

const MODULE = join(import.meta.dirname, '..', 'peers', 'go');

/** Go's own build cache makes every build but the first a matter of seconds. */
export async function buildGoPrograms(directory: string): Promise<GoPrograms> {
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
  const flags = ['-trimpath', '-buildvcs=false', '-mod=readonly', '-ldflags', '-s -w'];
  try {
    await output('go', ['build', ...flags, '-o', directory, './load', './sync'], { cwd: MODULE, env });
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw missing ? new BenchError('The peers are built with Go, and no Go is on PATH: https://go.dev/dl/') : error;
  }
  return { load: join(directory, 'load'), sync: join(directory, 'sync') };
}

/** Runs the loader; its progress is shown, its JSON line is returned. */
export async function runLoader<T>(programs: GoPrograms, mode: 'fill' | 'touch', args: readonly string[]): Promise<T> {
  return JSON.parse(await output(programs.load, [mode, ...args], { showErrors: true })) as T;
}

interface OutputOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Pass standard error through instead of keeping it for the error message. */
  readonly showErrors?: boolean;
}

export function output(command: string, args: readonly string[], options: OutputOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', options.showErrors ? 'inherit' : 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new BenchError(`${command} ended with ${signal ?? `exit code ${code}`}\n${stderr.slice(-2000)}`));
    });
  });
}
