// Puts a reply on the wire that is written piece by piece, no faster than the client reads, packed where the reply may be
// and the client takes it. Headers go with the first piece; an error after it can only end the connection, so that the
// client does not take a part for the whole.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Problem } from '../problem.ts';
import type { HttpRequest } from './http-request.ts';
import { PackedStream } from './packed-stream.ts';
import type { ReplyStream, StreamedReply } from './reply.ts';
import { headersOf, readerOf, takesGzip } from './send-reply.ts';
import { SMALL_ANSWER, type UnreadAnswers } from './unread-answers.ts';

interface StreamOptions {
  readonly more: Readonly<Record<string, string>>;
  readonly drainMs: number;
  readonly unread: UnreadAnswers;
}

export async function streamReply(
  request: HttpRequest,
  response: ServerResponse,
  reply: StreamedReply,
  { more, drainMs, unread }: StreamOptions,
): Promise<void> {
  const { mayBePacked = false } = reply;
  const isPacked = mayBePacked && takesGzip(request.headers['accept-encoding']) && request.method !== 'HEAD';
  const encoding = {
    ...(mayBePacked ? { vary: 'accept-encoding' } : {}),
    ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
  };
  const begin = () => {
    if (response.headersSent) return;
    response.writeHead(reply.status, { ...headersOf(request.id, reply, more), ...encoding } as OutgoingHttpHeaders);
  };
  if (request.method === 'HEAD') {
    begin();
    response.end();
    return;
  }
  const count = (bytes: number) => void (request.sentBytes += bytes);
  const packed = isPacked
    ? new PackedStream(response, { drained: () => drained(response, drainMs), onSent: count })
    : undefined;
  const out: ReplyStream = {
    begin() {
      begin();
      response.flushHeaders();
    },
    async write(chunk) {
      if (response.destroyed) throw clientGone();
      begin();
      if (packed !== undefined) return await packed.write(chunk);
      const bytes = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
      const isSmall = bytes <= SMALL_ANSWER;
      const taken = isSmall ? undefined : unread.add(readerOf(request, response), bytes, () => response.destroy());
      count(bytes);
      try {
        if (!response.write(chunk)) await drained(response, drainMs);
      } finally {
        taken?.();
      }
    },
    get bufferedBytes() {
      return response.writableLength;
    },
    get signal() {
      return request.signal;
    },
  };
  try {
    await reply.stream(out);
    begin();
    await packed?.end();
  } catch (error) {
    packed?.destroy();
    throw error;
  }
  response.end();
}

function drained(response: ServerResponse, drainMs: number): Promise<void> {
  if (response.destroyed) return Promise.reject(clientGone());
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => response.destroy(), drainMs);
    const onDrain = () => done(resolve);
    const onClose = () => done(() => reject(clientGone()));
    const done = (then: () => void) => {
      clearTimeout(late);
      response.off('drain', onDrain).off('close', onClose);
      then();
    };
    response.on('drain', onDrain).on('close', onClose);
  });
}

/** Nobody will read it; the log shows it. */
function clientGone(): Problem {
  return new Problem(499, 'client-gone', 'the client closed the connection, or took nothing for too long');
}
