// The podtrail program as people start it: a process of its own, with its two outputs kept. Used by the CLI tests.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../controlplane/index.ts';

const PODTRAIL = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
/** Where npm links the programs of the workspace, and the pinned Node. */
export const BIN = fileURLToPath(new URL('../../node_modules/.bin/', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export class PodtrailProcess {
  readonly process: ChildProcess;
  out = '';
  err = '';
  readonly #exited: Promise<unknown>;

  constructor(words: readonly string[], options: { env?: Readonly<Record<string, string>>; input?: string } = {}) {
    const env = { ...process.env, TZ: 'UTC', NO_COLOR: '1', ...options.env };
    this.process = spawn(process.execPath, [PODTRAIL, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.process.stdin?.on('error', () => {});
    this.process.stdin?.end(options.input ?? '');
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.err += text));
    this.#exited = once(this.process, 'close');
  }

  async ended(): Promise<Ended> {
    await this.#exited;
    return { code: this.process.exitCode, out: this.out, err: this.err };
  }

  async end(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<Ended> {
    this.process.kill(signal);
    return await this.ended();
  }

  /** Resolves once it has said so on standard error, in a line that is there to its end. */
  async untilSaid(text: string, withinMs = 60_000): Promise<void> {
    await until(
      `podtrail says ${text}`,
      () => {
        if (this.err.slice(0, this.err.lastIndexOf('\n') + 1).includes(text)) return true;
        const over = this.process.exitCode !== null || this.process.signalCode !== null;
        throw new Error(`${over ? 'it has ended' : 'not yet'}; so far:\n${this.err}`);
      },
      { withinMs },
    );
  }
}

export async function podtrail(
  words: string,
  options: { env?: Readonly<Record<string, string>>; input?: string } = {},
): Promise<Ended> {
  return await new PodtrailProcess(words.split(' '), options).ended();
}
