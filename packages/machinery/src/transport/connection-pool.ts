// The undici pools behind one transport: one pair for the TLS material in force. When the material changes, new calls
// use new connections and the old pair closes behind its last call or watch.
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { TlsMaterial } from '../config/identity.ts';

export interface PoolOptions {
  /** Scheme, host and port of the server. */
  readonly origin: string;
  readonly proxyUrl: string | undefined;
  readonly connectTimeoutMs: number;
  /** Connections for buffered calls; each watch has its own besides. */
  readonly connections: number;
}

interface PoolPair {
  readonly tls: TlsMaterial;
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
}

/** TCP keepalive on idle connections: a dead peer is noticed even where no deadline of ours runs. */
const KEEPALIVE_DELAY_MS = 30_000;
/** Shorter than what API servers and load balancers allow (90 s and more), so that it is us who hang up. */
const IDLE_MS = 30_000;

export class ConnectionPool {
  readonly #options: PoolOptions;
  #pair: PoolPair | undefined;
  /** Of former TLS material, each until its last call is over. */
  readonly #retired = new Set<Dispatcher>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  calls(tls: TlsMaterial): Dispatcher {
    return this.#pairFor(tls).calls;
  }

  watches(tls: TlsMaterial): Dispatcher {
    return this.#pairFor(tls).watches;
  }

  /** Cuts everything, also what still runs with former TLS material. The owner asks for nothing afterwards. */
  async close(): Promise<void> {
    const pair = this.#pair;
    this.#pair = undefined;
    const pools = [...this.#retired, ...(pair === undefined ? [] : [pair.calls, pair.watches])];
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #pairFor(tls: TlsMaterial): PoolPair {
    const current = this.#pair;
    if (current?.tls === tls) return current;
    const pair = {
      tls,
      calls: this.#open(tls, this.#options.connections),
      watches: this.#open(tls, null),
    };
    this.#pair = pair;
    if (current !== undefined) {
      this.#retire(current.calls);
      this.#retire(current.watches);
    }
    return pair;
  }

  #retire(pool: Dispatcher): void {
    this.#retired.add(pool);
    const forget = () => void this.#retired.delete(pool);
    pool.close().then(forget, forget);
  }

  /** `connections` null: as many as are asked for at the same time. */
  #open(tls: TlsMaterial, connections: number | null): Dispatcher {
    const secure = {
      ca: tls.ca,
      cert: tls.cert,
      key: tls.key,
      servername: tls.serverName,
      rejectUnauthorized: !tls.insecureSkipVerify,
    };
    const timeout = this.#options.connectTimeoutMs;
    const shared = {
      // HTTP/1.1 on purpose: one TCP connection per watch makes a black hole visible to that watch's own deadline.
      allowH2: false,
      pipelining: 1,
      connections,
      // Our own deadlines (request time-out, watch liveness) replace undici's.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      connectTimeout: timeout,
    };
    const socket = { timeout, keepAlive: true, keepAliveInitialDelay: KEEPALIVE_DELAY_MS };
    const proxy = this.#options.proxyUrl;
    // Not an Agent: once it closes it forgets its pools, and could not be made to cut them.
    if (proxy === undefined) return new Pool(this.#options.origin, { ...shared, connect: { ...secure, ...socket } });
    return new ProxyAgent({
      ...shared,
      uri: proxy,
      // A tunnel also to a server without TLS: a forwarding proxy may hold back or cut a watch.
      proxyTunnel: true,
      requestTls: { ...secure, ...socket },
      proxyTls: socket,
      // A proxy that takes the connection and never answers CONNECT would else hold a place for minutes.
      clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: timeout }),
    });
  }
}
