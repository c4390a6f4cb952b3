// Puts a whole reply on the wire: ETag and 304, gzip where the client takes it and it is worth it, HEAD without a body.
import { hash } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { HttpRequest } from './http-request.ts';
import { GZIP_LEVEL } from './packed-stream.ts';
import type { WholeReply } from './reply.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { SMALL_ANSWER, type UnreadAnswers } from './unread-answers.ts';

const compress = promisify(gzip);
/** A packet has room for so much anyway. */
const WORTH_BYTES = 1_400;
/** In logs: nobody has received anything. */
const CLIENT_GONE = 499;

type Headers = Record<string, string | number | readonly string[]>;

export async function sendReply(
  request: HttpRequest,
  response: ServerResponse,
  reply: WholeReply,
  more: Readonly<Record<string, string>>,
  unread: UnreadAnswers,
): Promise<number> {
  const { id, headers: asked, method } = request;
  const headers: Headers = headersOf(id, reply, more);
  let body = reply.body ?? '';
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const isPacked = length > WORTH_BYTES && takesGzip(asked['accept-encoding']) && reply.status === 200;
  if (length > WORTH_BYTES) headers['vary'] = 'accept-encoding';
  if (reply.hasETag === true) {
    const etag = etagOf(body, isPacked);
    headers['etag'] = etag;
    headers['cache-control'] = 'private, no-cache';
    if (matches(asked['if-none-match'], etag)) {
      delete headers['content-type'];
      response.writeHead(304, headers as OutgoingHttpHeaders).end();
      return 304;
    }
  }
  if (isPacked) {
    body = reply.packed ?? (await compress(body, { level: GZIP_LEVEL }));
    headers['content-encoding'] = 'gzip';
  }
  const bytes = isPacked ? body.length : length;
  if (response.destroyed) return CLIENT_GONE;
  if (reply.status !== 204) headers['content-length'] = bytes;
  const isEmpty = method === 'HEAD' || bytes === 0;
  // It has been taken, or nobody will take it, when the response is closed.
  if (!isEmpty && bytes > SMALL_ANSWER)
    response.once(
      'close',
      unread.add(readerOf(request, response), bytes, () => response.destroy()),
    );
  response.writeHead(reply.status, headers as OutgoingHttpHeaders);
  request.sentBytes = isEmpty ? 0 : bytes;
  response.end(isEmpty ? undefined : body);
  return reply.status;
}

export function headersOf(
  id: string,
  reply: Pick<WholeReply, 'headers'>,
  more: Readonly<Record<string, string>>,
): Headers {
  return { ...SECURITY_HEADERS, 'cache-control': 'no-store', 'x-request-id': id, ...more, ...reply.headers };
}

/** Whose memory it is: the caller's, or of routes that are for anyone the address's. */
export function readerOf({ caller }: HttpRequest, { socket }: ServerResponse): string {
  return caller.name === '' ? `at ${socket?.remoteAddress}` : caller.name;
}

/** Other bytes, another tag: a packed body is not the plain one. */
function etagOf(body: string | Uint8Array, isPacked: boolean): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}${isPacked ? '-gzip' : ''}"`;
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*');
}

export function takesGzip(header: string | readonly string[] | undefined): boolean {
  if (typeof header !== 'string') return false;
  let others = false;
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const isTaken = !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
    // What is named goes before what is said of all others, wherever it stands.
    if (name === 'gzip') return isTaken;
    if (name === '*') others = isTaken;
  }
  return others;
}
