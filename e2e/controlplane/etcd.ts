// etcd as a part, and what a test does to its data: ask its revision, compact, take a snapshot, go back to one.
// Speaks etcd's own HTTP gateway. Never restarts the API servers: that is the control plane's decision.
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Binaries } from './cache-directory.ts';
import { ControlPlaneError } from './control-plane-error.ts';
import { freePort } from './free-port.ts';
import { httpLines, httpRequest } from './http-request.ts';
import { Part } from './part.ts';

export interface EtcdSetup {
  readonly binaries: Binaries;
  readonly directory: string;
  readonly flags: readonly string[];
}

export class Etcd extends Part {
  readonly url: string;
  readonly #setup: EtcdSetup;
  readonly #peerUrl: string;
  readonly #dataDirectory: string;

  static async create(setup: EtcdSetup): Promise<Etcd> {
    return new Etcd(setup, await freePort(), await freePort());
  }

  private constructor(setup: EtcdSetup, port: number, peerPort: number) {
    const url = `http://127.0.0.1:${port}`;
    const peerUrl = `http://127.0.0.1:${peerPort}`;
    const dataDirectory = join(setup.directory, 'etcd-data');
    const args = [
      '--name=etcd',
      `--data-dir=${dataDirectory}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=etcd=${peerUrl}`,
      '--unsafe-no-fsync', // the data lives as long as the test
      '--quota-backend-bytes=8589934592',
      '--log-level=warn',
      ...setup.flags,
    ];
    super({
      name: 'etcd',
      file: setup.binaries.path('etcd'),
      args: () => args,
      directory: setup.directory,
      logFile: join(setup.directory, 'etcd.log'),
      port,
      check: async () => {
        const { status } = await httpRequest(`${url}/readyz`, { timeoutMs: 2_000 });
        if (status !== 200) throw new Error(`/readyz says ${status}`);
      },
    });
    this.url = url;
    this.#setup = setup;
    this.#peerUrl = peerUrl;
    this.#dataDirectory = dataDirectory;
  }

  /** The revision of the last write: what Kubernetes hands out as a resourceVersion. */
  async revision(): Promise<number> {
    const { header } = await this.#call('/v3/kv/range', { key: base64('/'), limit: 1, keys_only: true });
    return Number(header.revision);
  }

  /** Forgets all history up to `revision` (default: now) and returns it. */
  async compact(revision?: number): Promise<number> {
    const target = revision ?? (await this.revision());
    await this.#call('/v3/kv/compaction', { revision: String(target), physical: true });
    return target;
  }

  /** Writes a snapshot of all data to `file`. */
  async snapshot(file: string): Promise<void> {
    const lines = await httpLines(`${this.url}/v3/maintenance/snapshot`, { body: {} });
    if (lines.status !== 200) throw new ControlPlaneError(`etcd answered ${lines.status} to a snapshot request.`);
    async function* blobs() {
      for await (const line of lines) {
        const { result, error } = JSON.parse(line);
        if (error) throw new ControlPlaneError(`etcd broke off its snapshot: ${error.message}.`);
        yield Buffer.from(result.blob ?? '', 'base64');
      }
    }
    await pipeline(blobs(), createWriteStream(file));
  }

  /** Replaces all data by a snapshot's. etcd must be stopped; it stays so. */
  async restore(file: string, flags: readonly string[] = []): Promise<void> {
    if (this.isRunning) throw new ControlPlaneError('etcd must be stopped before its data is replaced.');
    await rm(this.#dataDirectory, { recursive: true, force: true });
    await promisify(execFile)(this.#setup.binaries.path('etcdutl'), [
      'snapshot',
      'restore',
      file,
      `--data-dir=${this.#dataDirectory}`,
      '--name=etcd',
      `--initial-cluster=etcd=${this.#peerUrl}`,
      `--initial-advertise-peer-urls=${this.#peerUrl}`,
      ...flags,
    ]);
  }

  async #call(path: string, body: unknown) {
    const answer = await httpRequest(this.url + path, { body });
    if (answer.status !== 200) throw new ControlPlaneError(`etcd answered ${answer.status} to ${path}: ${answer.body}`);
    return answer.json();
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
