// A few fixed pages over plain HTTP, for probes and scrapers: GET and HEAD of exact paths, nothing else. It runs on the
// recorder's event loop, so that probes show that loop, and must not become a load on it: one request is read from a
// connection, up to the end of its headers, then it is answered and closed. Not on node:http, which parses all that a
// client has sent ahead, and reads bodies that nobody asked for: 200 hostile clients cost 200 MB by that.
import { createServer, type Socket } from 'node:net';
import { type Clock, systemClock } from '@podtrail/machinery';
import { OperatorError } from '../errors.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { listen } from './listen.ts';
import { SparingPage } from './sparing-page.ts';

// Not imported: an import reads every export of node:http, WebSocket among them, and Node's own undici with it (15 MB).
const { STATUS_CODES } = process.getBuiltinModule('node:http');

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
  /** The clock that the pages are made from; by it a page that was costly to make is shown again. */
  readonly clock?: Pick<Clock, 'monotonic'>;
}

export interface PlainServer {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Whoever is slower with a request than this is hung up on; our probes give up after two seconds, too. */
const REQUEST_MS = 2_000;
/** Whoever does not take the answer by then, too. */
const ANSWER_MS = 10_000;
const MOST_CONNECTIONS = 64;
const MOST_HEADER_BYTES = 8 * 1024;
/** The path without its query; before it the host, as clients write it to a proxy. */
const REQUEST_LINE = /^([A-Z]+) (?:http:\/\/[^\s/?#]+)?([^\s?]+)(?:\?\S*)? HTTP\/1\.[01]\r\n/;

export async function startPlainServer(options: PlainServerOptions): Promise<PlainServer> {
  const { host, port, pages, clock = systemClock } = options;
  const now = () => clock.monotonic();
  const byPath = new Map(Object.entries(pages).map(([path, make]) => [path, new SparingPage(make, now)]));
  const server = createServer((socket) => {
    socket.on('error', () => {});
    readRequest(socket, async (request) => {
      const answered = limit.answering(socket);
      const page = await answer(byPath, request);
      answered();
      send(socket, page, request?.method === 'HEAD');
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
      limit.closeAll();
      await closed;
    },
  };
}

interface PlainRequest {
  readonly method: string;
  readonly path: string;
}

/** Reads up to the end of the headers, and nothing after it. Undefined: they are too long or no HTTP. */
function readRequest(socket: Socket, onRequest: (request: PlainRequest | undefined) => void): void {
  let head = '';
  let late = setTimeout(() => socket.destroy(), REQUEST_MS);
  socket.once('close', () => clearTimeout(late));
  const onData = (chunk: Buffer) => {
    head += chunk.toString('latin1', 0, MOST_HEADER_BYTES + 1 - head.length);
    const isWhole = head.includes('\r\n\r\n');
    if (!isWhole && head.length <= MOST_HEADER_BYTES) return;
    socket.off('data', onData).pause();
    clearTimeout(late);
    late = setTimeout(() => socket.destroy(), ANSWER_MS);
    const [, method = '', path = ''] = (isWhole && REQUEST_LINE.exec(head)) || [];
    onRequest(method === '' ? undefined : { method, path });
  };
  socket.on('data', onData);
}

async function answer(pages: ReadonlyMap<string, SparingPage>, request: PlainRequest | undefined): Promise<Page> {
  if (request === undefined) return text(400, `ask as GET ${[...pages.keys()].join(', ')}\n`);
  const page = pages.get(request.path);
  if (page === undefined) return text(404, `there is ${[...pages.keys()].join(', ')}\n`);
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'only GET\n');
  try {
    return await page.get();
  } catch {
    return text(500, 'this page could not be made\n');
  }
}

function send(socket: Socket, { status, type, body }: Page, headOnly: boolean): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${type}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${headOnly ? '' : body}`);
  // Nothing more is read; whoever goes on sending is cut off.
  socket.destroySoon();
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
