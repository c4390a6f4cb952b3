// A small HTTP proxy that knows CONNECT and nothing else; remembers whom it was asked for.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface ConnectProxyOptions {
  /** What is answered instead of a tunnel. */
  readonly refuseWith?: number;
  /** Takes the connection and never answers. */
  readonly silent?: boolean;
  readonly hangUp?: boolean;
  readonly tls?: { readonly cert: string; readonly key: string };
}

export class ConnectProxy {
  readonly asked: { readonly target: string; readonly authorization: string | undefined }[] = [];
  /** Requests that were to be forwarded instead of tunnelled. */
  forwarded = 0;
  readonly #server: Server;
  readonly #scheme: string;

  static async start(t: TestContext, options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    t.after(() => proxy.stop());
    return proxy;
  }

  private constructor(options: ConnectProxyOptions) {
    this.#scheme = options.tls === undefined ? 'http' : 'https';
    this.#server = options.tls === undefined ? createServer() : createTlsServer(options.tls);
    this.#server.on('request', (_request, response) => {
      this.forwarded++;
      response.writeHead(405).end();
    });
    this.#server.on('connect', (request, socket: Socket) => {
      this.asked.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
      socket.on('error', () => {});
      if (options.silent) return;
      if (options.hangUp) socket.destroy();
      else if (options.refuseWith !== undefined) socket.end(`HTTP/1.1 ${options.refuseWith} No\r\n\r\n`);
      else tunnel(socket, request.url ?? '');
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function tunnel(client: Socket, target: string): void {
  const [host, port] = target.split(':');
  const server = connect(Number(port), host);
  server.once('connect', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.pipe(server).pipe(client);
  });
  server.on('error', () => client.destroy());
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroy());
}
