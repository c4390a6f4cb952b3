// A ledger that is served as people serve it: `podtrail demo`, or `podtrail serve` on a store. A process of its own, on a
// port of its own, ended by who started it.
import assert from 'node:assert/strict';
import { type Ended, PodtrailProcess } from '../cli/podtrail-process.ts';
import { until } from '../controlplane/index.ts';

/** The demo of all tests: the same cluster every time. Its day ends now. */
export const DEMO_SEED = 7;
const DEMO = ['--seed', String(DEMO_SEED), '--nodes', '4', '--pods', '40'];
/** A day of history takes two seconds, and half a minute on a busy machine. */
const PATIENCE_MS = 180_000;

export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly url: string;
}

export class Served {
  /** As it was printed, with the token that works once. */
  readonly url: string;
  readonly origin: string;
  /** For scripts. */
  readonly bearer: string;
  /** `sqlite:PATH`. */
  readonly store: string;
  readonly #process: PodtrailProcess;
  #cookie: Promise<Cookie> | undefined;

  /** `speed` 0: nothing happens by itself, and what is served stays as it is, but for the time that is watched. */
  static async demo({ speed = 0, flags = [] as readonly string[] } = {}): Promise<Served> {
    const process = new PodtrailProcess(['demo', ...DEMO, '--speed', String(speed), '--serve', '0', ...flags]);
    const said = async (expected: RegExp) => await printed(process, expected);
    const url = await said(/^open in a browser, works once: (\S+)$/m);
    const [store, bearer] = await Promise.all([said(/--store (sqlite:\S+)$/m), said(/Bearer (\S+)$/m)]);
    return new Served(process, { url, store, bearer });
  }

  /** Port 0: one that is free. */
  static async store(store: string, { port = 0, flags = [] as readonly string[] } = {}): Promise<Served> {
    const process = new PodtrailProcess(['serve', '--store', store, '--port', String(port), ...flags]);
    const url = await printed(process, /^(http:\S+)$/m);
    await until('it serves', () => process.err.includes('serving '), { withinMs: PATIENCE_MS });
    const bearer = /Bearer (\S+)$/m.exec(process.err)?.[1] ?? '';
    return new Served(process, { url, store, bearer });
  }

  private constructor(process: PodtrailProcess, at: Pick<Served, 'url' | 'store' | 'bearer'>) {
    this.#process = process;
    this.url = at.url;
    this.store = at.store;
    this.bearer = at.bearer;
    this.origin = new URL(at.url).origin;
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  /** What the demo printed: commands with names, addresses and times of this run. */
  get printed(): string {
    return this.#process.out;
  }

  /** Uses up the URL, once; pages that are opened with the cookie are signed in. */
  cookie(): Promise<Cookie> {
    return (this.#cookie ??= this.#exchange());
  }

  async ask<Document>(path: string): Promise<Document> {
    const answer = await fetch(`${this.origin}${path}`, { headers: { authorization: `Bearer ${this.bearer}` } });
    assert.equal(answer.status, 200, path);
    return (await answer.json()) as Document;
  }

  async end(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<Ended> {
    return await this.#process.end(signal);
  }

  async #exchange(): Promise<Cookie> {
    const { status, headers } = await fetch(this.url, { redirect: 'manual' });
    const [, name, value] = /^([^=]+)=([^;]+);/.exec(headers.get('set-cookie') ?? '') ?? [];
    assert.ok(status === 303 && name !== undefined && value !== undefined, 'the URL works once');
    return { name, value, url: this.origin };
  }
}

async function printed(process: PodtrailProcess, expected: RegExp): Promise<string> {
  return await until(
    `podtrail prints ${expected}`,
    () => {
      const whole = process.out.slice(0, process.out.lastIndexOf('\n') + 1);
      const found = expected.exec(whole)?.[1];
      if (found === undefined && process.process.exitCode !== null) throw new Error(`it has ended: ${process.err}`);
      return found;
    },
    { withinMs: PATIENCE_MS },
  );
}
