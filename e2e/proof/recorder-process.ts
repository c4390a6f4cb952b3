// The recorder under proof: `podtrail record` as a process of its own, started, killed and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PODTRAIL = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

export class RecorderProcess {
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  /** The end of what it said, for when it dies by itself. */
  #said = '';

  constructor(kubeconfig: string, store: string) {
    this.#args = [PODTRAIL, 'record', '--kubeconfig', kubeconfig, '--store', store, '--cluster-name', 'proof'];
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get said(): string {
    return this.#said;
  }

  start(): void {
    const child = spawn(process.execPath, [...this.#args], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        this.#said = (this.#said + String(chunk)).slice(-4_000);
      });
    }
    this.#child = child;
  }

  /** SIGKILL: it has no chance to say goodbye. Resolves when it is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}
