// An API server that does what the test says, call by call, over real sockets: the test awaits each request and answers
// it. No behaviour of its own, so that it cannot agree with the client by accident.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ClusterConfig, Identity, IdentitySource } from '../config/identity.ts';

/** PEM. */
export interface ScriptedTls {
  readonly cert: string;
  readonly key: string;
  /** Clients are asked for a certificate, and this must have signed it. */
  readonly clientCa?: string;
}

export class ScriptedServer {
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';
  readonly #open = new Set<Socket>();
  readonly #arrived: ScriptedCall[] = [];
  readonly #waiting: ((call: ScriptedCall) => void)[] = [];
  /** Requests so far, answered or not. */
  requests = 0;
  /** TCP connections so far. */
  connections = 0;

  private constructor(tls: ScriptedTls | undefined) {
    const accept = (request: IncomingMessage, response: ServerResponse) => void this.#accept(request, response);
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server =
      tls === undefined
        ? createServer(accept)
        : createTlsServer({ ...tls, ca: tls.clientCa, requestCert: tls.clientCa !== undefined }, accept);
    // It hangs up when the script says so, and not on its own after some seconds of silence.
    this.#server.keepAliveTimeout = 0;
    this.#server.on('connection', (socket: Socket) => {
      this.connections++;
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  static async start(options: { readonly tls?: ScriptedTls } = {}): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(options.tls);
    await new Promise<void>((resolve) => scripted.#server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** For `HttpTransport`: no credentials unless given. */
  config(identity: Partial<Identity> | IdentitySource = {}): ClusterConfig {
    return {
      server: this.url,
      namespace: 'default',
      origin: 'scripted server',
      proxyUrl: undefined,
      impersonate: undefined,
      disableCompression: false,
      identity: 'current' in identity ? identity : fixedIdentity(identity),
    };
  }

  /** TCP connections that are open now. */
  get openConnections(): number {
    return this.#open.size;
  }

  /** Ends every connection on which no request is running, as a server with a short keep-alive time does. */
  closeIdleConnections(): void {
    this.#server.closeIdleConnections();
  }

  /** The next request, in order of arrival. */
  next(): Promise<ScriptedCall> {
    const arrived = this.#arrived.shift();
    return arrived === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(arrived);
  }

  /** Requests that came and were not fetched by `next`. */
  get unanswered(): readonly ScriptedCall[] {
    return this.#arrived;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const call = new ScriptedCall(request, response, Buffer.concat(chunks));
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#arrived.push(call);
    else waiting(call);
  }
}

export class ScriptedCall {
  readonly method: string;
  readonly path: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Each header line by itself. */
  readonly distinctHeaders: IncomingMessage['headersDistinct'];
  readonly body: Buffer;
  readonly socket: Socket;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse, body: Buffer) {
    const url = new URL(request.url ?? '/', 'http://scripted');
    this.method = request.method ?? '';
    this.path = url.pathname;
    this.target = request.url ?? '';
    this.query = url.searchParams;
    this.headers = request.headers;
    this.distinctHeaders = request.headersDistinct;
    this.body = body;
    this.socket = request.socket;
    this.#response = response;
  }

  get isWatch(): boolean {
    return this.query.get('watch') === 'true';
  }

  /** The common name of the client's certificate. */
  get clientName(): string | undefined {
    const name = (this.socket as TLSSocket).getPeerCertificate().subject?.CN;
    return Array.isArray(name) ? name[0] : name;
  }

  /** Resolves when the client has hung up (or the answer is complete). */
  get closed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#response.closed) resolve();
      else this.#response.once('close', resolve);
    });
  }

  respond(status: number, body: string | Buffer, headers: Record<string, string | string[]> = {}): void {
    this.#response.writeHead(status, { 'content-type': 'application/json', ...headers });
    this.#response.end(body);
  }

  json(body: unknown, status = 200, headers: Record<string, string> = {}): void {
    this.respond(status, JSON.stringify(body), headers);
  }

  list(kind: string, resourceVersion: string, items: readonly object[], next?: string): void {
    const apiVersion = 'v1';
    this.json({
      kind: `${kind}List`,
      apiVersion,
      metadata: { resourceVersion, ...(next === undefined ? {} : { continue: next }) },
      items,
    });
  }

  refuse(
    code: number,
    reason: string,
    message = reason,
    extra: { headers?: Record<string, string>; details?: object } = {},
  ): void {
    this.json(statusBody(code, reason, message, extra.details), code, extra.headers);
  }

  /** Headers go out at once; the body is written by the script. */
  stream(contentType = 'application/json', headers: Record<string, string> = {}): ScriptedStream {
    this.#response.writeHead(200, { 'content-type': contentType, ...headers });
    this.#response.flushHeaders();
    return new ScriptedStream(this.#response);
  }

  /** The connection breaks without an answer. */
  drop(): void {
    this.#response.socket?.resetAndDestroy();
  }
}

export class ScriptedStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** False when the client does not read fast enough and the bytes wait in this process. */
  write(bytes: string | Buffer): boolean {
    return this.#response.write(bytes);
  }

  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: object): boolean {
    return this.write(`${JSON.stringify({ type, object })}\n`);
  }

  bookmark(kind: string, resourceVersion: string, endsInitialEvents = false): void {
    const annotations = endsInitialEvents ? { 'k8s.io/initial-events-end': 'true' } : undefined;
    const object = { kind, apiVersion: 'v1', metadata: { resourceVersion, annotations } };
    this.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  error(code: number, reason: string, message = reason): void {
    this.write(`${JSON.stringify({ type: 'ERROR', object: statusBody(code, reason, message) })}\n`);
  }

  /** In order. */
  end(): void {
    this.#response.end();
  }

  /** In the middle of the body. */
  break(): void {
    this.#response.socket?.resetAndDestroy();
  }

  get closed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#response.closed) resolve();
      else this.#response.once('close', resolve);
    });
  }
}

export function statusBody(code: number, reason: string, message: string, details?: object): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, ...(details && { details }) };
}

function fixedIdentity(identity: Partial<Identity>): IdentitySource {
  const fixed: Identity = {
    authorization: undefined,
    tls: { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false },
    ...identity,
  };
  return { current: () => Promise.resolve(fixed), refuse: () => {} };
}
