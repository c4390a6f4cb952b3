// One program of the control plane under the hands of a test: started until it answers its health check, stopped,
// killed, paused, continued, restarted. Knows nothing of what the program does.
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlPlaneError } from './control-plane-error.ts';
import { type RunningProgram, startProgram } from './supervisor.ts';

export interface PartOptions {
  readonly name: string;
  readonly file: string;
  /** Read again at every start, so that a restart can use other flags. */
  readonly args: () => readonly string[];
  readonly directory: string;
  readonly logFile: string;
  readonly port: number;
  /** Resolves when the program serves; any rejection means not yet. */
  readonly check: () => Promise<void>;
  readonly readyWithinMs?: number;
}

/** Also after the ten seconds that a part has to end in order. */
const SIGNALLED_WITHIN_MS = 60_000;

export class Part {
  readonly name: string;
  readonly port: number;
  readonly logFile: string;
  readonly #options: PartOptions;
  #running: RunningProgram | undefined;
  #ended: string | undefined;

  constructor(options: PartOptions) {
    this.name = options.name;
    this.port = options.port;
    this.logFile = options.logFile;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#running?.pid;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when the part answers its health check. A failure carries the end of its log. */
  async start(): Promise<void> {
    await this.launch();
    await this.ready();
  }

  /** Starts without waiting for readiness, for a test that looks at the time in between. */
  async launch(): Promise<void> {
    if (this.#running) throw new ControlPlaneError(`${this.name} is running already.`);
    const { file, args, directory, logFile } = this.#options;
    const running = await startProgram({ file, args: args(), cwd: directory, log: logFile });
    this.#running = running;
    this.#ended = undefined;
    running.ended.then((how) => {
      if (this.#running !== running) return;
      this.#running = undefined;
      this.#ended = how;
    });
  }

  async ready(): Promise<void> {
    const { readyWithinMs = 180_000, check } = this.#options;
    const deadline = performance.now() + readyWithinMs;
    let last: unknown;
    while (this.#running && performance.now() < deadline) {
      try {
        await check();
        return;
      } catch (error) {
        last = error;
      }
      await sleep(50);
    }
    const ended = this.#running ? `was not ready within ${readyWithinMs / 1000} s` : `ended (${this.#ended})`;
    throw new ControlPlaneError(`${this.name} ${ended}. The end of its log:\n${this.logTail()}`, { cause: last });
  }

  /** SIGTERM, and SIGKILL for one that is still there after `withinMs`. Stopping a stopped part does nothing. */
  async stop(withinMs = 10_000): Promise<void> {
    const running = this.#running;
    if (!running) return;
    running.signal('SIGCONT');
    running.signal('SIGTERM');
    const timer = setTimeout(() => running.signal('SIGKILL'), withinMs);
    await this.#within('has not ended after SIGTERM and SIGKILL', running.ended);
    clearTimeout(timer);
  }

  /** SIGKILL, then waits until the process is gone. */
  async kill(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    running.signal('SIGKILL');
    await this.#within('has not ended after SIGKILL', running.ended);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** SIGSTOP: the process keeps its connections and does nothing. Resolves when it has stopped. */
  async pause(): Promise<void> {
    await this.#signalAndAwaitState('SIGSTOP', (state) => state === 'T');
  }

  /** SIGCONT. */
  async resume(): Promise<void> {
    await this.#signalAndAwaitState('SIGCONT', (state) => state !== 'T');
  }

  /** The last lines that the program wrote. */
  logTail(lines = 25): string {
    const file = openSync(this.logFile, 'a+');
    try {
      const { size } = fstatSync(file);
      const buffer = Buffer.alloc(Math.min(size, 64 * 1024));
      readSync(file, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
    } finally {
      closeSync(file);
    }
  }

  async #signalAndAwaitState(signal: NodeJS.Signals, reached: (state: string) => boolean): Promise<void> {
    const running = this.#running;
    if (!running) throw new ControlPlaneError(`${this.name} is not running, so it cannot get ${signal}.`);
    running.signal(signal);
    // A signal acts some time after it was sent. Linux tells when; elsewhere a moment must do.
    if (process.platform !== 'linux') return sleep(100);
    const deadline = performance.now() + SIGNALLED_WITHIN_MS;
    while (this.#running === running && !reached(processState(running.pid))) {
      if (performance.now() > deadline) throw this.#stuck(`does not follow ${signal}`);
      await sleep(2);
    }
  }

  /** The kernel does what a signal asks for soon; a wait without an end would hang the whole run. */
  async #within(what: string, happened: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#stuck(what)), SIGNALLED_WITHIN_MS);
    });
    try {
      await Promise.race([happened, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #stuck(what: string): ControlPlaneError {
    const pid = this.#running?.pid;
    const state = pid === undefined ? 'gone' : processState(pid);
    return new ControlPlaneError(`${this.name} ${what}, within ${SIGNALLED_WITHIN_MS / 1000} s (state ${state}).`);
  }
}

/** The state letter of a Linux process: `T` is stopped. */
function processState(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.charAt(stat.lastIndexOf(')') + 2);
  } catch {
    return 'gone';
  }
}
