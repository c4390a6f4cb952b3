// `podtrail serve` inside the test's process, on a ledger that the test has filled, until the test ends.
import type { TestContext } from 'node:test';
import type { Sink } from '../command-env.ts';
import { type Ran, type RunOptions, run } from './run-in-process.ts';

export interface Served {
  /** As it was printed, with the token that works once. */
  readonly url: string;
  readonly origin: string;
  readonly token: string;
  /** What standard error has so far. */
  err(): string;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** As Ctrl+C does. */
  stop(): Promise<Ran>;
}

export async function serve(t: TestContext, options: RunOptions, ...words: string[]): Promise<Served> {
  const stop = new AbortController();
  const out = new WatchedSink();
  const err = new WatchedSink();
  const env = { ...options, stdout: out, stderr: err, signal: stop.signal };
  const ran = run(['serve', '--port', '0', ...words], env);
  const ended = async () => {
    stop.abort();
    return { ...(await ran), out: out.text, err: err.text };
  };
  t.after(ended);
  const failed = ran.then(() => Promise.reject(new Error(`serve ended: ${err.text}`)));
  failed.catch(() => {});
  const url = await Promise.race([out.until(/^(http:\S+)\n/), failed]);
  const token = await Promise.race([err.until(/(?:Bearer (\S+)\n)?serving .*\n/), failed]);
  const { origin } = new URL(url);
  return {
    ...{ url, origin, token, err: () => err.text, stop: ended },
    get: (path, init = {}) =>
      fetch(`${origin}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
  };
}

class WatchedSink implements Sink {
  readonly isTTY = false;
  text = '';
  #changed = () => {};

  async write(text: string | Uint8Array): Promise<void> {
    this.text += typeof text === 'string' ? text : Buffer.from(text).toString();
    this.#changed();
  }

  /** The first group of what it matches. */
  async until(expected: RegExp): Promise<string> {
    for (;;) {
      const found = expected.exec(this.text);
      if (found !== null) return found[1] ?? '';
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}
