// The undici agents behind one transport: one pair for the TLS material in force. When the material changes, new calls
// use new connections and the old pair closes behind its last call.
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { TlsMaterial } from '../config/identity.ts';

export interface PoolOptions {
  readonly proxyUrl: string | undefined;
  readonly connectTimeoutMs: number;
  /** Connections for buffered calls; each watch has its own besides. */
  readonly connections: number;
}

interface AgentPair {
  readonly tls: TlsMaterial;
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
}

/** TCP keepalive on idle connections: a dead peer is noticed even where no deadline of ours runs. */
const KEEPALIVE_DELAY_MS = 30_000;

export class ConnectionPool {
  readonly #options: PoolOptions;
  #pair: AgentPair | undefined;
  readonly #closing = new Set<Promise<unknown>>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  calls(tls: TlsMaterial): Dispatcher {
    return this.#pairFor(tls).calls;
  }

  watches(tls: TlsMaterial): Dispatcher {
    return this.#pairFor(tls).watches;
  }

  async close(): Promise<void> {
    const pair = this.#pair;
    this.#pair = undefined;
    if (pair !== undefined) await Promise.all([pair.calls.destroy(), pair.watches.destroy()]);
    await Promise.all(this.#closing);
  }

  #pairFor(tls: TlsMaterial): AgentPair {
    const current = this.#pair;
    if (current?.tls === tls) return current;
    const pair = {
      tls,
      calls: this.#agent(tls, this.#options.connections),
      watches: this.#agent(tls, undefined),
    };
    this.#pair = pair;
    if (current !== undefined) this.#retire(current);
    return pair;
  }

  #retire(pair: AgentPair): void {
    for (const agent of [pair.calls, pair.watches]) {
      const closed: Promise<unknown> = agent
        .close()
        .catch(() => undefined)
        .finally(() => this.#closing.delete(closed));
      this.#closing.add(closed);
    }
  }

  #agent(tls: TlsMaterial, connections: number | undefined): Dispatcher {
    const secure = {
      ca: tls.ca,
      cert: tls.cert,
      key: tls.key,
      servername: tls.serverName,
      rejectUnauthorized: !tls.insecureSkipVerify,
    };
    const shared = {
      // HTTP/1.1 on purpose: one TCP connection per watch makes a black hole visible to that watch's own deadline.
      allowH2: false,
      pipelining: 1,
      connections: connections ?? null,
      // Our own deadlines (request time-out, watch liveness) replace undici's.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 30_000,
      connectTimeout: this.#options.connectTimeoutMs,
    };
    const socket = {
      timeout: this.#options.connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelay: KEEPALIVE_DELAY_MS,
    };
    const proxy = this.#options.proxyUrl;
    if (proxy === undefined) return new Agent({ ...shared, connect: { ...secure, ...socket } });
    return new ProxyAgent({ ...shared, uri: proxy, requestTls: { ...secure, ...socket }, proxyTls: socket });
  }
}
