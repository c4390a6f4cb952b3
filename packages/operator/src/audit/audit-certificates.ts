// The certificates of the audit webhook, from files: what it serves with, and which authority clients must show a
// certificate of. Read again while it runs, since whoever issues them writes them again (a Secret that is mounted). Not
// issued by the operator itself, as those of conversion are: an API server reads the authority that it trusts from a file
// of its own, once, when it starts.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../errors.ts';

export interface AuditCertificateFiles {
  readonly certificate: string;
  readonly key: string;
  readonly clientCa: string;
}

export interface AuditCertificates {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  readonly clientCa: string;
  readonly notAfter: number;
}

/** Invariant: without an authority for clients there is no server; nobody is let in for want of a file. */
export async function readAuditCertificates(
  files: AuditCertificateFiles,
  read: (path: string) => Promise<string> = (path) => readFile(path, 'utf8'),
): Promise<AuditCertificates> {
  const [certificate, key, clientCa] = await Promise.all([
    readPart(files.certificate, read),
    readPart(files.key, read),
    readPart(files.clientCa, read),
  ]);
  try {
    createSecureContext({ cert: certificate, key, ca: clientCa });
    // Node takes an authority that is no certificate for none.
    new X509Certificate(clientCa);
    return { certificate, key, clientCa, notAfter: new X509Certificate(certificate).validToDate.getTime() };
  } catch (cause) {
    const { certificate: name } = files;
    throw new OperatorError('bad-audit-certificates', `${name} and the files beside it are no key and certificates`, {
      hint: 'the key must be that of the certificate, all in PEM; docs/audit.md shows how to make them.',
      cause,
    });
  }
}

async function readPart(path: string, read: (path: string) => Promise<string>): Promise<string> {
  try {
    return await read(path);
  } catch (cause) {
    throw new OperatorError('no-audit-certificates', `${path} cannot be read: ${(cause as Error).message}`, {
      hint: 'the audit webhook needs a certificate, its key, and the authority of its clients; docs/audit.md shows how to make them.',
      cause,
    });
  }
}
