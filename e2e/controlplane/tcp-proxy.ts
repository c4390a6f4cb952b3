// A TCP proxy on a loopback port in front of any server, with the faults of a network: delay, a black hole (bytes stop,
// unnoticed), a cut (RST), refusal of new connections. Counts what passes. Knows nothing of the bytes.
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.ts';
import { ProxyDirection } from './proxy-direction.ts';

export interface TcpProxyOptions {
  readonly port: number;
  readonly host?: string;
  /** How clients address it. */
  readonly scheme?: 'http' | 'https';
}

/** `up` is from the client to the server, `down` the other way. */
export interface BothWays {
  readonly up: number;
  readonly down: number;
}

export class TcpProxy {
  readonly port: number;
  readonly url: string;
  readonly #target: { host: string; port: number };
  readonly #connections = new Set<Connection>();
  #server: Server | undefined;
  #delay: BothWays = { up: 0, down: 0 };
  #blackHole = false;
  #accepted = 0;
  #bytes = { up: 0, down: 0 };

  static async create(target: TcpProxyOptions): Promise<TcpProxy> {
    const proxy = new TcpProxy(await freePort(), target);
    await proxy.#listen();
    return proxy;
  }

  private constructor(port: number, target: TcpProxyOptions) {
    this.port = port;
    this.url = `${target.scheme ?? 'https'}://127.0.0.1:${port}`;
    this.#target = { host: target.host ?? '127.0.0.1', port: target.port };
  }

  /** Bytes handed on since the start or the last `resetCounts`. */
  get bytes(): BothWays {
    return { ...this.#bytes };
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Connections accepted since the start or the last `resetCounts`. */
  get accepted(): number {
    return this.#accepted;
  }

  resetCounts(): void {
    this.#accepted = 0;
    this.#bytes = { up: 0, down: 0 };
  }

  /** Every byte from now on waits this many milliseconds, in order. Undelayed is `{ up: 0, down: 0 }`. */
  delay(milliseconds: BothWays): void {
    this.#delay = milliseconds;
  }

  /**
   * Bytes stop both ways and no end of a connection is passed on; new connections are accepted and lead nowhere.
   * `resume` delivers what was held, as TCP does when a partition heals.
   */
  blackHole(): void {
    this.#blackHole = true;
    for (const connection of this.#connections) connection.hold();
  }

  /** Resets every open connection, both ways. New ones are served as before. */
  cut(): void {
    for (const connection of [...this.#connections]) connection.reset();
  }

  /** New connections are refused; open ones live on. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    // Not awaiting 'close': that comes only when the open connections end.
    server?.close();
  }

  /** Ends a black hole and a refusal. A delay stays until it is set again. */
  async resume(): Promise<void> {
    this.#blackHole = false;
    if (!this.#server) await this.#listen();
    for (const connection of this.#connections) connection.release();
  }

  async close(): Promise<void> {
    await this.refuse();
    this.cut();
  }

  async #listen(): Promise<void> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (client) => {
      this.#accepted++;
      const connection = new Connection(
        client,
        this.#target,
        {
          delay: (way) => this.#delay[way],
          passed: (way, count) => {
            this.#bytes[way] += count;
          },
        },
        () => this.#connections.delete(connection),
      );
      this.#connections.add(connection);
      if (!this.#blackHole) connection.release();
    });
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    server.unref();
    this.#server = server;
    if ((server.address() as AddressInfo).port !== this.port) throw new Error('the proxy listens on another port');
  }
}

interface Rules {
  delay(way: 'up' | 'down'): number;
  passed(way: 'up' | 'down', bytes: number): void;
}

/** One client and, from the first release on, its own connection to the server. Begins held. */
class Connection {
  readonly #client: Socket;
  readonly #target: { host: string; port: number };
  readonly #rules: Rules;
  readonly #onClose: () => void;
  #server: Socket | undefined;
  #directions: ProxyDirection[] = [];

  constructor(client: Socket, target: { host: string; port: number }, rules: Rules, onClose: () => void) {
    this.#client = client;
    this.#target = target;
    this.#rules = rules;
    this.#onClose = onClose;
    client.on('error', () => this.reset());
    client.on('close', () => this.#closed());
  }

  hold(): void {
    for (const direction of this.#directions) direction.hold();
  }

  release(): void {
    if (!this.#server) this.#connect();
    for (const direction of this.#directions) direction.release();
  }

  reset(): void {
    for (const direction of this.#directions) direction.drop();
    this.#client.resetAndDestroy();
    this.#server?.resetAndDestroy();
  }

  #connect(): void {
    const server = createConnection({ ...this.#target, allowHalfOpen: true, noDelay: true });
    server.pause();
    server.on('error', () => this.reset());
    server.on('close', () => this.#closed());
    this.#server = server;
    const along = (way: 'up' | 'down') => ({
      delay: () => this.#rules.delay(way),
      passed: (count: number) => this.#rules.passed(way, count),
    });
    this.#directions = [
      new ProxyDirection(this.#client, server, along('up')),
      new ProxyDirection(server, this.#client, along('down')),
    ];
  }

  /** A connection is open until both of its halves are. */
  #closed(): void {
    if (!this.#client.destroyed || (this.#server && !this.#server.destroyed)) return;
    this.#onClose();
  }
}
