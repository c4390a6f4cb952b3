// The tools over HTTP: POST /mcp, the streamable transport of the protocol without its sessions. Every request stands for
// itself, sees what its caller may see, and is answered as a whole; there is nothing to subscribe to.
import { createMcpHandler } from '@modelcontextprotocol/server';
import { askQuestion } from '@podtrail/history/wire/catalogue';
import type { AskedLedger } from '../api/asked-ledger.ts';
import type { Operation } from '../api/operation.ts';
import type { HttpRequest } from '../http/http-request.ts';
import { Problem } from '../problem.ts';
import { messageSchema, replySchema } from './json-rpc.ts';
import { createToolServer } from './tool-server.ts';

const PATH = '/mcp';
/** Two hundred rows of a flow log have room in it many times over. */
const MOST_BYTES = 1_000_000;
/** What the protocol reads; cookies and tokens are none of its business. */
const HEADERS = /^(?:accept|content-type|mcp-[a-z-]+)$/;

export interface McpRouteOptions {
  readonly ledger: AskedLedger;
  readonly version: string;
}

export function mcpRoute({ ledger, version }: McpRouteOptions): Operation {
  return {
    ...{ method: 'POST', path: PATH, id: 'mcp' },
    summary:
      'A message of the Model Context Protocol: the streamable transport without its sessions. Send `Accept: application/json, text/event-stream`; clients of before 2026 are answered with one event of a stream.',
    headers: { 'MCP-Protocol-Version': 'The version of the protocol that was agreed on.' },
    body: { 'application/json': messageSchema },
    reply: { 'application/json': replySchema, 'text/event-stream': 'text' },
    also: { 202: 'The message was a notification, which nothing answers.' },
    handle: async (request) => {
      const body = await request.body.json(MOST_BYTES);
      // Each call is a request of its own for every limit; the protocol has no batches since 2025-06-18.
      if (Array.isArray(body)) {
        throw new Problem(400, 'no-batches', 'an array of calls is not answered', {
          hint: 'send each call by itself.',
        });
      }
      const visibility = await request.visibility();
      const reader = ledger.readerFor(request);
      const tools = {
        version,
        onBug: (error: unknown) => {
          if (!request.gone.aborted) request.bug = error;
          return `the log of the server has the cause under the request ID ${request.id}`;
        },
        now: () => ledger.asker(visibility).now,
        ask: (name: Parameters<typeof askQuestion>[2], parameters: object) =>
          ledger.ask(() => askQuestion(reader, ledger.asker(visibility), name, parameters), false, request),
      };
      const handler = createMcpHandler(() => createToolServer(tools), { maxSubscriptions: 0 });
      try {
        const response = await handler.fetch(webRequest(request, body), { parsedBody: body });
        const type = response.headers.get('content-type');
        const headers = type === null ? {} : { 'content-type': type };
        return { status: response.status, headers, body: await response.text() };
      } finally {
        await handler.close();
      }
    },
  };
}

function webRequest({ headers, signal }: HttpRequest, body: unknown): Request {
  const passed = Object.entries(headers).filter(([name]) => HEADERS.test(name)) as [string, string][];
  // The protocol's package looks at the path only.
  return new Request(`http://podtrail${PATH}`, {
    ...{ method: 'POST', headers: Object.fromEntries(passed), body: JSON.stringify(body), signal },
  });
}
