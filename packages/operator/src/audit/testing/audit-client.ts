// An API server's side of the audit webhook for tests: certificates of both sides, lists of events, and how it posts them.
import { request } from 'node:https';
import { issueCertificate, type ServingCertificate } from '../../certificates/certificate.ts';
import type { AuditCertificates } from '../audit-certificates.ts';

const DAY_MS = 86_400_000;

function issued(commonName: string, usage: 'server' | 'client'): ServingCertificate {
  return issueCertificate({ commonName, names: ['localhost', '127.0.0.1'], now: Date.now(), validMs: DAY_MS, usage });
}

const SERVER = issued('podtrail', 'server');
export const CLIENT = issued('kube-apiserver', 'client');
export const STRANGER = issued('kube-apiserver', 'client');
export const CERTIFICATES: AuditCertificates = {
  ...{ certificate: SERVER.certificate, key: SERVER.key, clientCa: CLIENT.certificate, notAfter: SERVER.notAfter },
};

export interface Posted {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface PostOptions {
  readonly client?: ServingCertificate | undefined;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Rejects where there is no answer: a handshake that was refused, a connection that was cut. */
export function post(port: number, body: string | Uint8Array, options: PostOptions = {}): Promise<Posted> {
  const { path = '/audit', method = 'POST', headers = {} } = options;
  const client = 'client' in options ? options.client : CLIENT;
  const identity = client === undefined ? {} : { cert: client.certificate, key: client.key };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers, ca: SERVER.certificate, agent: false, ...identity },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

let made = 0;
/** As the API server writes it: without kind and version. */
export function anAuditEvent(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    ...{ level: 'Request', auditID: `live-${++made}`, stage: 'ResponseComplete', requestURI: '/', verb: 'delete' },
    ...{ user: { username: 'jane' }, sourceIPs: ['192.0.2.1'], userAgent: 'kubectl/v1.36.3' },
    objectRef: { resource: 'pods', namespace: 'shop', name: 'web-1', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 200 },
    requestReceivedTimestamp: '2026-11-16T10:00:00.000000Z',
    stageTimestamp: '2026-11-16T10:00:00.010000Z',
    annotations: { 'authorization.k8s.io/decision': 'allow' },
    ...fields,
  };
}

export function anEventList(...items: readonly unknown[]): string {
  return JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items });
}
