// What Node's parser refuses before there is a request: too many headers, bytes that are no HTTP, headers that do not come.
// Node would answer with a bare status; the answer says what was wrong, as every other refusal does.
import type { Socket } from 'node:net';
import { Problem } from '../problem.ts';
import { renderProblem } from './problem-reply.ts';
import { requestIdOf } from './request-id.ts';
import { headersOf } from './send-reply.ts';

// Not imported: see plain-server.ts.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export interface HeaderLimits {
  readonly mostHeaderBytes: number;
  readonly headersMs: number;
}

/** What was answered, for the log. */
export interface RefusedBytes {
  readonly requestId: string;
  readonly status: number;
  readonly code: string;
  /** Of the body. */
  readonly bytes: number;
}

/** Undefined where nobody reads an answer. Answers where somebody can still read it, and closes the connection: what follows on it cannot be understood. */
export function refuseBytes(
  error: NodeJS.ErrnoException,
  socket: Socket,
  limits: HeaderLimits,
): RefusedBytes | undefined {
  if (!isOfParser(error) || !socket.writable || hasAnswerUnderWay(socket)) {
    socket.destroy(error);
    return undefined;
  }
  const problem = problemOf(error.code, limits);
  // There is no request, so no id was given: it has a new one, as every answer.
  const requestId = requestIdOf(undefined);
  const { text, bytes } = replyText(problem, requestId);
  socket.end(text);
  // Nothing more is read; whoever goes on sending is cut off.
  socket.destroySoon();
  return { requestId, status: problem.status, code: problem.code, bytes };
}

/** And not that the client has gone. */
function isOfParser({ code = '' }: NodeJS.ErrnoException): boolean {
  return code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

/** As Node itself decides it: what we write would stand in the middle of that answer. */
function hasAnswerUnderWay(
  socket: Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null },
): boolean {
  return socket._httpMessage?.headersSent === true;
}

function problemOf(code: string | undefined, { mostHeaderBytes, headersMs }: HeaderLimits): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(431, 'headers-too-large', `the headers are longer than ${mostHeaderBytes / 1024} KiB`, {
        hint: 'send fewer cookies and a shorter URL; many questions of who go into the body of one POST.',
      });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem(413, 'body-too-large', 'the extensions of a chunk are too long', {
        hint: 'send chunks without extensions.',
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem(408, 'slow-headers', `the headers did not come within ${headersMs / 1000} s`, {
        hint: 'send the request line and all headers at once.',
      });
    default:
      return new Problem(400, 'bad-request', 'this is no request of HTTP/1.1 that can be read', {
        hint: 'check that the scheme is that of the server (http or https), and write blanks in the URL as %20.',
      });
  }
}

function replyText(problem: Problem, id: string): { readonly text: string; readonly bytes: number } {
  const reply = renderProblem(problem, id);
  const body = String(reply.body);
  const bytes = Buffer.byteLength(body);
  const headers = headersOf(id, reply, { connection: 'close', 'content-length': String(bytes) });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
  return { text, bytes };
}
