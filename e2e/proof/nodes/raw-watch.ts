// Keeps what the API server says, word for word and with its arrival, beside the recorder: the raw material of a replay.
// Deliberately plain and independent of machinery, whose reading of the same stream is under proof.
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { ControlPlane } from '../../controlplane/index.ts';
import type { KubeObject, WatchedKind, WatchLine } from './run-folder.ts';

const PATHS: Readonly<Record<WatchedKind, string>> = {
  Pod: '/api/v1/pods',
  Node: '/api/v1/nodes',
  Service: '/api/v1/services',
  Lease: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
  Event: '/api/v1/events',
};
const PROBE_MS = 2_000;

export class RawWatch {
  readonly #plane: ControlPlane;
  readonly #zip = createGzip();
  readonly #written: Promise<void>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  readonly #listeners: ((line: WatchLine) => void)[] = [];

  constructor(plane: ControlPlane, file: string) {
    this.#plane = plane;
    const stream = createWriteStream(file);
    this.#written = new Promise((resolve, reject) => stream.on('finish', resolve).on('error', reject));
    this.#zip.pipe(stream);
  }

  /** Called with every line, for whoever drives the run by what the API shows. */
  onLine(listener: (line: WatchLine) => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves when everything is listed. */
  async start(): Promise<void> {
    for (const kind of Object.keys(PATHS) as WatchedKind[]) {
      const version = await this.#list(kind);
      this.#running.push(this.#follow(kind, version));
    }
    this.#running.push(this.#probe());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    this.#zip.end();
    await this.#written;
  }

  async #list(kind: WatchedKind): Promise<string> {
    const { metadata, items } = (await this.#plane.request(PATHS[kind])).json() as {
      metadata: { resourceVersion: string };
      items: KubeObject[];
    };
    this.#write({ at: Date.now(), kind, type: 'LIST', resourceVersion: metadata.resourceVersion, items });
    return metadata.resourceVersion;
  }

  async #follow(kind: WatchedKind, from: string): Promise<void> {
    const { signal } = this.#stop;
    let version = from;
    while (!signal.aborted) {
      try {
        const path = `${PATHS[kind]}?watch=1&allowWatchBookmarks=true&timeoutSeconds=3600&resourceVersion=${version}`;
        const lines = await this.#plane.lines(path, { signal });
        for await (const text of lines) {
          const at = Date.now();
          const { type, object } = JSON.parse(text) as { type: string; object: KubeObject };
          if (type === 'ERROR') {
            version = await this.#list(kind);
            break;
          }
          version = object.metadata.resourceVersion;
          if (type === 'BOOKMARK') this.#write({ at, kind, type, resourceVersion: version });
          else this.#write({ at, kind, type: type as 'ADDED', object });
        }
      } catch {
        // The API server is away, or this ends.
      }
      if (!signal.aborted) await sleep(100);
    }
  }

  async #probe(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const at = Date.now();
      try {
        const { metadata } = (await this.#plane.request('/api/v1/pods?limit=1')).json() as {
          metadata: { resourceVersion: string };
        };
        this.#write({ at, kind: 'Pod', type: 'PROBE', resourceVersion: metadata.resourceVersion });
      } catch {
        // The next one may succeed.
      }
      await sleep(PROBE_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  #write(line: WatchLine): void {
    this.#zip.write(`${JSON.stringify(line)}\n`);
    for (const listener of this.#listeners) listener(line);
  }
}
