// A server of routes on HTTP or HTTPS. Everything that a client can make it hold is bounded: connections, requests sent
// ahead, headers, bodies (by who reads them), time. It knows no ledger and no Kubernetes: routes, Access and how problems
// are sent are given to it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ServerOptions as TlsServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '@podtrail/machinery';
import type { Access } from '../access/access.ts';
import { ConnectionLimit } from '../connection-limit.ts';
import { listen } from '../listen.ts';
import { cannotListen } from '../plain-server.ts';
import { Problem } from '../problem.ts';
import type { AccessLog } from './access-log.ts';
import { HttpRequest } from './http-request.ts';
import { asProblem, type RenderProblem, renderProblem } from './problem-reply.ts';
import type { RateLimit } from './rate-limit.ts';
import { refuseBytes } from './refused-bytes.ts';
import type { BodyLimits } from './request-body.ts';
import { requestIdOf } from './request-id.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';
import { sendReply } from './send-reply.ts';
import { streamReply } from './stream-reply.ts';

export interface HttpLimits extends BodyLimits {
  readonly mostConnections: number;
  /** Requests of one connection that are answered at once; whoever sends more ahead is cut off. */
  readonly mostAhead: number;
  readonly headersMs: number;
  readonly keepAliveMs: number;
  /** From a request to the end of a whole answer, as the client takes it. */
  readonly answerMs: number;
  /** How long a client of a stream may take nothing. */
  readonly drainMs: number;
  readonly mostHeaderBytes: number;
}

const LIMITS: HttpLimits = {
  mostConnections: 1_024,
  mostAhead: 16,
  headersMs: 10_000,
  /** Longer than API servers keep a connection that they do not use (90 s): they hang up, and never meet a closed one. */
  keepAliveMs: 100_000,
  answerMs: 60_000,
  bodyMs: 15_000,
  chunkMs: 30_000,
  drainMs: 30_000,
  mostHeaderBytes: 16 * 1024,
};
/** How often Node looks for those that take too long. */
const CHECK_MS = 1_000;
/** How long requests under way may take when the server ends. */
const GRACE_MS = 5_000;

