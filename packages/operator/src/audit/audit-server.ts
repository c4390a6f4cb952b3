// Takes batches of audit events from API servers over HTTPS, and nothing else. Only clients with a certificate of the
// configured authority get in. It answers at once, whatever is done with the events later: 200 when they are queued, 429
// when there is no room. Everything that a client can make it hold is bounded.
import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { ConnectionLimit } from '../serving/connection-limit.ts';
import { listen } from '../serving/listen.ts';
import { cannotListen } from '../serving/plain-server.ts';
import type { AuditCertificates } from './audit-certificates.ts';
import type { AuditQueue } from './audit-queue.ts';
import { EventListSplitter } from './event-list-splitter.ts';

export const AUDIT_PATH = '/audit';

export interface AuditServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly certificates: AuditCertificates;
  /** The common name of the clients that are let in; undefined: everybody whom the authority has given a certificate. */
  readonly clientName: string | undefined;
  readonly queue: AuditQueue;
  readonly listener: AuditServerListener;
}

export interface AuditServerListener {
  answered(status: number): void;
  /** There was no room; the API server may send it again, or not. */
  refused(): void;
  /** Events, or a body, that cannot be read. */
  damaged(): void;
}

/** There are few API servers, and each has few connections. */
const MOST_CONNECTIONS = 32;
const MOST_HEADER_BYTES = 8 * 1024;
const HANDSHAKE_MS = 5_000;
const HEADERS_MS = 5_000;
const REQUEST_MS = 30_000;
/** Longer than API servers keep a connection that they do not use (90 s). */
const KEEP_ALIVE_MS = 100_000;
const CHECK_MS = 1_000;
const RETRY_AFTER_SECONDS = '1';

export class AuditServer {
  readonly #options: AuditServerOptions;
  readonly #server: Server;
  readonly #limit: ConnectionLimit;

  constructor(options: AuditServerOptions) {
    this.#options = options;
    this.#server = createServer(
      {
        ...tlsOf(options.certificates),
        requestCert: true,
        rejectUnauthorized: true,
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
        handshakeTimeout: HANDSHAKE_MS,
        headersTimeout: HEADERS_MS,
        requestTimeout: REQUEST_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: CHECK_MS,
        maxHeaderSize: MOST_HEADER_BYTES,
      },
      (request, response) => {
        this.#answer(request, response).catch(() => response.destroy());
      },
    );
    this.#server.on('tlsClientError', () => {});
    this.#limit = new ConnectionLimit(this.#server, MOST_CONNECTIONS);
  }

  async listen(): Promise<number> {
    const { host, port } = this.#options;
    try {
      return (await listen(this.#server, host, port)).port;
    } catch (error) {
      throw cannotListen(host, port, error as Error);
    }
  }

  /** For connections from now on. */
  use(certificates: AuditCertificates): void {
    this.#server.setSecureContext(tlsOf(certificates));
  }

  async close(): Promise<void> {
    this.#limit.closeAll();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (request.url ?? '').split('?');
    if (!this.#isKnown(request.socket as TLSSocket))
      return this.#end(request, response, 403, 'this certificate is not one of an API server that may come here');
    if (path !== AUDIT_PATH) return this.#end(request, response, 404, `there is nothing here but ${AUDIT_PATH}`);
    if (request.method !== 'POST') return this.#end(request, response, 405, 'an EventList is to be posted');
    // API servers do not compress; what could be unpacked to any size is not taken.
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
      return this.#end(request, response, 415, 'a body that is not compressed is expected');
    const { queue, listener } = this.#options;
    if (queue.isFull) return this.#full(request, response);
    const splitter = new EventListSplitter({
      onEvent: (event) => queue.push(event),
      onTooLong: () => listener.damaged(),
      onHeld: (bytes) => queue.hold(bytes),
    });
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
        if (!splitter.push(chunk)) break;
    } finally {
      // Also of a body that breaks off.
      splitter.release();
    }
    const outcome = splitter.end();
    if (outcome.kind === 'full') return this.#full(request, response);
    if (outcome.kind === 'whole') return this.#end(request, response, 200, '');
    listener.damaged();
    // Sent again it would be the same: nothing is won by an answer that makes the API server try.
    this.#end(request, response, 200, `not an EventList of audit.k8s.io/v1: ${outcome.why}`);
  }

  /** The client's certificate is verified; this is about whose it is. */
  #isKnown(socket: TLSSocket): boolean {
    if (!socket.authorized) return false;
    const { clientName } = this.#options;
    return clientName === undefined || socket.getPeerCertificate().subject?.CN === clientName;
  }

  #full(request: IncomingMessage, response: ServerResponse): void {
    this.#options.listener.refused();
    this.#end(request, response, 429, 'there is no room for more events now; ask again');
  }

  /** What is left of the body is read and thrown away, so that the client can read the answer. */
  #end(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
    const headers = {
      'content-type': 'text/plain',
      ...(status === 429 ? { 'retry-after': RETRY_AFTER_SECONDS } : {}),
    };
    response.writeHead(status, headers).end(message === '' ? '' : `${message}\n`);
    request.resume();
    this.#options.listener.answered(status);
  }
}

function tlsOf({ certificate, key, clientCa }: AuditCertificates) {
  return { cert: certificate, key, ca: clientCa, minVersion: 'TLSv1.2' } as const;
}
