// Files in memory for the tests of config/: contents may change at any time, and every read and stat is counted.
import type { ConfigFiles } from '../config-env.ts';

export class MemoryFiles implements ConfigFiles {
  readonly #contents = new Map<string, { readonly text: string; readonly version: number }>();
  readonly #failures = new Map<string, string>();
  #version = 0;
  reads = 0;
  stamps = 0;

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  write(path: string, text: string): void {
    this.#contents.set(path, { text, version: ++this.#version });
  }

  remove(path: string): void {
    this.#contents.delete(path);
  }

  /** From now on every access to `path` fails with this errno. */
  fail(path: string, code: string): void {
    this.#failures.set(path, code);
  }

  async read(path: string): Promise<string> {
    this.reads++;
    return this.#entry(path).text;
  }

  async stamp(path: string): Promise<string> {
    this.stamps++;
    return String(this.#entry(path).version);
  }

  #entry(path: string): { readonly text: string; readonly version: number } {
    const failure = this.#failures.get(path);
    const entry = this.#contents.get(path);
    if (failure === undefined && entry !== undefined) return entry;
    const code = failure ?? 'ENOENT';
    throw Object.assign(new Error(`${code}: ${path}`), { code });
  }
}
