// Runs the built kubectl for a test. The caller's own kubeconfig and environment are never used.
import { spawn } from 'node:child_process';
import { ControlPlaneError } from './control-plane-error.ts';

export interface KubectlOptions {
  readonly kubeconfig: string;
  /** Text for standard input, for example a manifest for `apply -f -`. */
  readonly input?: string;
  readonly timeoutMs?: number;
}

/** Standard output. A failure carries standard error. */
export function runKubectl(file: string, args: readonly string[], options: KubectlOptions): Promise<string> {
  const { kubeconfig, input = '', timeoutMs = 60_000 } = options;
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', KUBECONFIG: kubeconfig };
    const child = spawn(file, ['--cache-dir', `${kubeconfig}.cache`, ...args], { env, timeout: timeoutMs });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => {}); // a kubectl that ends before reading its input says why on standard error
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(stdout);
      const how = signal === null ? `exit code ${code}` : `${signal} after ${timeoutMs / 1000} s`;
      reject(new ControlPlaneError(`kubectl ${args.join(' ')} ended with ${how}: ${stderr.trim()}`));
    });
    child.stdin.end(input);
  });
}
