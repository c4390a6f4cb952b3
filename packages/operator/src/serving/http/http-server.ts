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
import { inOriginForm } from './request-target.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';
import { sendReply } from './send-reply.ts';
import { streamReply } from './stream-reply.ts';
import { UnreadAnswers, type UnreadLimits } from './unread-answers.ts';

export interface HttpLimits extends BodyLimits, UnreadLimits {
  readonly mostConnections: number;
  /** Requests of one connection that wait for their turn, and the one that is answered; whoever sends more is cut off. */
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
  pausesMs: 600_000,
  drainMs: 30_000,
  mostHeaderBytes: 16 * 1024,
  mostUnread: 128 << 20,
  mostUnreadOfOne: 32 << 20,
};
/** How often Node looks for those that take too long. */
const CHECK_MS = 1_000;
/** How long requests under way may take when the server ends. */
const GRACE_MS = 5_000;

/** A connection that was ended without an answer. */
export interface DroppedConnection {
  /** `evicted`: for another one. `ahead`: too many requests. `unread`: its answer, for those of others. `tls`: no session. */
  readonly why: 'evicted' | 'ahead' | 'unread' | 'tls';
  readonly remote: string | undefined;
}

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
  /** What the parser refuses is in it, too, without a method. */
  readonly log?: AccessLog | undefined;
  readonly onDropped?: ((dropped: DroppedConnection) => void) | undefined;
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
  readonly #lines = new WeakMap<Socket, Line>();
  readonly #unread: UnreadAnswers;
  #streams = 0;
  #isEnding = false;
  #address = { host: '', port: 0 };

  private constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#unread = new UnreadAnswers(this.#limits, () => this.#dropped('unread', undefined));
    this.#router = new Router(options.routes);
    this.#server = this.#createServer();
    // Clients wait for a sentence that says that they may send; ours comes with the answer.
    this.#server.on('checkContinue', (request, response) => {
      response.writeContinue();
      this.#onRequest(request, response);
    });
    // Those that nobody knows may be passed over; Node would refuse them with a bare status.
    this.#server.on('checkExpectation', (request, response) => this.#onRequest(request, response));
    this.#server.on('clientError', (error, socket) => this.#refuse(error, socket as Socket));
    // Of HTTPS alone. Whoever hangs up before there is a session is no error of anybody's.
    this.#server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      if (error.code !== 'ECONNRESET') this.#dropped('tls', socket.remoteAddress);
    });
    const onEvict = (address: string) => this.#dropped('evicted', address);
    this.#connections = new ConnectionLimit(this.#server, this.#limits.mostConnections, onEvict);
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

  get connections(): number {
    return this.#connections.size;
  }

  /** Answers that are written piece by piece: watches, news, flow logs. */
  get streams(): number {
    return this.#streams;
  }

  /** Bytes of large answers that their clients have not taken. */
  get unreadBytes(): number {
    return this.#unread.bytes;
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
      // Refused by us, with a problem document.
      requireHostHeader: false,
    };
    const onRequest = (request: IncomingMessage, response: ServerResponse) => this.#onRequest(request, response);
    // Not imported: see plain-server.ts.
    if (tls === undefined) return process.getBuiltinModule('node:http').createServer(options, onRequest);
    return process.getBuiltinModule('node:https').createServer({ ...options, ...tls }, onRequest) as unknown as Server;
  }

  #onRequest(incoming: IncomingMessage, response: ServerResponse): void {
    const { socket } = incoming;
    const line = this.#lineOf(socket);
    // The parser reads all of a chunk, whatever happens meanwhile.
    if (++line.length > this.#limits.mostAhead || socket.destroyed) {
      if (!socket.destroyed) this.#dropped('ahead', socket.remoteAddress);
      socket.destroy();
      return;
    }
    if (line.length === 1) this.#serve(incoming, response, line);
    // Invariant: of a connection one answer at a time is made, and no other before it was taken.
    else line.waiting.push(() => this.#serve(incoming, response, line));
  }

  #lineOf(socket: Socket): Line {
    const known = this.#lines.get(socket);
    if (known !== undefined) return known;
    const line = { length: 0, waiting: [] };
    this.#lines.set(socket, line);
    return line;
  }

  #serve(incoming: IncomingMessage, response: ServerResponse, line: Line): void {
    const { socket } = incoming;
    const begun = this.#options.clock.monotonic();
    inOriginForm(incoming, this.#options.tls !== undefined);
    // A message whose body was not read to its end has no socket any more.
    const { remoteAddress } = socket;
    const request = new HttpRequest(
      requestIdOf(incoming.headers['x-request-id']),
      incoming,
      this.#options.access,
      this.#limits,
      this.#connections,
    );
    this.#underWay.add(request);
    const answered = this.#connections.answering(socket);
    const { answerMs } = this.#limits;
    const late = setTimeout(() => {
      request.abandon(tooLate(answerMs));
      socket.destroy();
    }, answerMs);
    const ended = () => {
      clearTimeout(late);
      line.length--;
      this.#underWay.delete(request);
      if (!response.writableFinished) request.abandon(clientGone());
      answered();
      const next = line.waiting.shift();
      // An answer may be the last one of its connection.
      if (socket.writable) next?.();
      if (this.#isEnding && this.#underWay.size === 0) this.#connections.closeAll();
    };
    response.once('close', ended);
    void this.#answer(request, incoming, response, late)
      // The socket is gone; there is nobody to answer.
      .catch((error): Sent => {
        response.destroy();
        return { status: 499, problem: asProblem(error) };
      })
      .then((sent) => this.#log(request, remoteAddress, begun, sent))
      // The answer has been sent. A log that fails must not end the process, which has other work.
      .catch(() => {});
  }

  /** `late` ends a whole answer that takes too long; a stream may. */
  async #answer(
    request: HttpRequest,
    incoming: IncomingMessage,
    response: ServerResponse,
    late: NodeJS.Timeout,
  ): Promise<Sent> {
    const more: Record<string, string> = this.#isEnding ? { connection: 'close' } : {};
    let isStream = false;
    try {
      const reply = await this.#handle(request, incoming);
      if ('stream' in reply) {
        clearTimeout(late);
        isStream = true;
        this.#streams++;
        try {
          const { drainMs } = this.#limits;
          await streamReply(request, response, reply, { more, drainMs, unread: this.#unread });
        } finally {
          this.#streams--;
        }
        return { status: reply.status, isStream };
      }
      closeUnread(incoming, more);
      return { status: await sendReply(request, response, reply, more, this.#unread) };
    } catch (error) {
      const problem = asProblem(error);
      if (response.headersSent || response.destroyed) {
        // A part must not be taken for the whole.
        response.destroy();
        return { status: problem.status, problem, isStream };
      }
      closeUnread(incoming, more);
      const render = this.#options.renderProblem ?? renderProblem;
      const reply = render(problem, request.id, request.path);
      return { status: await sendReply(request, response, reply, more, this.#unread), problem };
    }
  }

  async #handle(request: HttpRequest, incoming: IncomingMessage) {
    const { access, admit, rateLimit } = this.#options;
    admit?.(incoming);
    if (incoming.headers.host === undefined && incoming.httpVersion === '1.1') {
      throw new Problem(400, 'bad-request', 'the request has no Host header', {
        hint: 'HTTP/1.1 needs one.',
        headers: { connection: 'close' },
      });
    }
    if (hasTwoHosts(incoming.rawHeaders)) {
      throw new Problem(400, 'bad-request', 'the request has more than one Host header', {
        hint: 'proxies and servers could take different ones.',
        headers: { connection: 'close' },
      });
    }
    const { route, captures } = this.#router.find(request.method, request.path);
    request.route = route.path;
    request.captures = captures;
    if (route.audience !== 'anyone') {
      request.caller = await access.identify(incoming);
      if (route.isFree !== true) rateLimit?.take(request.caller.name);
    }
    return await route.handle(request);
  }

  #refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    const remote = socket.remoteAddress;
    const refused = refuseBytes(error, socket, this.#limits);
    if (refused === undefined) return;
    const nothing = { caller: '', method: '', route: undefined, isStream: false, ms: 0 };
    this.#options.log?.({ ...nothing, ...refused, remote });
  }

  #dropped(why: DroppedConnection['why'], remote: string | undefined): void {
    this.#options.onDropped?.({ why, remote });
  }

  #log(request: HttpRequest, remote: string | undefined, begun: number, sent: Sent): void {
    const { log, clock } = this.#options;
    if (log === undefined) return;
    const { id, caller, method, route, sentBytes: bytes, bug } = request;
    const { status, problem, isStream = false } = sent;
    const ms = Math.round((clock.monotonic() - begun) * 10) / 10;
    const entry = { requestId: id, caller: caller.name, method, route, status, bytes, isStream, ms, remote };
    if (problem === undefined && bug === undefined) {
      log(entry);
      return;
    }
    log({
      ...entry,
      ...(problem === undefined ? {} : { code: problem.code }),
      ...(problem?.status === 500 ? { error: problem.cause } : bug === undefined ? {} : { error: bug }),
    });
  }
}

/** Of one connection: the request that is answered, and those that were sent ahead of its answer. */
interface Line {
  length: number;
  readonly waiting: (() => void)[];
}

interface Sent {
  readonly status: number;
  readonly problem?: Problem;
  readonly isStream?: boolean;
}

/** Node takes the first one and passes over the others; RFC 9112 asks for a 400. Names and values take turns. */
function hasTwoHosts(raw: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
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