export interface HttpServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly access: Access;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** HTTPS; with `requestCert` the certificate of the client is on the socket that Access is given. */
  readonly tls?: TlsServerOptions | undefined;
  /** Before everything else, open routes too: throws a Problem where a request must not even be looked at. */
  readonly admit?: ((request: IncomingMessage) => void) | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly log?: AccessLog | undefined;
  readonly renderProblem?: RenderProblem | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
}

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #limits: HttpLimits;
  readonly #router: Router;
  readonly #server: Server;
  readonly #connections: ConnectionLimit;
  readonly #underWay = new Set<HttpRequest>();
  readonly #ahead = new WeakMap<Socket, number>();
  #isEnding = false;
  #address = { host: '', port: 0 };

  private constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#router = new Router(options.routes);
    this.#server = this.#createServer();
    // Clients wait for a sentence that says that they may send; ours comes with the answer.
    this.#server.on('checkContinue', (request, response) => {
      response.writeContinue();
      this.#onRequest(request, response);
    });
    this.#server.on('clientError', (error, socket) => refuseBytes(error, socket as Socket, this.#limits));
    this.#connections = new ConnectionLimit(this.#server, this.#limits.mostConnections);
  }

  /** Rejects with `cannot-listen`. */
  static async start(options: HttpServerOptions): Promise<HttpServer> {
    const server = new HttpServer(options);
    const { host, port } = options;
    const address = await listen(server.#server, host, port).catch((error: Error) => {
      throw cannotListen(host, port, error);
    });
    server.#address = { host: address.address, port: address.port };
    return server;
  }

  get host(): string {
    return this.#address.host;
  }
  get port(): number {
    return this.#address.port;
  }

  /** For connections from now on: a renewed certificate, other authorities. */
  useTls(tls: TlsServerOptions): void {
    const server = this.#server as Server & { setSecureContext?(options: TlsServerOptions): void };
    server.setSecureContext?.({ ...this.#options.tls, ...tls });
  }

  /** Whoever is connected connects again. */
  closeConnections(): void {
    this.#connections.closeAll();
  }

  /** Takes nothing new, lets what is under way end, streams at once, and closes everything after the grace. */
  async close(graceMs: number = GRACE_MS): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const request of this.#underWay) request.abort(serverEnds());
    this.#server.closeIdleConnections();
    const late = setTimeout(() => this.#connections.closeAll(), graceMs);
    if (this.#underWay.size === 0) this.#connections.closeAll();
    await closed;
    clearTimeout(late);
  }

  #createServer(): Server {
    const { tls } = this.#options;
    const { headersMs, keepAliveMs, mostHeaderBytes } = this.#limits;
    const options = {
      headersTimeout: headersMs,
      // Bodies may be long, and are limited by who reads them.
      requestTimeout: 0,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, headersMs),
      maxHeaderSize: mostHeaderBytes,
      noDelay: true,
    };
    const onRequest = (request: IncomingMessage, response: ServerResponse) => this.#onRequest(request, response);
    // Not imported: see plain-server.ts.
    if (tls === undefined) return process.getBuiltinModule('node:http').createServer(options, onRequest);
    return process.getBuiltinModule('node:https').createServer({ ...options, ...tls }, onRequest) as unknown as Server;
  }

  #onRequest(incoming: IncomingMessage, response: ServerResponse): void {
    const { socket } = incoming;
    const ahead = (this.#ahead.get(socket) ?? 0) + 1;
    this.#ahead.set(socket, ahead);
    // The parser reads all of a chunk, whatever happens meanwhile.
    if (ahead > this.#limits.mostAhead || socket.destroyed) {
      socket.destroy();
      return;
    }
    const begun = this.#options.clock.monotonic();
    // A message whose body was not read to its end has no socket any more.
    const { remoteAddress } = socket;
    const request = new HttpRequest(
      requestIdOf(incoming.headers['x-request-id']),
      incoming,
      this.#options.access,
      this.#limits,
    );
    this.#underWay.add(request);
    const answered = this.#connections.answering(socket);
    const ended = () => {
      this.#ahead.set(socket, (this.#ahead.get(socket) ?? 1) - 1);
      this.#underWay.delete(request);
      if (!response.writableFinished) request.abandon(clientGone());
      answered();
      if (this.#isEnding && this.#underWay.size === 0) this.#connections.closeAll();
    };
    response.once('close', ended);
    void this.#answer(request, incoming, socket, response)
      // The socket is gone; there is nobody to answer.
      .catch((error): Sent => {
        response.destroy();
        return { status: 499, problem: asProblem(error) };
      })
      .then((sent) => this.#log(request, remoteAddress, begun, sent))
      // The answer has been sent. A log that fails must not end the process, which has other work.
      .catch(() => {});
  }

  async #answer(
    request: HttpRequest,
    incoming: IncomingMessage,
    socket: Socket,
    response: ServerResponse,
  ): Promise<Sent> {
    const { answerMs, drainMs } = this.#limits;
    let late: NodeJS.Timeout | undefined = setTimeout(() => {
      request.abandon(tooLate(answerMs));
      socket.destroy();
    }, answerMs);
    response.once('close', () => clearTimeout(late));
    const more: Record<string, string> = this.#isEnding ? { connection: 'close' } : {};
    try {
      const reply = await this.#handle(request, incoming);
      if ('stream' in reply) {
        clearTimeout(late);
        late = undefined;
        await streamReply(request, response, reply, { more, drainMs });
        return { status: reply.status, isStream: true };
      }
      closeUnread(incoming, more);
      return { status: await sendReply(request, response, reply, more) };
    } catch (error) {
      const problem = asProblem(error);
      if (response.headersSent || response.destroyed) {
        // A part must not be taken for the whole.
        response.destroy();
        return { status: problem.status, problem, isStream: late === undefined };
      }
      closeUnread(incoming, more);
      const render = this.#options.renderProblem ?? renderProblem;
      return { status: await sendReply(request, response, render(problem, request.id, request.path), more), problem };
    }
  }

  async #handle(request: HttpRequest, incoming: IncomingMessage) {
    const { access, admit, rateLimit } = this.#options;
    admit?.(incoming);
    const { route, captures } = this.#router.find(request.method, request.path);
    request.route = route.path;
    request.captures = captures;
    if (route.audience !== 'anyone') {
      request.caller = await access.identify(incoming);
      if (route.isFree !== true) rateLimit?.take(request.caller.name);
    }
    return await route.handle(request);
  }

  #log(request: HttpRequest, remote: string | undefined, begun: number, sent: Sent): void {
    const { log, clock } = this.#options;
    if (log === undefined) return;
    const { id, caller, method, route, sentBytes: bytes, bug } = request;
    const { status, problem, isStream = false } = sent;
    log({
      ...{ requestId: id, caller: caller.name, method, route, status, bytes, isStream },
      ms: Math.round((clock.monotonic() - begun) * 10) / 10,
      remote,
      ...(problem === undefined ? {} : { code: problem.code }),
      ...(problem?.status === 500 ? { error: problem.cause } : bug === undefined ? {} : { error: bug }),
    });
  }
}

interface Sent {
  readonly status: number;
  readonly problem?: Problem;
  readonly isStream?: boolean;
}

/** Node would read what nobody has asked for, to get to the next request. */
function closeUnread(incoming: IncomingMessage, more: Record<string, string>): void {
  if (!incoming.complete) more['connection'] = 'close';
}

function clientGone(): Problem {
  return new Problem(499, 'client-gone', 'the client closed the connection');
}

function tooLate(ms: number): Problem {
  return new Problem(503, 'too-late', `the request took longer than ${ms / 1000} s`);
}

function serverEnds(): Problem {
  return new Problem(503, 'ending', 'the server ends', { headers: { 'retry-after': '1' } });
}
