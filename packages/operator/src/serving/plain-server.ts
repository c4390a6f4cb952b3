// A few fixed pages over plain HTTP, for probes and scrapers: GET and HEAD of exact paths, nothing else. No bodies are
// read, no headers are trusted, nothing is kept.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { OperatorError } from '../errors.ts';
import { listen } from './listen.ts';

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export interface PlainServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** By path. */
  readonly pages: Readonly<Record<string, () => Page | Promise<Page>>>;
}

export interface PlainServer {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Whoever is slower with a request than this is hung up on. */
const REQUEST_MS = 5_000;
const MOST_CONNECTIONS = 64;

export async function startPlainServer({ host, port, pages }: PlainServerOptions): Promise<PlainServer> {
  const byPath = new Map(Object.entries(pages));
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    void answer(byPath, request).then((page) => send(response, page, request.method === 'HEAD'));
  });
  server.maxConnections = MOST_CONNECTIONS;
  const address = await listen(server, host, port).catch((error) => {
    throw cannotListen(host, port, error);
  });
  return {
    host: address.address,
    port: address.port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(pages: ReadonlyMap<string, () => Page | Promise<Page>>, request: IncomingMessage): Promise<Page> {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const page = pages.get(path);
  if (page === undefined) return text(404, `there is ${[...pages.keys()].join(', ')}\n`);
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'only GET\n');
  try {
    return await page();
  } catch {
    return text(500, 'this page could not be made\n');
  }
}

function send(response: ServerResponse, { status, type, body }: Page, headOnly: boolean): void {
  const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(headOnly ? undefined : body);
}

export function text(status: number, body: string): Page {
  return { status, type: 'text/plain; charset=utf-8', body };
}

function cannotListen(host: string, port: number, cause: Error): OperatorError {
  const code = (cause as NodeJS.ErrnoException).code;
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: 'is already in use',
    EACCES: 'may not be used by this user',
    EADDRNOTAVAIL: 'is not an address of this machine',
  };
  return new OperatorError('cannot-listen', `${where} ${why[code ?? ''] ?? `cannot be listened on (${code})`}`, {
    hint: 'choose another port, or another address with --bind.',
    cause,
  });
}
