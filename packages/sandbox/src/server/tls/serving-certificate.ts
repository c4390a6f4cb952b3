// A certificate authority of its own and a serving certificate for each server: kubectl sends bearer tokens over TLS
// only. EC P-256, made in a few milliseconds, kept in memory and valid for loopback names.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import * as der from './der.ts';

export interface ServingCertificate {
  /** PEM, what clients must trust. */
  readonly caCertificate: string;
  readonly certificate: string;
  readonly key: string;
}

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const ECDSA_SHA256 = der.sequence(der.identifier('1.2.840.10045.4.3.2'));
const AUTHORITY = 'podtrail-sandbox-ca';

/** `now` in milliseconds of the clock that clients check certificates by: the real one. */
export function createServingCertificate(names: readonly string[], now: number): ServingCertificate {
  const authority = newKeys();
  const server = newKeys();
  const validity = der.sequence(der.time(now - 24 * HOUR), der.time(now + 10 * YEAR));
  const caCertificate = certify(
    { subject: AUTHORITY, keys: authority, validity, signer: authority },
    extension('2.5.29.19', der.sequence(der.boolean(true)), true),
    extension('2.5.29.15', der.bits(Buffer.from([0b1000_0110]), 1), true),
    extension('2.5.29.14', der.octets(keyIdentifier(authority.publicKey))),
  );
  const certificate = certify(
    { subject: 'podtrail-sandbox', keys: server, validity, signer: authority },
    extension('2.5.29.19', der.sequence(), true),
    extension('2.5.29.15', der.bits(Buffer.from([0b1000_0000]), 7), true),
    extension('2.5.29.37', der.sequence(der.identifier('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.35', der.sequence(der.tagged(0, keyIdentifier(authority.publicKey)))),
    extension('2.5.29.17', der.sequence(...names.map(alternativeName))),
  );
  const key = server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { caCertificate, certificate, key };
}

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function newKeys(): Keys {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

interface Certificate {
  readonly subject: string;
  readonly keys: Keys;
  readonly validity: Buffer;
  readonly signer: Keys;
}

function certify({ subject, keys, validity, signer }: Certificate, ...extensions: readonly Buffer[]): string {
  const body = der.sequence(
    der.wrapped(0, der.integer(Buffer.from([2]))),
    der.integer(randomBytes(16)),
    ECDSA_SHA256,
    commonName(AUTHORITY),
    validity,
    commonName(subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    der.wrapped(3, der.sequence(...extensions)),
  );
  const signature = sign('sha256', body, signer.privateKey);
  const base64 = der.sequence(body, ECDSA_SHA256, der.bits(signature)).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function commonName(name: string): Buffer {
  return der.sequence(der.set(der.sequence(der.identifier('2.5.4.3'), der.text(name))));
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return der.sequence(der.identifier(id), ...(critical ? [der.boolean(true)] : []), der.octets(value));
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

function alternativeName(name: string): Buffer {
  if (isIPv4(name)) return der.tagged(7, Buffer.from(name.split('.').map(Number)));
  if (isIPv6(name)) {
    if (name !== '::1') throw new RangeError(`${name} is not an address this certificate can name: use ::1 or a name`);
    return der.tagged(7, Buffer.from([...new Uint8Array(15), 1]));
  }
  return der.tagged(2, Buffer.from(name));
}
