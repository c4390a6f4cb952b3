// Sends requests to other replicas: TLS both ways, with the certificate that this replica serves with. Connections are
// kept for the next question. What is sent back is bounded.
import type { Agent as HttpsAgent } from 'node:https';
import type { ServingCertificate } from '../../certificates/certificate.ts';
import { PeerFailure } from './peer-failure.ts';
import { PEER_PATH } from './peer-reads.ts';
import { MOST_RESPONSE_BYTES } from './peer-route.ts';

// Not imported: see plain-server.ts.
const { Agent, request } = process.getBuiltinModule('node:https');

export interface PeerIdentity {
  readonly certificate: ServingCertificate;
  /** PEM: whose certificates are those of replicas. */
  readonly bundle: string;
  /** The name that all of them serve. */
  readonly serverName: string;
}

const IDLE_MS = 30_000;
const MOST_SOCKETS = 8;

export class PeerConnections {
  readonly #identity: () => PeerIdentity;
  #agent: { readonly agent: HttpsAgent; readonly of: string } | undefined;

  constructor(identity: () => PeerIdentity) {
    this.#identity = identity;
  }

  /** `address`: host:port, with brackets around an IPv6 address. */
  send(address: string, body: string, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      const late = () => new PeerFailure(address, 'did not answer in time');
      if (signal.aborted) {
        reject(late());
        return;
      }
      const { hostname, port } = new URL(`https://${address}`);
      const asked = request(
        {
          ...{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), path: PEER_PATH, method: 'POST' },
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
          ...{ agent: this.#agentOf(), signal },
        },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          response.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > MOST_RESPONSE_BYTES) asked.destroy(new PeerFailure(address, 'sent too much'));
            else chunks.push(chunk);
          });
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const { statusCode = 0 } = response;
            if (statusCode >= 200 && statusCode < 300) resolve(text);
            else reject(refusal(address, statusCode, text));
          });
          response.on('error', (cause) => reject(failure(cause)));
        },
      );
      const failure = (cause: Error) =>
        cause instanceof PeerFailure
          ? cause
          : signal.aborted
            ? late()
            : new PeerFailure(address, 'cannot be reached', { cause });
      asked.on('error', (cause) => reject(failure(cause)));
      asked.end(body);
    });
  }

  close(): void {
    this.#agent?.agent.destroy();
    this.#agent = undefined;
  }

  /** With another certificate connections begin again. */
  #agentOf(): HttpsAgent {
    const { certificate, bundle, serverName } = this.#identity();
    const of = `${certificate.certificate}${bundle}`;
    if (this.#agent?.of === of) return this.#agent.agent;
    this.#agent?.agent.destroy();
    const agent = new Agent({
      ...{ keepAlive: true, timeout: IDLE_MS, maxSockets: MOST_SOCKETS },
      ...{ cert: certificate.certificate, key: certificate.key, ca: bundle, servername: serverName },
      minVersion: 'TLSv1.2',
    });
    this.#agent = { agent, of };
    return agent;
  }
}

function refusal(address: string, status: number, text: string): PeerFailure {
  if (status === 413) return new PeerFailure(address, 'has too much about it', { isLasting: false });
  if (text.includes('"other-version"')) return new PeerFailure(address, 'speaks another version');
  if (text.includes('"other-cluster"')) return new PeerFailure(address, 'records another cluster');
  if (status === 401 || status === 404) return new PeerFailure(address, 'does not know this replica yet');
  return new PeerFailure(address, `answered ${status}`);
}
