// A candidate as a test sees it: a child process, what it said, and the signals it can be sent.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CandidateMessage, CandidateSettings } from './candidate.ts';

export class CandidateProcess {
  readonly identity: string;
  readonly #child: ChildProcess;
  readonly #messages: CandidateMessage[] = [];
  readonly #exited: Promise<unknown>;

  constructor(t: TestContext, settings: CandidateSettings) {
    this.identity = settings.identity;
    this.#child = fork(fileURLToPath(new URL('./candidate.ts', import.meta.url)), [JSON.stringify(settings)]);
    this.#child.on('message', (message: CandidateMessage) => this.#messages.push(message));
    this.#exited = once(this.#child, 'exit');
    t.after(async () => {
      this.signal('SIGKILL');
      await this.#exited;
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** The first message of this kind, as soon as there is one; rejects if the process ends without it. */
  async said<K extends CandidateMessage['kind']>(kind: K): Promise<CandidateMessage & { kind: K }> {
    for (;;) {
      const message = this.#messages.find((m): m is CandidateMessage & { kind: K } => m.kind === kind);
      if (message !== undefined) return message;
      const over = this.#exited.then(() => 'exited');
      if ((await Promise.race([once(this.#child, 'message'), over])) !== 'exited') continue;
      if (!this.#messages.some((m) => m.kind === kind)) throw new Error(`${this.identity} ended without: ${kind}`);
    }
  }

  async sawLeader(identity: string): Promise<void> {
    while (this.#messages.filter((m) => m.kind === 'saw-leader').at(-1)?.identity !== identity) {
      await once(this.#child, 'message');
    }
  }

  has(kind: CandidateMessage['kind']): boolean {
    return this.#messages.some((m) => m.kind === kind);
  }
}

/** The first of the candidates that leads. */
export async function firstLeader(candidates: readonly CandidateProcess[]): Promise<CandidateProcess> {
  return await Promise.any(candidates.map((candidate) => candidate.said('leads').then(() => candidate)));
}
