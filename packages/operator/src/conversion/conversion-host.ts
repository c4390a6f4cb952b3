// Keeps one conversion process running: starts it, hands it certificates, and starts another when it has ended, hangs or
// grows. Called by the endpoint, which thinks of it as the server. Its port stays the same for its life.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Clock, sleep, systemClock } from '@podtrail/machinery';
import type { ServingCertificate } from '../certificates/certificate.ts';
import { OperatorError } from '../errors.ts';
import { cannotListen } from '../serving/plain-server.ts';
import { ALIVE_MS, type FromProcess, TOO_LARGE, type ToProcess } from './conversion-process-messages.ts';

export interface ConversionHostOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly certificate: ServingCertificate;
  readonly clock?: Clock;
  /** It had to be started again. */
  readonly onRestart?: (problem: OperatorError) => void;
  /** Where the process is; another one in tests. */
  readonly program?: URL;
}

const PROGRAM = new URL('./conversion-process.ts', import.meta.url);
/** A heap in which one object fits in both versions, many times over. */
const MEMORY = ['--max-old-space-size=64', '--max-semi-space-size=2'];
/**
 * No writing of files, no other processes, no threads: a fault in what reads foreign bytes stays there. Left out where
 * Node cannot allow the network apart from the rest (before 25).
 */
const RIGHTS = ['--permission', '--allow-net', '--allow-fs-read=*', '--disable-warning=ExperimentalWarning'];
const FLAGS = process.allowedNodeEnvironmentFlags.has('--allow-net') ? [...MEMORY, ...RIGHTS] : MEMORY;
/** Below everything that records. */
const NICENESS = 5;
/** Looks at it once in ALIVE_MS: so many in a row without a sign, and it hangs. */
const MOST_SILENT_LOOKS = 5;
const START_MS = 20_000;
const FIRST_REST_MS = 250;
const LONGEST_REST_MS = 10_000;
/** It has worked for so long: the next end is a new matter. */
const WELL_AFTER_MS = 60_000;
const LAST_WORDS = 400;

/** One life of the process: `starting` until it listens, `serving` until it ends or is killed; `closed` is not left. */
type Life =
  | { readonly kind: 'starting' | 'serving'; readonly child: ChildProcess }
  | { readonly kind: 'resting' }
  | { readonly kind: 'closed' };

