// Every key and certificate of one control plane, as files in one folder: one authority for servers and clients, one
// for the front proxy, the service account keys. Rotation writes the same files again; kube-apiserver notices by itself.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CertificateAuthority,
  type CertificateRequest,
  createCertificateAuthority,
  createSigningKey,
  type KeyAndCertificate,
} from './certificate-authority.ts';

export const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];
export const FRONT_PROXY_NAME = 'front-proxy-client';

export interface CertificateFiles extends KeyAndCertificate {
  readonly keyFile: string;
  readonly certificateFile: string;
}

export class Pki {
  readonly directory: string;
  readonly clusterCaFile: string;
  readonly frontProxyCaFile: string;
  readonly serviceAccountKeyFile: string;
  readonly serviceAccountPublicKeyFile: string;
  /** Newest first; all are trusted. */
  #cluster: [CertificateAuthority, ...CertificateAuthority[]];
  #frontProxy: [CertificateAuthority, ...CertificateAuthority[]];

  static async create(directory: string): Promise<Pki> {
    const pki = new Pki(directory);
    await mkdir(directory, { recursive: true });
    const signing = createSigningKey();
    await Promise.all([
      writeFile(pki.clusterCaFile, pki.clusterTrust),
      writeFile(pki.frontProxyCaFile, pki.frontProxyTrust),
      writeFile(pki.serviceAccountKeyFile, signing.privateKey, { mode: 0o600 }),
      writeFile(pki.serviceAccountPublicKeyFile, signing.publicKey),
    ]);
    return pki;
  }

  private constructor(directory: string) {
    this.directory = directory;
    this.#cluster = [createCertificateAuthority('podtrail-e2e-ca')];
    this.#frontProxy = [createCertificateAuthority('podtrail-e2e-front-proxy-ca')];
    this.clusterCaFile = join(directory, 'ca.crt');
    this.frontProxyCaFile = join(directory, 'front-proxy-ca.crt');
    this.serviceAccountKeyFile = join(directory, 'service-account.key');
    this.serviceAccountPublicKeyFile = join(directory, 'service-account.pub');
  }

  /** Signs serving and client certificates. */
  get cluster(): CertificateAuthority {
    return this.#cluster[0];
  }

  /** Signs what the aggregator shows to extension API servers. */
  get frontProxy(): CertificateAuthority {
    return this.#frontProxy[0];
  }

  /** PEM of every cluster authority that is trusted. */
  get clusterTrust(): string {
    return bundle(this.#cluster);
  }

  get frontProxyTrust(): string {
    return bundle(this.#frontProxy);
  }

  /** A new cluster authority signs from now on. Certificates of the old ones stay valid unless they are dropped. */
  async rotateCluster({ dropOld = false } = {}): Promise<void> {
    const old = dropOld ? [] : this.#cluster;
    this.#cluster = [createCertificateAuthority('podtrail-e2e-ca'), ...old];
    await writeFile(this.clusterCaFile, this.clusterTrust);
  }

  async rotateFrontProxy({ dropOld = false } = {}): Promise<void> {
    const old = dropOld ? [] : this.#frontProxy;
    this.#frontProxy = [createCertificateAuthority('podtrail-e2e-front-proxy-ca'), ...old];
    await writeFile(this.frontProxyCaFile, this.frontProxyTrust);
  }

  /** Issues a certificate and writes it as NAME.key and NAME.crt; the same name again replaces the files. */
  async write(name: string, request: CertificateRequest, authority = this.cluster): Promise<CertificateFiles> {
    const issued = authority.issue(request);
    const keyFile = join(this.directory, `${name}.key`);
    const certificateFile = join(this.directory, `${name}.crt`);
    await writeFile(keyFile, issued.key, { mode: 0o600 });
    await writeFile(certificateFile, issued.certificate);
    return { ...issued, keyFile, certificateFile };
  }

  /** What a server on this machine shows. The name of an API server's part again renews its certificate. */
  serving(name: string): Promise<CertificateFiles> {
    return this.write(name, { subject: { commonName: name }, usage: 'server', names: LOOPBACK_NAMES });
  }
  /** What the aggregator of the API server of that name shows to extension API servers. */
  frontProxyClient(name: string): Promise<CertificateFiles> {
    const request = { subject: { commonName: FRONT_PROXY_NAME }, usage: 'client' as const };
    return this.write(`${name}-front-proxy`, request, this.frontProxy);
  }
}

function bundle(authorities: readonly CertificateAuthority[]): string {
  return authorities.map((authority) => authority.certificate).join('');
}
