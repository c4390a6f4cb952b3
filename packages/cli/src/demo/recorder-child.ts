// The demo's recorder: `podtrail record` as a process of its own, because a demo that kills it should kill something.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface RecorderChildOptions {
  readonly kubeconfig: string;
  readonly store: string;
  readonly clusterName: string;
  /** Where its log goes. */
  readonly log: string;
  /** It ended and had not been stopped. */
  readonly onEnded: (code: number | null) => void;
}

export class RecorderChild {
  readonly #options: RecorderChildOptions;
  #child: ChildProcess | undefined;

  constructor(options: RecorderChildOptions) {
    this.#options = options;
  }

  get runs(): boolean {
    return this.#child !== undefined;
  }

  start(): void {
    const { kubeconfig, store, clusterName, log, onEnded } = this.#options;
    const program = fileURLToPath(new URL('../main.ts', import.meta.url));
    const watchdog = new URL('../end-with-parent.ts', import.meta.url).href;
    const flags = ['--kubeconfig', kubeconfig, '--store', store, '--cluster-name', clusterName, '--collector', 'demo'];
    const file = openSync(log, 'a', 0o600);
    const child = spawn(
      process.execPath,
      ['--import', `${watchdog}?parent=${process.pid}`, program, 'record', ...flags],
      {
        stdio: ['ignore', file, file],
      },
    );
    closeSync(file);
    this.#child = child;
    child.on('error', () => this.#ended(child, null, onEnded));
    child.on('exit', (code) => this.#ended(child, code, onEnded));
  }

  /** At once, as a crash or the kernel would. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** It may store what it has seen. */
  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    // Whoever does not hear the polite word within a while is not waited for.
    const impatient = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await exited;
    clearTimeout(impatient);
  }

  #ended(child: ChildProcess, code: number | null, onEnded: (code: number | null) => void): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    onEnded(code);
  }
}
