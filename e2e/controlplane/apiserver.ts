// kube-apiserver as a part: RBAC, audit log, client certificates, static and service account tokens, and a front proxy
// for aggregation. Several may stand on one etcd; each has its own port, serving certificate and audit log.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditEvent, readAuditLog } from './audit-log.ts';
import type { Binaries } from './cache-directory.ts';
import { freePort } from './free-port.ts';
import {
  type HttpAnswer,
  type HttpIdentity,
  type HttpLines,
  type HttpRequest,
  httpLines,
  httpRequest,
} from './http-request.ts';
import { type MetricSample, parseMetrics } from './metrics.ts';
import { Part } from './part.ts';
import { FRONT_PROXY_NAME, type Pki } from './pki.ts';
import type { TcpProxy } from './tcp-proxy.ts';

export interface ApiserverSetup {
  readonly name: string;
  readonly binaries: Binaries;
  readonly directory: string;
  readonly pki: Pki;
  readonly admin: HttpIdentity;
  readonly etcdUrl: string;
  readonly etcdProxy: TcpProxy | undefined;
  readonly tokenFile: string;
  /** YAML; false writes no audit log. */
  readonly auditPolicy: string | false;
  /** Without a controller manager nobody creates the default ServiceAccounts that this admission asks for. */
  readonly admitWithoutServiceAccount: boolean;
  /** Kubelets may read and write what belongs to their node. */
  readonly authorizesNodes: boolean;
  readonly flags: readonly string[];
}

export class Apiserver extends Part {
  readonly url: string;
  readonly auditLogFile: string;
  /** Between this API server and etcd, where it was asked for. */
  readonly etcdProxy: TcpProxy | undefined;
  /** Added after all others at the next start, so that a test can restart with other settings. */
  extraFlags: string[];
  readonly #admin: HttpIdentity;

  static async create(setup: ApiserverSetup): Promise<Apiserver> {
    const { pki, name, directory } = setup;
    const port = await freePort();
    await pki.serving(name);
    await pki.frontProxyClient(name);
    if (setup.auditPolicy !== false) await writeFile(join(directory, `${name}-audit-policy.yaml`), setup.auditPolicy);
    return new Apiserver(setup, port);
  }

  private constructor(setup: ApiserverSetup, port: number) {
    const { name, directory } = setup;
    const url = `https://127.0.0.1:${port}`;
    const auditLogFile = join(directory, `${name}-audit.log`);
    super({
      name,
      file: setup.binaries.path('kube-apiserver'),
      args: () => [...apiserverFlags(setup, port, auditLogFile), ...this.extraFlags],
      directory,
      logFile: join(directory, `${name}.log`),
      port,
      check: async () => {
        const { status, body } = await httpRequest(`${url}/readyz`, { ...setup.admin, timeoutMs: 2_000 });
        if (status !== 200) throw new Error(`/readyz says ${status}: ${body}`);
      },
    });
    this.url = url;
    this.auditLogFile = auditLogFile;
    this.etcdProxy = setup.etcdProxy;
    this.extraFlags = [...setup.flags];
    this.#admin = setup.admin;
  }

  /** A request as the administrator, unless it carries another identity. */
  request(path: string, request: HttpRequest = {}): Promise<HttpAnswer> {
    return httpRequest(this.url + path, { ...this.#identityFor(request), ...request });
  }

  /** An answer read line by line, for example a watch. */
  lines(path: string, request: HttpRequest = {}): Promise<HttpLines> {
    return httpLines(this.url + path, { ...this.#identityFor(request), ...request });
  }

  auditLog(): Promise<AuditEvent[]> {
    return readAuditLog(this.auditLogFile);
  }

  async metrics(): Promise<MetricSample[]> {
    return parseMetrics((await this.request('/metrics', { headers: { Accept: 'text/plain' } })).body);
  }

  #identityFor(request: HttpRequest): HttpIdentity {
    const own = request.token !== undefined || request.certificate !== undefined;
    return own ? { ca: this.#admin.ca as string } : this.#admin;
  }
}

function apiserverFlags(setup: ApiserverSetup, port: number, auditLogFile: string): string[] {
  const { pki, name, directory } = setup;
  const inPki = (file: string) => join(pki.directory, file);
  const audit =
    setup.auditPolicy === false
      ? []
      : [
          `--audit-policy-file=${join(directory, `${name}-audit-policy.yaml`)}`,
          `--audit-log-path=${auditLogFile}`,
          // One file for the whole run: who reads it does not look for others beside it.
          '--audit-log-maxsize=10000',
        ];
  return [
    `--etcd-servers=${setup.etcdUrl}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    // It would publish a loopback address as the endpoint of the kubernetes Service, which validation refuses.
    '--endpoint-reconciler-type=none',
    `--tls-cert-file=${inPki(`${name}.crt`)}`,
    `--tls-private-key-file=${inPki(`${name}.key`)}`,
    `--client-ca-file=${pki.clusterCaFile}`,
    `--token-auth-file=${setup.tokenFile}`,
    `--authorization-mode=${setup.authorizesNodes ? 'Node,RBAC' : 'RBAC'}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${pki.serviceAccountPublicKeyFile}`,
    `--service-account-signing-key-file=${pki.serviceAccountKeyFile}`,
    `--requestheader-client-ca-file=${pki.frontProxyCaFile}`,
    `--requestheader-allowed-names=${FRONT_PROXY_NAME}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${inPki(`${name}-front-proxy.crt`)}`,
    `--proxy-client-key-file=${inPki(`${name}-front-proxy.key`)}`,
    // No --enable-aggregator-routing: it would refuse a Service of type ExternalName, the one kind by which the
    // aggregator reaches an extension on this machine (an endpoint may not be a loopback address).
    '--profiling=false',
    ...(setup.admitWithoutServiceAccount ? ['--disable-admission-plugins=ServiceAccount'] : []),
    ...audit,
  ];
}
