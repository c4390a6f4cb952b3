// TLS material that lives in files, reloaded while we run: certificates rotate under long-lived processes. A file that
// is caught half-written, or a certificate whose key has not arrived yet, leaves the previous good material in place.
import type { Clock } from '../clock.ts';
import { ConfigError, type MachineryError } from '../errors.ts';
import type { ConfigFiles } from './config-env.ts';
import { fileProblem, isMissingFile, readNamedFile } from './file-problem.ts';
import type { TlsMaterial } from './identity.ts';
import type { TlsSource } from './joined-identity.ts';
import { checkAuthority, checkPair } from './pem.ts';
import { sealTls } from './redaction.ts';

/** PEM text as it is, or the file to read (and watch) it from. `what` names its role in messages. */
export type PemSource =
  | { readonly kind: 'text'; readonly pem: string; readonly what: string }
  | { readonly kind: 'file'; readonly path: string; readonly what: string };

export interface TlsSpec {
  readonly ca: PemSource | undefined;
  /** A pod may have no ca.crt: then the system's roots hold until the file appears. */
  readonly caMayBeMissing?: boolean;
  readonly pair: { readonly cert: PemSource; readonly key: PemSource } | undefined;
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
}

export interface TlsFilesContext {
  readonly files: ConfigFiles;
  readonly clock: Clock;
  /** Called once for each distinct problem, while the previous material stays in use. */
  readonly onProblem: (problem: MachineryError) => void;
}

/** Two stats every so often are nothing, and a rotated certificate stays valid far longer than this. */
const CHECK_EVERY_MS = 5_000;

/** Reads and checks everything once, so that a broken file is an error at the start rather than at the first request. */
export async function openTlsFiles(spec: TlsSpec, context: TlsFilesContext): Promise<TlsSource> {
  const source = new TlsFiles(spec, context);
  await source.load();
  return source;
}

class TlsFiles implements TlsSource {
  readonly #spec: TlsSpec;
  readonly #context: TlsFilesContext;
  #material: TlsMaterial | undefined;
  /** The stamps that `#material` was read under. */
  #stamps = '';
  #nextCheck = 0;
  #reported: string | undefined;
  #pending: Promise<TlsMaterial> | undefined;

  constructor(spec: TlsSpec, context: TlsFilesContext) {
    this.#spec = spec;
    this.#context = context;
  }

  async load(): Promise<TlsMaterial> {
    // Stamps first: a change during the reads then shows as a difference at the next check.
    const stamps = await this.#stampAll();
    const material = await this.#readAll();
    this.#stamps = stamps;
    this.#nextCheck = this.#context.clock.monotonic() + CHECK_EVERY_MS;
    if (this.#material === undefined || !sameMaterial(this.#material, material)) this.#material = sealTls(material);
    this.#reported = undefined;
    return this.#material;
  }

  current(): Promise<TlsMaterial> {
    if (this.#material !== undefined && this.#context.clock.monotonic() < this.#nextCheck) {
      return Promise.resolve(this.#material);
    }
    this.#pending ??= this.#check().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  refuse(): void {
    this.#nextCheck = Number.NEGATIVE_INFINITY;
  }

  async #check(): Promise<TlsMaterial> {
    try {
      if (this.#material !== undefined && (await this.#stampAll()) === this.#stamps) {
        this.#nextCheck = this.#context.clock.monotonic() + CHECK_EVERY_MS;
        return this.#material;
      }
      return await this.load();
    } catch (error) {
      if (this.#material === undefined || !(error instanceof ConfigError)) throw error;
      this.#nextCheck = this.#context.clock.monotonic() + CHECK_EVERY_MS;
      this.#report(error);
      return this.#material;
    }
  }

  #report(problem: ConfigError): void {
    if (this.#reported === problem.message) return;
    this.#reported = problem.message;
    this.#context.onProblem(problem);
  }

  async #stampAll(): Promise<string> {
    const { ca, caMayBeMissing, pair } = this.#spec;
    const stamps: string[] = [];
    for (const source of [ca, pair?.cert, pair?.key]) {
      if (source?.kind !== 'file') continue;
      try {
        stamps.push(await this.#context.files.stamp(source.path));
      } catch (error) {
        const tolerated = source === ca && caMayBeMissing === true && this.#material?.ca === undefined;
        if (!tolerated || !isMissingFile(error)) throw fileProblem(source.path, source.what, error);
        stamps.push('missing');
      }
    }
    return stamps.join(' ');
  }

  async #readAll(): Promise<TlsMaterial> {
    const { ca, pair, serverName, insecureSkipVerify } = this.#spec;
    const caPem = ca === undefined ? undefined : await this.#readAuthority(ca);
    const cert = pair === undefined ? undefined : await this.#read(pair.cert);
    const key = pair === undefined ? undefined : await this.#read(pair.key);
    if (pair !== undefined && cert !== undefined && key !== undefined) {
      checkPair(cert, key, pair.cert.what, pair.key.what);
    }
    return { ca: caPem, cert, key, serverName, insecureSkipVerify };
  }

  async #readAuthority(source: PemSource): Promise<string | undefined> {
    try {
      const pem = await this.#read(source);
      checkAuthority(pem, source.what);
      return pem;
    } catch (error) {
      const tolerated = this.#spec.caMayBeMissing === true && this.#material?.ca === undefined;
      if (!tolerated || !(error instanceof ConfigError) || error.code !== 'config-file-missing') throw error;
      this.#report(error);
      return undefined;
    }
  }

  #read(source: PemSource): Promise<string> {
    return source.kind === 'text'
      ? Promise.resolve(source.pem)
      : readNamedFile(this.#context.files, source.path, source.what);
  }
}

function sameMaterial(a: TlsMaterial, b: TlsMaterial): boolean {
  return a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}
