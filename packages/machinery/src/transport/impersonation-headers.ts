// The headers of `--as`, `--as-group` and their kin. Made once for each transport.
import type { Impersonation } from '../config/identity.ts';
import { ConfigError } from '../errors.ts';

export type HeaderValues = Record<string, string | string[]>;

/** What a header name may hold; `%` is left out because it marks an escaped byte. */
const TOKEN_CHARACTER = /[a-z0-9!#$&'*+\-.^_`|~]/;

export function impersonationHeaders(who: Impersonation | undefined): HeaderValues {
  if (who === undefined) return {};
  const headers: HeaderValues = { 'impersonate-user': value(who.user, 'the user to impersonate') };
  if (who.uid !== undefined) headers['impersonate-uid'] = value(who.uid, 'the uid to impersonate');
  if (who.groups !== undefined && who.groups.length > 0) {
    headers['impersonate-group'] = who.groups.map((group) => value(group, 'a group to impersonate'));
  }
  for (const [key, values] of Object.entries(who.extra ?? {})) {
    headers[`impersonate-extra-${escapeKey(key)}`] = values.map((one) => value(one, `the extra ${key} to impersonate`));
  }
  return headers;
}

/** Header values are bytes to the API server, and names are UTF-8 there; undici writes each character as one byte. */
function value(text: string, what: string): string {
  if (/(?!\t)\p{Cc}/u.test(text)) {
    throw new ConfigError('config-impersonate', `${what} contains a line break or another control character`, {
      hint: 'Check --as and --as-group, or the as- fields of the kubeconfig.',
    });
  }
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Percent-escapes, byte by byte, what a header name cannot hold. The server reads keys in lower case. */
function escapeKey(key: string): string {
  let escaped = '';
  for (const byte of Buffer.from(key.toLowerCase(), 'utf8')) {
    const character = String.fromCharCode(byte);
    escaped += TOKEN_CHARACTER.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return escaped;
}
