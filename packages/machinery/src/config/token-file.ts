// A bearer token in a file that somebody else rewrites (the kubelet, a login tool). Re-read once a minute and right
// after a 401; an empty or vanished file leaves the last good token in use, as it is caught mid-rotation.
import type { Clock } from '../clock.ts';
import { ConfigError, type MachineryError } from '../errors.ts';
import type { ConfigFiles } from './config-env.ts';
import { readNamedFile } from './file-problem.ts';
import type { Credential, CredentialSource } from './joined-identity.ts';

export interface TokenFileSpec {
  readonly path: string;
  /** Its role in messages, for example `the token file of user "ci"`. */
  readonly what: string;
  /** A token written beside the file's name: used only as long as the file has never been readable. */
  readonly fallbackToken: string | undefined;
}

export interface TokenFileContext {
  readonly files: ConfigFiles;
  readonly clock: Clock;
  readonly onProblem: (problem: MachineryError) => void;
}

/** The kubelet replaces a token at 80 % of its life, which is at least ten minutes: a minute is soon enough. */
const READ_EVERY_MS = 60_000;
const READ_AGAIN_AFTER_FAILURE_MS = 5_000;

export async function openTokenFile(spec: TokenFileSpec, context: TokenFileContext): Promise<CredentialSource> {
  const source = new TokenFile(spec, context);
  await source.current();
  return source;
}

class TokenFile implements CredentialSource {
  readonly #spec: TokenFileSpec;
  readonly #context: TokenFileContext;
  #credential: Credential | undefined;
  #nextRead = Number.NEGATIVE_INFINITY;
  #reported: string | undefined;
  #pending: Promise<Credential> | undefined;

  constructor(spec: TokenFileSpec, context: TokenFileContext) {
    this.#spec = spec;
    this.#context = context;
    if (spec.fallbackToken !== undefined) this.#credential = bearer(spec.fallbackToken, spec.what);
  }

  current(): Promise<Credential> {
    if (this.#credential !== undefined && this.#context.clock.monotonic() < this.#nextRead) {
      return Promise.resolve(this.#credential);
    }
    this.#pending ??= this.#read().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  refuse(rejected: Credential): void {
    if (rejected === this.#credential) this.#nextRead = Number.NEGATIVE_INFINITY;
  }

  async #read(): Promise<Credential> {
    const { path, what } = this.#spec;
    try {
      const token = (await readNamedFile(this.#context.files, path, what)).trim();
      if (token === '') {
        throw new ConfigError('config-token', `${what}, ${path}, is empty`, {
          hint: 'Something must write a token into it.',
        });
      }
      const read = bearer(token, `${what}, ${path},`);
      if (read.authorization !== this.#credential?.authorization) this.#credential = read;
      this.#nextRead = this.#context.clock.monotonic() + READ_EVERY_MS;
      this.#reported = undefined;
      return this.#credential ?? read;
    } catch (error) {
      if (this.#credential === undefined || !(error instanceof ConfigError)) throw error;
      this.#nextRead = this.#context.clock.monotonic() + READ_AGAIN_AFTER_FAILURE_MS;
      if (this.#reported !== error.message) {
        this.#reported = error.message;
        this.#context.onProblem(error);
      }
      return this.#credential;
    }
  }
}

function bearer(token: string, what: string): Credential {
  return { authorization: bearerHeader(token, what), certificate: undefined };
}

/** The header value for a token; throws, without quoting it, if it could not stand in a header. */
export function bearerHeader(token: string, what: string): string {
  const trimmed = token.trim();
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new ConfigError('config-token', `${what} holds a token with spaces or unprintable characters`, {
      hint: 'A token is one word of plain characters; was it copied with a line break?',
    });
  }
  return `Bearer ${trimmed}`;
}
