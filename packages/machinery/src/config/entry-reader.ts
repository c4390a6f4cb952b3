// Reads typed fields out of the untyped tree of one kubeconfig, with sentences that say where a field has the wrong
// type. Only kubeconfig-file.ts uses it. Names the field, never its value.
import { ConfigError } from '../errors.ts';

export class EntryReader {
  readonly #file: string;
  /** The path inside the file, for example `users[1].user.exec`; empty for the root. */
  readonly at: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(file: string, at: string, value: unknown) {
    this.#file = file;
    this.at = at;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.#mismatch('', 'a mapping', value);
    }
    this.#fields = value as Readonly<Record<string, unknown>>;
  }

  get where(): string {
    return this.at === '' ? this.#file : `${this.at} in ${this.#file}`;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#fields, key);
  }

  raw(key: string): unknown {
    return this.has(key) ? this.#fields[key] : undefined;
  }

  /** Undefined for absent, null and "": a kubeconfig does not tell them apart. */
  text(key: string): string | undefined {
    const value = this.raw(key) ?? '';
    if (typeof value !== 'string') throw this.#mismatch(key, 'text (put it into quotes)', value);
    return value === '' ? undefined : value;
  }

  flag(key: string): boolean {
    const value = this.raw(key) ?? false;
    if (typeof value === 'boolean') return value;
    // kubectl reads YAML 1.1, where these words are booleans too.
    if (typeof value === 'string' && /^(y|yes|on)$/i.test(value)) return true;
    if (typeof value === 'string' && /^(n|no|off)$/i.test(value)) return false;
    throw this.#mismatch(key, 'true or false', value);
  }

  texts(key: string): readonly string[] {
    return this.#array(key).map((value, i) => {
      if (typeof value !== 'string') throw this.#mismatch(`${key}[${i}]`, 'text (put it into quotes)', value);
      return value;
    });
  }

  child(key: string): EntryReader | undefined {
    const value = this.raw(key);
    return value === undefined || value === null ? undefined : new EntryReader(this.#file, this.#below(key), value);
  }

  list(key: string): readonly EntryReader[] {
    return this.#array(key).map((value, i) => new EntryReader(this.#file, this.#below(`${key}[${i}]`), value));
  }

  textLists(key: string): Readonly<Record<string, readonly string[]>> {
    const child = this.child(key);
    if (child === undefined) return {};
    return Object.fromEntries(Object.keys(child.#fields).map((name) => [name, child.texts(name)]));
  }

  #array(key: string): readonly unknown[] {
    const value = this.raw(key) ?? [];
    if (!Array.isArray(value)) throw this.#mismatch(key, 'a list', value);
    return value;
  }

  #below(key: string): string {
    return this.at === '' ? key : key === '' ? this.at : `${this.at}.${key}`;
  }

  #mismatch(key: string, wanted: string, value: unknown): ConfigError {
    const at = this.#below(key);
    const found = value === null ? 'nothing' : Array.isArray(value) ? 'a list' : nounOf[typeof value];
    const subject = at === '' ? this.#file : `${at} in ${this.#file}`;
    return new ConfigError('config-shape', `${subject} must be ${wanted}, but is ${found ?? typeof value}`, {
      hint:
        at === ''
          ? 'Is this really a kubeconfig? It starts with "apiVersion: v1" and "kind: Config".'
          : 'Compare the entry with the output of: kubectl config view',
    });
  }
}

const nounOf: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  bigint: 'a number',
  boolean: 'true or false',
  object: 'a mapping',
};
