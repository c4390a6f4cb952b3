// Makes small self-signed certificates (P-256) for tests: node:crypto can read X.509 but not write it, so the few DER
// structures are put together here. Never used outside tests.
import { generateKeyPairSync, sign } from 'node:crypto';

export interface CertificateWithKey {
  readonly cert: string;
  readonly key: string;
}

let serial = 1;

export function selfSignedCertificate(commonName: string): CertificateWithKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(tlv(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const name = sequence(
    tlv(0x31, sequence(tlv(0x06, Buffer.from('550403', 'hex')), tlv(0x0c, Buffer.from(commonName)))),
  );
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([serial++ & 0x7f || 1])),
    ecdsaWithSha256,
    name,
    sequence(tlv(0x17, Buffer.from('200101000000Z')), tlv(0x17, Buffer.from('490101000000Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = tlv(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  const der = sequence(body, ecdsaWithSha256, signature).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function tlv(tag: number, content: Buffer): Buffer {
  const n = content.length;
  const length = n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
