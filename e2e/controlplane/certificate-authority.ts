// Signs X.509 certificates (EC P-256, ECDSA with SHA-256), so that a test machine needs no openssl. For tests only:
// private keys are handed out as text. An authority may issue any number of certificates, also for the past.
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import * as der from './der.ts';

export interface Subject {
  readonly commonName: string;
  /** Kubernetes reads them as the groups of a client. */
  readonly organizations?: readonly string[];
}

export interface CertificateRequest {
  readonly subject: Subject;
  readonly usage: 'server' | 'client' | 'both';
  /** DNS names and IP addresses that a server may be reached by. */
  readonly names?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** Both as PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

export interface CertificateAuthority {
  /** PEM; what a peer must trust. */
  readonly certificate: string;
  readonly key: string;
  issue(request: CertificateRequest): KeyAndCertificate;
}

const HOUR_MS = 3_600_000;
const ECDSA_WITH_SHA256 = der.sequence(der.objectIdentifier('1.2.840.10045.4.3.2'));
const SERVER_AUTH = der.objectIdentifier('1.3.6.1.5.5.7.3.1');
const CLIENT_AUTH = der.objectIdentifier('1.3.6.1.5.5.7.3.2');

export function createCertificateAuthority(commonName: string): CertificateAuthority {
  const { privateKey, publicKey } = newKeyPair();
  const subject = encodeName({ commonName });
  const keyId = keyIdentifier(publicKey);
  const certificate = signCertificate({
    issuer: subject,
    signer: privateKey,
    subject,
    publicKey,
    ...validity({}),
    extensions: [
      extension('2.5.29.19', der.sequence(der.boolean(true)), true),
      extension('2.5.29.15', der.bitString(Buffer.from([0b10000110]), 1), true), // digitalSignature, certSign, crlSign
      extension('2.5.29.14', der.octetString(keyId)),
    ],
  });
  return {
    certificate,
    key: exportKey(privateKey),
    issue(request) {
      const pair = newKeyPair();
      const usages = { server: [SERVER_AUTH], client: [CLIENT_AUTH], both: [SERVER_AUTH, CLIENT_AUTH] };
      const extensions = [
        extension('2.5.29.19', der.sequence(), true),
        extension('2.5.29.15', der.bitString(Buffer.from([0b10000000]), 7), true), // digitalSignature
        extension('2.5.29.37', der.sequence(...usages[request.usage])),
        extension('2.5.29.35', der.sequence(der.implicit(0, keyId))),
        extension('2.5.29.14', der.octetString(keyIdentifier(pair.publicKey))),
      ];
      if (request.names && request.names.length > 0) {
        extensions.push(extension('2.5.29.17', der.sequence(...request.names.map(alternativeName))));
      }
      return {
        key: exportKey(pair.privateKey),
        certificate: signCertificate({
          issuer: subject,
          signer: privateKey,
          subject: encodeName(request.subject),
          publicKey: pair.publicKey,
          ...validity(request),
          extensions,
        }),
      };
    },
  };
}

/** A key pair as PEM, for example to sign service account tokens. */
export function createSigningKey(): { privateKey: string; publicKey: string } {
  const { privateKey } = newKeyPair();
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  return { privateKey: exportKey(privateKey), publicKey };
}

interface Body {
  issuer: Buffer;
  signer: KeyObject;
  subject: Buffer;
  publicKey: KeyObject;
  notBefore: Date;
  notAfter: Date;
  extensions: Buffer[];
}

function signCertificate(body: Body): string {
  const toBeSigned = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))), // version 3
    der.integer(randomBytes(16)),
    ECDSA_WITH_SHA256,
    body.issuer,
    der.sequence(der.time(body.notBefore), der.time(body.notAfter)),
    body.subject,
    body.publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(3, der.sequence(...body.extensions)),
  );
  const signature = sign('sha256', toBeSigned, { key: body.signer, dsaEncoding: 'der' });
  const base64 = der.sequence(toBeSigned, ECDSA_WITH_SHA256, der.bitString(signature)).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** From an hour ago, because a test may set its clock back; for ten years. */
function validity(request: { notBefore?: Date; notAfter?: Date }): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: request.notBefore ?? new Date(Date.now() - HOUR_MS),
    notAfter: request.notAfter ?? new Date(Date.now() + 10 * 365 * 24 * HOUR_MS),
  };
}

function encodeName(subject: Subject): Buffer {
  const attribute = (type: string, text: string) =>
    der.set(der.sequence(der.objectIdentifier(type), der.utf8String(text)));
  const organizations = (subject.organizations ?? []).map((organization) => attribute('2.5.4.10', organization));
  return der.sequence(...organizations, attribute('2.5.4.3', subject.commonName));
}

function alternativeName(name: string): Buffer {
  if (isIPv4(name)) return der.implicit(7, Buffer.from(name.split('.').map(Number)));
  if (isIPv6(name)) return der.implicit(7, ipv6Bytes(name));
  return der.implicit(2, Buffer.from(name, 'ascii'));
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16)));
  const [left, right] = [words(head), words(tail ?? '')];
  const all = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}

function extension(oid: string, value: Buffer, critical = false): Buffer {
  return der.sequence(der.objectIdentifier(oid), ...(critical ? [der.boolean(true)] : []), der.octetString(value));
}

function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}

function newKeyPair(): { privateKey: KeyObject; publicKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}

function exportKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
