// The harness's own HTTP: one request, or one streamed answer, over node:http(s). Deliberately plain and independent of
// machinery, which is what the tests examine.
import * as http from 'node:http';
import * as https from 'node:https';
import { createInterface } from 'node:readline';

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
  /** Without a complete answer by then the request fails. */
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
  const response = await open(url, { timeoutMs: 30_000, ...request });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString('utf8');
  return { status: response.statusCode ?? 0, headers: response.headers, body, json: () => JSON.parse(body) };
}

export interface HttpLines extends AsyncIterable<string> {
  readonly status: number;
  /** The next line, or undefined at the end of the stream. Rejects when the connection breaks. */
  next(): Promise<string | undefined>;
  close(): void;
}

/** An answer that is read line by line while it is being sent: a watch, a followed log, a snapshot. */
export async function httpLines(url: string, request: HttpRequest = {}): Promise<HttpLines> {
  const response = await open(url, request);
  const lines = createInterface({ input: response, crlfDelay: Infinity })[Symbol.asyncIterator]();
  // The reader learns of a broken stream by its next line; an error that nobody reads must not end the process.
  response.on('error', () => {});
  return {
    status: response.statusCode ?? 0,
    async next() {
      const { value, done } = await lines.next();
      return done ? undefined : value;
    },
    close: () => response.destroy(),
    [Symbol.asyncIterator]: () => lines,
  };
}

function open(url: string, request: HttpRequest): Promise<http.IncomingMessage> {
  const { method = request.body === undefined ? 'GET' : 'POST' } = request;
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (request.token !== undefined) headers['Authorization'] = `Bearer ${request.token}`;
  let payload: string | undefined;
  if (request.body !== undefined) {
    payload = typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
    headers['Content-Type'] = 'application/json';
    headers['Content-Length'] = String(Buffer.byteLength(payload));
  }
  const signals = [
    request.signal,
    request.timeoutMs === undefined ? undefined : AbortSignal.timeout(request.timeoutMs),
  ];
  const options: https.RequestOptions = {
    method,
    headers: { ...headers, ...request.headers },
    ca: request.ca,
    cert: request.certificate,
    key: request.key,
    // A connection for each request: a test that kills and restarts servers must not meet a dead pooled one.
    agent: false,
    signal: AbortSignal.any(signals.filter((signal) => signal !== undefined)),
  };
  return new Promise((resolve, reject) => {
    const outgoing = url.startsWith('https:') ? https.request(url, options) : http.request(url, options);
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    outgoing.end(payload);
  });
}
