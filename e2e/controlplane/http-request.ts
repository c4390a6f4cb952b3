// The harness's own HTTP: one request, or one streamed answer, over node:http(s). Deliberately plain and independent of
// machinery, which is what the tests examine.
import * as http from 'node:http';
import * as https from 'node:https';
import { createInterface } from 'node:readline';
import { ControlPlaneError } from './control-plane-error.ts';

const ANSWERED_WITHIN_MS = 30_000;
/** Only against waiting for ever: what a test waits for comes within a second or two. */
const OPENED_WITHIN_MS = 60_000;
const LINE_WITHIN_MS = 60_000;

export interface HttpIdentity {
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly token?: string;
}

export interface HttpRequest extends HttpIdentity {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  /** Without a complete answer by then the request fails; what is read line by line has to begin by then. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there; a wrong path fails the test.
  json(): any;
}

export async function httpRequest(url: string, request: HttpRequest = {}): Promise<HttpAnswer> {
  const limit = new TimeLimit(request.timeoutMs ?? ANSWERED_WITHIN_MS, request.signal);
  try {
    const response = await open(url, request, limit.signal);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    return { status: response.statusCode ?? 0, headers: response.headers, body, json: () => JSON.parse(body) };
  } finally {
    limit.end();
  }
}

export interface HttpLines extends AsyncIterable<string> {
  readonly status: number;
  /** The next line, or undefined at the end of the stream. Rejects when the connection breaks, and after a minute. */
  next(): Promise<string | undefined>;
  close(): void;
}

/** An answer that is read line by line while it is being sent: a watch, a followed log, a snapshot. */
export async function httpLines(url: string, request: HttpRequest = {}): Promise<HttpLines> {
  const limit = new TimeLimit(request.timeoutMs ?? OPENED_WITHIN_MS, request.signal);
  const response = await open(url, request, limit.signal).finally(() => limit.end());
  const lines = createInterface({ input: response, crlfDelay: Infinity })[Symbol.asyncIterator]();
  // The reader learns of a broken stream by its next line; an error that nobody reads must not end the process.
  response.on('error', () => {});
  return {
    status: response.statusCode ?? 0,
    async next() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        const what = `${url} sent no line within ${LINE_WITHIN_MS / 1000} s.`;
        timer = setTimeout(() => reject(new ControlPlaneError(what)), LINE_WITHIN_MS);
      });
      try {
        const { value, done } = await Promise.race([lines.next(), late]);
        return done ? undefined : value;
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => response.destroy(),
    [Symbol.asyncIterator]: () => lines,
  };
}

/** A plain timer, which nothing collects and which keeps the process alive: a test ends with a sentence, or not at all. */
class TimeLimit {
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  constructor(milliseconds: number, outer: AbortSignal | undefined) {
    const late = new AbortController();
    this.#timer = setTimeout(() => late.abort(), milliseconds);
    this.signal = outer === undefined ? late.signal : AbortSignal.any([late.signal, outer]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function open(url: string, request: HttpRequest, signal: AbortSignal): Promise<http.IncomingMessage> {
  const { method = request.body === undefined ? 'GET' : 'POST' } = request;
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (request.token !== undefined) headers['Authorization'] = `Bearer ${request.token}`;
  let payload: string | undefined;
  if (request.body !== undefined) {
    payload = typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
    headers['Content-Type'] = 'application/json';
    headers['Content-Length'] = String(Buffer.byteLength(payload));
  }
  const options: https.RequestOptions = {
    method,
    headers: { ...headers, ...request.headers },
    ca: request.ca,
    cert: request.certificate,
    key: request.key,
    // A connection for each request: a test that kills and restarts servers must not meet a dead pooled one.
    agent: false,
    signal,
  };
  return new Promise((resolve, reject) => {
    const outgoing = url.startsWith('https:') ? https.request(url, options) : http.request(url, options);
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    outgoing.end(payload);
  });
}