export class ConversionHost {
  readonly #options: ConversionHostOptions;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  #certificate: ServingCertificate;
  #port: number;
  #life: Life = { kind: 'resting' };
  #restMs = FIRST_REST_MS;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ConversionHostOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#certificate = options.certificate;
    this.#port = options.port;
  }

  /** Resolves with the port. Rejects if it cannot listen there, and then does nothing more. */
  async listen(): Promise<number> {
    const { child, ended } = await this.#start();
    this.#running = this.#keepUp(child, ended);
    return this.#port;
  }

  /** For connections from now on. */
  use(certificate: ServingCertificate): void {
    this.#certificate = certificate;
    if (this.#life.kind === 'serving') send(this.#life.child, { kind: 'use', certificate });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    if ('child' in this.#life) this.#life.child.kill('SIGKILL');
    await this.#running;
    this.#life = { kind: 'closed' };
  }

  /** The process of now, for tests and for the log. */
  get pid(): number | undefined {
    return 'child' in this.#life ? this.#life.child.pid : undefined;
  }

  async #keepUp(first: ChildProcess, ended: Promise<string>): Promise<void> {
    const { signal } = this.#closed;
    let life = { child: first, ended };
    while (!signal.aborted) {
      const begun = this.#clock.monotonic();
      const why = await Promise.race([life.ended, this.#untilSilent(life.child)]);
      life.child.kill('SIGKILL');
      await life.ended;
      if (signal.aborted) return;
      if (this.#clock.monotonic() - begun >= WELL_AFTER_MS) this.#restMs = FIRST_REST_MS;
      this.#report(why);
      const next = await this.#startAgain(signal);
      if (next === undefined) return;
      life = next;
    }
  }

  async #startAgain(signal: AbortSignal) {
    while (!signal.aborted) {
      this.#life = { kind: 'resting' };
      await sleep(this.#clock, this.#restMs, signal).catch(() => undefined);
      this.#restMs = Math.min(2 * this.#restMs, LONGEST_REST_MS);
      if (signal.aborted) return undefined;
      try {
        return await this.#start();
      } catch (error) {
        if (!signal.aborted) this.#options.onRestart?.(error as OperatorError);
      }
    }
    return undefined;
  }

  #report(why: string): void {
    const hint = 'requests for v1alpha1 that were under way have failed; v1 and the recorder are not affected.';
    const sentence = `the conversion process ${why} and is started again`;
    this.#options.onRestart?.(new OperatorError('conversion-ended', sentence, { hint }));
  }

  async #start(): Promise<{ child: ChildProcess; ended: Promise<string> }> {
    const { host, program = PROGRAM } = this.#options;
    const child = fork(fileURLToPath(program), [], {
      execArgv: FLAGS,
      // Nothing of the operator's: neither tokens nor proxies nor options of Node.
      env: { ...(process.env['SystemRoot'] === undefined ? {} : { SystemRoot: process.env['SystemRoot'] }) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#life = { kind: 'starting', child };
    const ended = endOf(child);
    const started = await Promise.race([this.#ready(child, host), ended]);
    if (typeof started !== 'string') {
      this.#life = { kind: 'serving', child };
      this.#port = started.port;
      // Renewed while it was starting.
      send(child, { kind: 'use', certificate: this.#certificate });
      return { child, ended };
    }
    child.kill('SIGKILL');
    await ended;
    this.#life = { kind: 'resting' };
    throw started.startsWith('E')
      ? cannotListen(host, this.#port, Object.assign(new Error(started), { code: started }))
      : new OperatorError('conversion-not-started', `the conversion process ${started}`);
  }

  /** The port; or the code of what forbids to listen, or that it took too long. */
  async #ready(child: ChildProcess, host: string): Promise<{ readonly port: number } | string> {
    const answer = new Promise<{ readonly port: number } | string>((resolve) => {
      child.on('message', (message: FromProcess) => {
        if (message.kind === 'listening') resolve({ port: message.port });
        else if (message.kind === 'refused') resolve(message.code);
      });
    });
    send(child, { kind: 'serve', host, port: this.#port, certificate: this.#certificate });
    lowerPriority(child);
    const patience = new AbortController();
    const late = sleep(this.#clock, START_MS, patience.signal).then(
      () => 'did not start in time',
      () => '',
    );
    try {
      return await Promise.race([answer, late]);
    } finally {
      patience.abort();
    }
  }

  /** Resolves when it gives no sign of life any more. Counted in looks: a host that stood still itself accuses nobody. */
  async #untilSilent(child: ChildProcess): Promise<string> {
    let silentLooks = 0;
    const onMessage = () => (silentLooks = 0);
    child.on('message', onMessage);
    const { signal } = this.#closed;
    while (silentLooks < MOST_SILENT_LOOKS && !signal.aborted && isAlive(child)) {
      await sleep(this.#clock, ALIVE_MS, signal).catch(() => undefined);
      silentLooks++;
    }
    return 'did not answer any more';
  }
}

/** Resolves with how it ended; never rejects. */
async function endOf(child: ChildProcess): Promise<string> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, LAST_WORDS)));
  child.on('error', () => {});
  if (isAlive(child)) await Promise.race([once(child, 'exit').catch(() => undefined), once(child, 'close')]);
  if (child.exitCode === TOO_LARGE) return 'grew too large';
  const how = child.signalCode === null ? `ended with code ${child.exitCode}` : `was ended by ${child.signalCode}`;
  return said === '' ? how : `${how} (${said.replaceAll(/\s+/g, ' ').trim()})`;
}

function isAlive(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

function send(child: ChildProcess, message: ToProcess): void {
  if (child.connected) child.send(message, () => {});
}

/** So that a flood takes the time that is left. Where that is not allowed it runs as everybody does. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // It is only a preference.
  }
}
