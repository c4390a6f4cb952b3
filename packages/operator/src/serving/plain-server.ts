// A few fixed pages over plain HTTP, for probes and scrapers: GET and HEAD of exact paths, nothing else. No bodies are
// read, no headers are trusted, no connection is kept. It runs on the recorder's event loop, so that probes tell of that
// loop, and must not become a load on it: whoever is slow or idle makes room, and making pages takes a tenth of the time.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { OperatorError } from '../errors.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { listen } from './listen.ts';
import { SparingPage } from './sparing-page.ts';

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export type MakePage = () => Page | Promise<Page>;

export interface PlainServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** By path. */
  readonly pages: Readonly<Record<string, MakePage>>;
}

export interface PlainServer {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Whoever is slower with a request than this is hung up on; our probes give up after two seconds, too. */
const REQUEST_MS = 2_000;
/** How often Node looks for those: by default every 30 s, which is how long idle sockets would stay. */
const CHECK_MS = 500;
const MOST_CONNECTIONS = 64;
const MOST_HEADER_BYTES = 8 * 1024;

export async function startPlainServer({ host, port, pages }: PlainServerOptions): Promise<PlainServer> {
  const byPath = new Map(Object.entries(pages).map(([path, make]) => [path, new SparingPage(make)]));
  const options = {
    requestTimeout: REQUEST_MS,
    headersTimeout: REQUEST_MS,
    keepAliveTimeout: CHECK_MS,
    connectionsCheckingInterval: CHECK_MS,
    maxHeaderSize: MOST_HEADER_BYTES,
  };
  const server = createServer(options, (request, response) => {
    const answered = limit.answering(request.socket);
    void answer(byPath, request).then((page) => {
      send(response, page, request.method === 'HEAD');
      answered();
    });
  });
  const limit = new ConnectionLimit(server, MOST_CONNECTIONS);
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

async function answer(pages: ReadonlyMap<string, SparingPage>, request: IncomingMessage): Promise<Page> {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const page = pages.get(path);
  if (page === undefined) return text(404, `there is ${[...pages.keys()].join(', ')}\n`);
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'only GET\n');
  try {
    return await page.get();
  } catch {
    return text(500, 'this page could not be made\n');
  }
}

function send(response: ServerResponse, { status, type, body }: Page, headOnly: boolean): void {
  const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  // Probes and scrapers ask once in seconds; a connection that is kept is one that is held.
  response.writeHead(status, { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) });
  response.end(headOnly ? undefined : body);
}

export function text(status: number, body: string): Page {
  return { status, type: 'text/plain; charset=utf-8', body };
}

export function cannotListen(host: string, port: number, cause: Error): OperatorError {
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
