// How answers leave: JSON with the headers that all of them have, warnings as kubectl prints them; and how bodies arrive.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../problem.ts';

const LARGEST_BODY = 64 * 1024;
const LONGEST_WARNING = 400;
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export type Headers = Readonly<Record<string, string | readonly string[]>>;

export function send(response: ServerResponse, status: number, body: object, headers: Headers = {}): void {
  const text = JSON.stringify(body);
  const all = { 'content-type': 'application/json', ...HEADERS, ...headers, 'content-length': Buffer.byteLength(text) };
  for (const [name, value] of Object.entries(all)) response.setHeader(name, value as string | string[]);
  response.statusCode = status;
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

/** Of a watch: its events follow. */
export function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', ...HEADERS });
  response.flushHeaders();
}

/** Or gone, or over. */
export async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  while (response.writableNeedDrain && !response.destroyed && !signal.aborted) await delay(50);
}

/** 299 and a quoted text. */
export function warnings(sentences: readonly string[]): Headers {
  if (sentences.length === 0) return {};
  const quoted = (text: string) =>
    text
      .slice(0, LONGEST_WARNING)
      .replaceAll(/[^\x20-\x7e]/g, '?')
      .replaceAll(/["\\]/g, '\\$&');
  return { warning: sentences.map((text) => `299 - "${quoted(text)}"`) };
}

export async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim();
  if (type !== 'application/json') {
    throw new Problem(415, 'unsupported-media-type', 'a body is application/json', {
      hint: 'Content-Type: application/json.',
    });
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new Problem(413, 'too-large', `a body may have ${LARGEST_BODY} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Problem(400, 'bad-body', 'the body is no JSON', { hint: 'post {"spec":{"ip":"10.1.2.3"}}.' });
  }
}
