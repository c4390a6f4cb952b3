// How many connections a server has at once, and who loses when there are more: of the address that has the most, the
// connection that has waited longest for its client. Refusing the newest, as Node does, lets a few idle sockets keep
// everybody out; this way they are the first to go, and whoever asks and leaves is answered. Called by every server.
import type { Server, Socket } from 'node:net';

interface Connection {
  readonly address: string;
  /** Raw at first; the TLS socket on it once there is one. */
  socket: Socket;
  /** Its request is being answered, and nothing of it is awaited from its client. */
  isAnswered: boolean;
}

export class ConnectionLimit {
  readonly #most: number;
  readonly #onEvict: (address: string) => void;
  /** By address and port of the peer; the one that has waited longest first. */
  readonly #connections = new Map<string, Connection>();
  /** Of sockets that have asked: made once for all their requests. */
  readonly #keys = new WeakMap<Socket, string>();

  /** `onEvict`: who lost, by its address. */
  constructor(server: Server, most: number, onEvict: (address: string) => void = () => {}) {
    this.#most = most;
    this.#onEvict = onEvict;
    // Destroyed ones count until they are closed: a second limit, for when that takes long.
    server.maxConnections = 2 * most;
    server.prependListener('connection', (socket: Socket) => this.#add(socket));
    server.on('secureConnection', (socket: Socket) => {
      const connection = this.#connections.get(keyOf(socket));
      if (connection !== undefined) connection.socket = socket;
    });
  }

  get size(): number {
    return this.#connections.size;
  }

  /** From here on it is not the client that is waited for. Call the result when the answer has been sent. */
  answering(socket: Socket): () => void {
    const key = this.#keys.get(socket) ?? keyOf(socket);
    const connection = this.#connections.get(key);
    if (connection === undefined) return () => {};
    this.#keys.set(socket, key);
    connection.isAnswered = true;
    return () => {
      connection.isAnswered = false;
      // Again the youngest of those that wait.
      if (this.#connections.delete(key)) this.#connections.set(key, connection);
    };
  }

  /**
   * Between `answering` and its result: whether the body of the request is waited for. Invariant: a connection that waits
   * for its client can lose its place, whatever it has sent before; else a few bytes would keep everybody else out.
   */
  awaitsBody(socket: Socket, isAwaited: boolean): void {
    const connection = this.#connections.get(this.#keys.get(socket) ?? keyOf(socket));
    if (connection !== undefined) connection.isAnswered = !isAwaited;
  }

  /** Those too that no request has come from yet, which servers do not count among theirs. */
  closeAll(): void {
    for (const { socket } of this.#connections.values()) socket.destroy();
  }

  #add(socket: Socket): void {
    const key = keyOf(socket);
    this.#connections.set(key, { address: socket.remoteAddress ?? '', socket, isAnswered: false });
    socket.once('close', () => this.#connections.delete(key));
    if (this.#connections.size > this.#most) this.#evict();
  }

  #evict(): void {
    const counts = new Map<string, number>();
    for (const { address } of this.#connections.values()) counts.set(address, (counts.get(address) ?? 0) + 1);
    let loser: [string, Connection] | undefined;
    let most = 0;
    for (const [key, connection] of this.#connections) {
      const count = counts.get(connection.address) ?? 0;
      if (connection.isAnswered || count <= most) continue;
      loser = [key, connection];
      most = count;
    }
    // With every other one being answered, that is the newest.
    if (loser === undefined) return;
    this.#connections.delete(loser[0]);
    loser[1].socket.destroy();
    this.#onEvict(loser[1].address);
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
