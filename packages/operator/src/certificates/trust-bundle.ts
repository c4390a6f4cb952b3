// The certificates that API servers are configured to trust: one for each replica, in one bundle. Pure.
import { X509Certificate } from 'node:crypto';

/**
 * The bundle with `own` added: what others announced and is still valid stays, what the same replica announced before
 * goes unless it is in `keep` (it is still being served).
 */
export function withCertificate(bundle: string, own: string, keep: readonly string[], now: number): string {
  const server = serverOf(new X509Certificate(own));
  const kept = splitBundle(bundle).filter((pem) => {
    if (pem === own) return false;
    if (keep.includes(pem)) return true;
    const certificate = parse(pem);
    return certificate !== undefined && serverOf(certificate) !== server && certificate.validToDate.getTime() > now;
  });
  return [...kept, own].join('');
}

/** The bundle without those of the server that `own` is of, and without what has expired. Empty: nobody is left. */
export function withoutCertificatesOf(bundle: string, own: string, now: number): string {
  const server = serverOf(new X509Certificate(own));
  const others = splitBundle(bundle).filter((pem) => {
    const certificate = parse(pem);
    return certificate !== undefined && serverOf(certificate) !== server && certificate.validToDate.getTime() > now;
  });
  return others.join('');
}

export function splitBundle(bundle: string): string[] {
  return (bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map((pem) => `${pem}\n`);
}

function serverOf({ subject }: X509Certificate): string | undefined {
  return subject.split('\n').find((part) => part.startsWith('CN='));
}

/** What cannot be read helps nobody, and is dropped. */
function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
