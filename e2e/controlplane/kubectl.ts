// Runs kubectl for a test. The caller's own kubeconfig is never used, nor, unless asked, the environment.
import { spawn } from 'node:child_process';
import { ControlPlaneError } from './control-plane-error.ts';

export interface KubectlOptions {
  readonly kubeconfig: string;
  /** Text for standard input, for example a manifest for `apply -f -`. */
  readonly input?: string;
  /** Only against hanging; three minutes unless given, which is longer than any --timeout that a test gives it. */
  readonly timeoutMs?: number;
  /** With the caller's environment: a kubeconfig of somebody else's cluster may call programs that need it. */
  readonly inheritEnvironment?: boolean;
  /** Variables for it, whatever else it has. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Standard output. A failure carries standard error. */
export function runKubectl(file: string, args: readonly string[], options: KubectlOptions): Promise<string> {
  const { kubeconfig, input = '', timeoutMs = 180_000, inheritEnvironment = false } = options;
  return new Promise((resolve, reject) => {
    const environment = inheritEnvironment ? process.env : { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };
    const cache = inheritEnvironment ? [] : ['--cache-dir', `${kubeconfig}.cache`];
    const env = { ...environment, ...options.environment, KUBECONFIG: kubeconfig };
    const child = spawn(file, [...cache, ...args], { env, timeout: timeoutMs });
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
