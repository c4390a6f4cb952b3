// What the benchmarks of one call share: the built Go programs and one filled cluster. Both come into being when they
// are first asked for, and go with the session.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FilledCluster, openFilledCluster } from './cluster/filled-cluster.ts';
import { buildGoPrograms, type GoPrograms } from './cluster/go-programs.ts';

export interface SessionOptions {
  /** The kubeconfig of a running control plane. */
  readonly controlPlane: string | undefined;
  readonly log: (text: string) => void;
}

export class Session {
  readonly log: (text: string) => void;
  readonly #controlPlane: string | undefined;
  #directory: string | undefined;
  #programs: GoPrograms | undefined;
  #cluster: FilledCluster | undefined;

  constructor(options: SessionOptions) {
    this.log = options.log;
    this.#controlPlane = options.controlPlane;
  }

  async goPrograms(): Promise<GoPrograms> {
    if (this.#programs === undefined) {
      this.#directory = await mkdtemp(join(tmpdir(), 'podtrail-bench-'));
      this.log('Building the Go programs …');
      this.#programs = await buildGoPrograms(this.#directory);
    }
    return this.#programs;
  }

  /** With at least so many pods: one that has fewer is filled up. */
  async filledCluster(pods: number): Promise<FilledCluster> {
    this.#cluster ??= await openFilledCluster({
      pods,
      controlPlane: this.#controlPlane,
      programs: await this.goPrograms(),
      log: this.log,
    });
    if (this.#cluster.pods < pods) this.#cluster = await this.#cluster.grow(pods);
    return this.#cluster;
  }

  /** For the JSON file. */
  get clusterReport(): Readonly<Record<string, unknown>> | undefined {
    return this.#cluster?.report;
  }

  async close(): Promise<void> {
    await this.#cluster?.close();
    if (this.#directory !== undefined) await rm(this.#directory, { recursive: true, force: true });
  }
}
