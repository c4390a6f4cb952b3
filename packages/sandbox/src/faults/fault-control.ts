// The switchboard by HTTP, for tests in other processes and for people with curl: arm, list, take back, and what no
// request can be made to do (compact, cut all connections). On loopback only, because whoever reaches it rules.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SandboxServer } from '../server/sandbox-server.ts';
import { parseFault } from './fault.ts';
import type { FaultSwitchboard } from './fault-switchboard.ts';

export interface FaultControlOptions {
  readonly switchboard: FaultSwitchboard;
  readonly server: Pick<SandboxServer, 'api' | 'cutConnections'>;
  /** 0: any free one. */
  readonly port?: number;
}

export interface FaultControl {
  readonly url: string;
  close(): Promise<void>;
}

const LARGEST_BODY = 64 * 1024;

export async function serveFaultControl(options: FaultControlOptions): Promise<FaultControl> {
  const http = createServer((request, response) => {
    answer(options, request).then(
      (body) => reply(response, 200, body),
      (error: unknown) => reply(response, 400, { error: error instanceof Error ? error.message : String(error) }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  http.unref();
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

async function answer({ switchboard, server }: FaultControlOptions, request: IncomingMessage): Promise<unknown> {
  const { method = 'GET', url = '/' } = request;
  const [, one] = /^\/faults\/(\d+)$/.exec(url) ?? [];
  if (one !== undefined && method === 'DELETE') return { removed: switchboard.disarm(Number(one)) };
  switch (`${method} ${url}`) {
    case 'GET /faults':
      return switchboard.armed;
    case 'POST /faults':
      return { id: switchboard.arm(parseFault(parsed(await bodyOf(request)))) };
    case 'DELETE /faults':
      switchboard.clear();
      return [];
    case 'POST /compact':
      server.api.compact();
      return { compactedAt: server.api.resourceVersion };
    case 'POST /cut':
      server.cutConnections();
      return {};
    default:
      throw new Error(
        `There is no ${method} ${url}: it is GET, POST or DELETE /faults, DELETE /faults/N, POST /compact, POST /cut.`,
      );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The body is not JSON; a fault is an object like {"kind": "drop", "on": {"resource": "pods"}}.');
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > LARGEST_BODY) throw new Error('The body is too long for a fault.');
  }
  return text;
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}
