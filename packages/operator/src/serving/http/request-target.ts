// What a request is for, where its first line has a whole URL, as clients write it to a proxy (RFC 9112, 3.2.2): its authority
// counts, and Host does not. Called by the server before anything of a request is looked at.
import type { IncomingMessage } from 'node:http';

const ABSOLUTE = /^(https?):\/\/([^/?#]+)([/?][^#]*)?$/i;

/** As if it had been asked for with a path. One of the other scheme, or without Host, stays as it came, and is refused. */
export function inOriginForm(incoming: Pick<IncomingMessage, 'url' | 'headers' | 'httpVersion'>, isTls: boolean): void {
  const { url = '', headers } = incoming;
  if (url.startsWith('/')) return;
  const [, scheme = '', authority, rest = '/'] = ABSOLUTE.exec(url) ?? [];
  if (authority === undefined || scheme.toLowerCase() !== (isTls ? 'https' : 'http')) return;
  if (headers.host === undefined && incoming.httpVersion === '1.1') return;
  incoming.url = rest.startsWith('/') ? rest : `/${rest}`;
  headers.host = authority;
}
