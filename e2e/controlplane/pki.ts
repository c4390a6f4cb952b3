// Every key and certificate of one control plane, as files in one folder: one authority for servers and clients, one
// for the front proxy, the service account keys. Files may be written again (rotation); who reads them decides when.
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
  /** Signs serving and client certificates. */
  readonly cluster: CertificateAuthority;
  /** Signs what the aggregator shows to extension API servers. */
  readonly frontProxy: CertificateAuthority;
  readonly clusterCaFile: string;
  readonly frontProxyCaFile: string;
  readonly serviceAccountKeyFile: string;
  readonly serviceAccountPublicKeyFile: string;

  static async create(directory: string): Promise<Pki> {
    const pki = new Pki(directory);
    await mkdir(directory, { recursive: true });
    const signing = createSigningKey();
    await Promise.all([
      writeFile(pki.clusterCaFile, pki.cluster.certificate),
      writeFile(pki.frontProxyCaFile, pki.frontProxy.certificate),
      writeFile(pki.serviceAccountKeyFile, signing.privateKey, { mode: 0o600 }),
      writeFile(pki.serviceAccountPublicKeyFile, signing.publicKey),
    ]);
    return pki;
  }

  private constructor(directory: string) {
    this.directory = directory;
    this.cluster = createCertificateAuthority('podtrail-e2e-ca');
    this.frontProxy = createCertificateAuthority('podtrail-e2e-front-proxy-ca');
    this.clusterCaFile = join(directory, 'ca.crt');
    this.frontProxyCaFile = join(directory, 'front-proxy-ca.crt');
    this.serviceAccountKeyFile = join(directory, 'service-account.key');
    this.serviceAccountPublicKeyFile = join(directory, 'service-account.pub');
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

  /** What a server on this machine shows. */
  serving(name: string): Promise<CertificateFiles> {
    return this.write(name, { subject: { commonName: name }, usage: 'server', names: LOOPBACK_NAMES });
  }
}
