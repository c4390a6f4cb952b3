// Who asks through an API server: it shows a certificate of the front-proxy authority, and names the user in headers.
// Which authority, which names and which headers is what the cluster says (ConfigMap extension-apiserver-authentication).
// Pure; without a certificate that holds the headers are nothing but text.
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { OperatorError } from '../../errors.ts';
import type { Caller } from './access.ts';

export interface FrontProxyTrust {
  /** PEM; may hold several. */
  readonly clientCa: string;
  /** Common names of certificates; empty: any that the authority signed. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** Rejects what cannot be used: whoever trusts less than it says refuses, whoever trusts more lets strangers in. */
export function frontProxyTrust(data: Readonly<Record<string, string>> | undefined): FrontProxyTrust {
  const clientCa = data?.['requestheader-client-ca-file'] ?? '';
  if (!clientCa.includes('-----BEGIN CERTIFICATE-----')) {
    throw new OperatorError('no-front-proxy', 'the cluster names no authority for front proxies', {
      hint: 'kube-apiserver needs --requestheader-client-ca-file and --proxy-client-cert-file to serve APIs of others.',
    });
  }
  const names = (key: string) => listOf(data, `requestheader-${key}`);
  return {
    clientCa,
    allowedNames: names('allowed-names'),
    usernameHeaders: names('username-headers'),
    uidHeaders: names('uid-headers'),
    groupHeaders: names('group-headers'),
    extraHeaderPrefixes: names('extra-headers-prefix'),
  };
}

function listOf(data: Readonly<Record<string, string>> | undefined, key: string): readonly string[] {
  const text = data?.[key] ?? '[]';
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed) && parsed.every((name) => typeof name === 'string')) return parsed;
  } catch {
    // Said below.
  }
  throw new OperatorError('no-front-proxy', `${key} of the cluster is no list of names`);
}

/** Undefined: no front proxy that is trusted, or one that names nobody, or not in UTF-8. */
export function frontProxyCaller(
  trust: FrontProxyTrust,
  { headersDistinct, socket }: Pick<IncomingMessage, 'headersDistinct' | 'socket'>,
): Caller | undefined {
  const tls = socket as TLSSocket;
  if (tls.authorized !== true) return undefined;
  // A certificate may have several common names; Node gives them as a list then.
  const names = [tls.getPeerCertificate().subject?.CN ?? []].flat();
  if (trust.allowedNames.length > 0 && !names.some((name) => trust.allowedNames.includes(name))) return undefined;
  const given = decodedHeaders(trust, headersDistinct);
  if (given === undefined) return undefined;
  const values = (headers: readonly string[]) => headers.flatMap((name) => given.get(name.toLowerCase()) ?? []);
  const [name] = values(trust.usernameHeaders).filter((value) => value !== '');
  if (name === undefined) return undefined;
  const [uid] = values(trust.uidHeaders);
  const groups = values(trust.groupHeaders);
  const extras = new Map<string, readonly string[]>();
  for (const prefix of trust.extraHeaderPrefixes.map((text) => text.toLowerCase())) {
    for (const [header, found] of given) {
      if (header.startsWith(prefix) && header.length > prefix.length)
        extras.set(extraKey(header.slice(prefix.length)), found);
    }
  }
  const extra = extras.size === 0 ? {} : { extra: Object.fromEntries(extras) };
  return { name, groups, ...(uid === undefined ? {} : { uid }), ...extra };
}

/** What names the caller. API servers send UTF-8; Node gives each byte as a character. Undefined: it is no UTF-8. */
function decodedHeaders(
  { usernameHeaders, uidHeaders, groupHeaders, extraHeaderPrefixes }: FrontProxyTrust,
  headers: IncomingMessage['headersDistinct'],
): Map<string, readonly string[]> | undefined {
  const names = new Set([...usernameHeaders, ...uidHeaders, ...groupHeaders].map((name) => name.toLowerCase()));
  const prefixes = extraHeaderPrefixes.map((prefix) => prefix.toLowerCase());
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const found = new Map<string, readonly string[]>();
  try {
    for (const [name, values = []] of Object.entries(headers)) {
      if (!names.has(name) && !prefixes.some((prefix) => name.startsWith(prefix))) continue;
      const decoded = values.map((text) => decoder.decode(Buffer.from(text, 'latin1')));
      found.set(name, decoded);
    }
  } catch {
    return undefined;
  }
  return found;
}

/** Keys are written with %2F for a slash. */
function extraKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
