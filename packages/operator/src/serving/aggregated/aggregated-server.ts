// The TLS port of the aggregated API, in the process that has the ledger. Clients are asked for a certificate, and whether
// it is a front proxy's is decided for each request (access/). What a stranger can make it hold is bounded: connections,
// headers, time; bodies by the API. With another front-proxy authority all connections begin again.
import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServingCertificate } from '../../certificates/certificate.ts';
import { ConnectionLimit } from '../connection-limit.ts';
import { listen } from '../listen.ts';
import { cannotListen } from '../plain-server.ts';

// Not imported: see plain-server.ts.
const { createServer } = process.getBuiltinModule('node:https');

const MOST_CONNECTIONS = 256;
const MOST_HEADER_BYTES = 16 * 1024;
const HANDSHAKE_MS = 5_000;
const HEADERS_MS = 5_000;
const REQUEST_MS = 10_000;
/** Longer than API servers keep a connection that they do not use. */
const KEEP_ALIVE_MS = 100_000;

export interface AggregatedServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly certificate: ServingCertificate;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

export class AggregatedServer {
  readonly #server: ReturnType<typeof createServer>;
  readonly #limit: ConnectionLimit;
  readonly #options: AggregatedServerOptions;
  #certificate: ServingCertificate;
  #clientCa: string | undefined;

  constructor(options: AggregatedServerOptions) {
    this.#options = options;
    this.#certificate = options.certificate;
    const limits = {
      ...{ handshakeTimeout: HANDSHAKE_MS, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
      ...{ keepAliveTimeout: KEEP_ALIVE_MS, connectionsCheckingInterval: 1_000, maxHeaderSize: MOST_HEADER_BYTES },
    };
    const asking = { requestCert: true, rejectUnauthorized: false };
    this.#server = createServer({ ...this.#context(), ...asking, ...limits }, (request, response) => {
      const answered = this.#limit.answering(request.socket);
      options
        .handle(request, response)
        .catch(() => response.destroy())
        .finally(answered);
    });
    this.#limit = new ConnectionLimit(this.#server, MOST_CONNECTIONS);
  }

  async listen(): Promise<number> {
    const { host, port } = this.#options;
    const address = await listen(this.#server, host, port).catch((error) => {
      throw cannotListen(host, port, error);
    });
    return address.port;
  }

  /** For connections from now on. */
  use(certificate: ServingCertificate): void {
    this.#certificate = certificate;
    this.#server.setSecureContext(this.#context());
  }

  /** Whose certificates make a front proxy; undefined: nobody's. Those that are connected prove it again. */
  trust(clientCa: string | undefined): void {
    if (clientCa === this.#clientCa) return;
    this.#clientCa = clientCa;
    this.#server.setSecureContext(this.#context());
    this.#limit.closeAll();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#limit.closeAll();
    await closed;
  }

  #context() {
    const { certificate, key } = this.#certificate;
    return {
      ...{ cert: certificate, key, minVersion: 'TLSv1.2' as const },
      // Without one, Node would trust those of the public web: no client has a certificate by our own.
      ca: this.#clientCa ?? certificate,
      // No tickets: a session that goes on would keep what an earlier authority allowed.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
    };
  }
}
