// Checks PEM text before it reaches TLS, where a bad certificate would only show as an obscure failure of every
// connection. Used for kubeconfig data, for files, and for what exec plugins return. Never quotes key material.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { ConfigError } from '../errors.ts';

/** Throws unless every block of `pem` is whole and at least one holds a readable certificate, as client-go asks. */
export function checkAuthority(pem: string, what: string): void {
  const [first, ...others] = certificateBlocks(pem, what);
  if (!others.some(isCertificate)) parseCertificate(first, what);
}

/** Throws unless the key belongs to the first certificate of the chain. */
export function checkPair(certPem: string, keyPem: string, certWhat: string, keyWhat: string): void {
  const leaf = parseCertificate(certificateBlocks(certPem, certWhat)[0], certWhat);
  let matches: boolean;
  try {
    matches = leaf.checkPrivateKey(createPrivateKey(keyPem));
  } catch (error) {
    // OpenSSL's text names only the failed routine, but no cause is attached: nothing of the key may travel.
    const encrypted = /ENCRYPTED/.test(keyPem);
    throw new ConfigError(
      'config-client-key',
      encrypted ? `${keyWhat} is encrypted with a passphrase` : `${keyWhat} is not a private key in PEM form`,
      {
        hint: encrypted
          ? 'Store it decrypted with tight permissions, or use an exec plugin.'
          : `It must start with "-----BEGIN … PRIVATE KEY-----" (${(error as { code?: string }).code ?? 'unreadable'}).`,
      },
    );
  }
  if (!matches) {
    throw new ConfigError('config-client-key', `${keyWhat} does not belong to ${certWhat}`, {
      hint: 'Take both from the same place; after a renewal both change.',
    });
  }
}

/** Decodes a `…-data` field of a kubeconfig. */
export function decodeData(data: string, what: string): string {
  const packed = data.replace(/\s+/g, '');
  if (packed.startsWith('-----BEGIN')) {
    throw new ConfigError('config-data', `${what} is PEM text, but must be the base64 of it`, {
      hint: 'Encode it (base64 -w0 FILE), or name the file in the field without "-data".',
    });
  }
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) {
    throw new ConfigError('config-data', `${what} is not base64`, {
      hint: 'It was cut or edited; fetch the kubeconfig again, or encode the file again (base64 -w0 FILE).',
    });
  }
  return Buffer.from(packed, 'base64').toString('utf8');
}

function certificateBlocks(pem: string, what: string): [string, ...string[]] {
  const [first, ...others] = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const begun = pem.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
  if (first !== undefined && begun === others.length + 1) return [first, ...others];
  throw new ConfigError(
    'config-certificate',
    begun > 0 ? `${what} is cut off inside a certificate` : `${what} holds no certificate in PEM form`,
    { hint: 'It must hold "-----BEGIN CERTIFICATE-----" … "-----END CERTIFICATE-----".' },
  );
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}

function parseCertificate(block: string, what: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch (error) {
    throw new ConfigError('config-certificate', `${what} holds a certificate that cannot be read`, {
      cause: error,
      hint: 'Look at it with: openssl x509 -text -noout -in FILE',
    });
  }
}
