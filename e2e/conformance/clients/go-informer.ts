// Builds and runs informer.go, a client-go informer, with the Go module of the benchmarks' peers.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const SOURCE = join(import.meta.dirname, 'informer.go');
const MODULE = join(import.meta.dirname, '..', '..', '..', 'bench', 'peers', 'go');

export async function buildInformer(directory: string): Promise<string> {
  const program = join(directory, 'informer');
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
  const flags = ['-trimpath', '-buildvcs=false', '-mod=readonly'];
  await promisify(execFile)('go', ['build', ...flags, '-o', program, SOURCE], { cwd: MODULE, env });
  return program;
}

/** What the informer gets, line by line. */
export class GoInformer {
  readonly lines: string[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  #errors = '';
  #wake: () => void = () => {};

  constructor(program: string, args: readonly string[]) {
    this.#child = spawn(program, args);
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.lines.push(line);
      this.#wake();
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    this.#ended = new Promise((resolve) => this.#child.on('close', () => resolve(this.#wake())));
  }

  /** Resolves once a line matches. */
  async seen(line: RegExp): Promise<string> {
    for (;;) {
      const found = this.lines.find((said) => line.test(said));
      if (found !== undefined) return found;
      if (this.#child.exitCode !== null) throw new Error(`the informer ended: ${this.#errors.slice(-2000)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }
}
