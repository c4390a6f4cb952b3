// A certificate that a server issues to itself, for callers that are configured to trust it. Its key never leaves the
// operator and the process that serves conversion for it, so that no Secret needs to be read or written.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bitString, context, integer, objectIdentifier, octetString, sequence, setOf, time, utf8, yes } from './der.ts';

export interface ServingCertificate {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  readonly notAfter: number;
}

export interface CertificateRequest {
  /** Who serves: part of the subject, so that an owner finds its own again. */
  readonly commonName: string;
  /** DNS names and IP addresses under which the server is called. */
  readonly names: readonly string[];
  /** Wall clock. */
  readonly now: number;
  readonly validMs: number;
  /** Who shows it: a server, unless it says otherwise. */
  readonly usage?: 'server' | 'client';
}

/** Clocks of API servers may be behind ours. */
const BACKDATE_MS = 5 * 60_000;

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = objectIdentifier('2.5.4.3');
const SERIAL_NUMBER = objectIdentifier('2.5.4.5');
const USAGES = { server: objectIdentifier('1.3.6.1.5.5.7.3.1'), client: objectIdentifier('1.3.6.1.5.5.7.3.2') };

export function issueCertificate(request: CertificateRequest): ServingCertificate {
  const { commonName, names, now, validMs, usage = 'server' } = request;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const notAfter = now + validMs;
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)]);
  // Two of one server must have two names: who looks for an issuer by name could find the wrong one.
  const number = utf8(serial.toString('hex'));
  const name = sequence(setOf(sequence(COMMON_NAME, utf8(commonName))), setOf(sequence(SERIAL_NUMBER, number)));
  const content = sequence(
    context(0, integer(Buffer.from([2])), true),
    integer(serial),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(now - BACKDATE_MS), time(notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    context(3, sequence(...extensions(names, USAGES[usage])), true),
  );
  const signature = sign('sha256', content, privateKey);
  const der = sequence(content, ECDSA_WITH_SHA256, bitString(signature));
  return {
    certificate: pem(der),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    notAfter,
  };
}

function extensions(names: readonly string[], usage: Buffer): Buffer[] {
  const digitalSignature = bitString(Buffer.from([0x80]), 7);
  return [
    sequence(objectIdentifier('2.5.29.15'), yes(), octetString(digitalSignature)),
    sequence(objectIdentifier('2.5.29.37'), octetString(sequence(usage))),
    sequence(objectIdentifier('2.5.29.17'), octetString(sequence(...names.map(alternativeName)))),
  ];
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 0) return context(2, Buffer.from(name), false);
  return context(7, addressBytes(name), false);
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail ?? '')];
  return Buffer.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
