// TLS of the history port: a certificate that is renewed while it is served, and the authority of front proxies. Clients
// are asked for a certificate, and whether it is a front proxy's is decided for each request (access/). With another
// authority all connections begin again; sessions are not resumed.
import { constants } from 'node:crypto';
import type { ServerOptions } from 'node:https';
import type { ServingCertificate } from '../../certificates/certificate.ts';
import type { HttpServer } from '../http/http-server.ts';

const HANDSHAKE_MS = 5_000;

export class ServingTls {
  #certificate: ServingCertificate;
  #clientCa: string | undefined;
  #server: Pick<HttpServer, 'useTls' | 'closeConnections'> | undefined;

  constructor(certificate: ServingCertificate) {
    this.#certificate = certificate;
  }

  /** For the server that this is then given to. */
  get options(): ServerOptions {
    return { ...this.#context(), requestCert: true, rejectUnauthorized: false, handshakeTimeout: HANDSHAKE_MS };
  }

  /** Renewals and changes of trust reach it from now on. */
  serve(server: Pick<HttpServer, 'useTls' | 'closeConnections'>): void {
    this.#server = server;
    server.useTls(this.#context());
  }

  /** For connections from now on. */
  use(certificate: ServingCertificate): void {
    this.#certificate = certificate;
    this.#server?.useTls(this.#context());
  }

  /** Whose certificates make a front proxy; undefined: nobody's. Those that are connected prove it again. */
  trust(clientCa: string | undefined): void {
    if (clientCa === this.#clientCa) return;
    this.#clientCa = clientCa;
    this.#server?.useTls(this.#context());
    this.#server?.closeConnections();
  }

  #context(): ServerOptions {
    const { certificate, key } = this.#certificate;
    return {
      ...{ cert: certificate, key, minVersion: 'TLSv1.2' },
      // Without one, Node would trust those of the public web: no client has a certificate by our own.
      ca: this.#clientCa ?? certificate,
      // No tickets: a session that goes on would keep what an earlier authority allowed.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
    };
  }
}
