// An MCP server with the tools, for one asker: `podtrail mcp` makes one for its terminal, an HTTP server one for each
// request. Every answer says as of when it is; one that is too long for a model is refused with what to ask instead.
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { checkedParameters } from '@podtrail/history/wire/catalogue';
import type { z } from 'zod';
import type { Ask, Tool, ToolInput } from './tool.ts';
import { TOOLS } from './tools.ts';

export interface ToolServerOptions {
  readonly ask: Ask;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly version: string;
}

/** What is looked at of a document. */
interface Listing {
  readonly query?: { readonly until?: string | null; readonly at?: string };
  readonly coverage?: { readonly to: string | null };
}

/** About 25,000 tokens. */
const MOST_ANSWER_BYTES = 100_000;

const INSTRUCTIONS = [
  'podtrail records which pod held which IP, on which node, and why pods ended. It never guesses: report free, ambiguous',
  'and unknown as they are. Start with who_had_ip for an address, moves for a time, explain for one pod.',
].join(' ');

export function createToolServer({ ask, now, version }: ToolServerOptions): McpServer {
  const server = new McpServer({ name: 'podtrail', version }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) {
    const { name, title, description } = tool;
    const annotations = { title, readOnlyHint: true, idempotentHint: true, openWorldHint: false };
    const inputSchema = asItComes(tool.input);
    server.registerTool(name, { title, description, inputSchema, annotations }, async (input) => {
      return await answer(tool, ask, input, new Date(now()));
    });
  }
  return server;
}

async function answer(tool: Tool, ask: Ask, input: ToolInput, asOf: Date): Promise<CallToolResult> {
  try {
    checkedParameters({ name: tool.name, parameters: tool.input }, input);
    const found = await tool.run(ask, input);
    const document = { asOf: asOf.toISOString(), provisional: isProvisional(found, asOf), ...found };
    const text = JSON.stringify(document);
    if (Buffer.byteLength(text) > MOST_ANSWER_BYTES) {
      return refusal('the answer is too long; ask for a shorter time, fewer records (limit) or one pod.');
    }
    return { content: [{ type: 'text', text }], structuredContent: document };
  } catch (error) {
    const { message, hint } = error as Error & { readonly hint?: string };
    return refusal(hint === undefined ? message : `${message}: ${hint}`);
  }
}

/** Of a listing that does not say it itself: the time asked about goes on after what was watched, so more may come. */
function isProvisional({ query, coverage }: Listing, asOf: Date): boolean {
  const until = query?.until ?? query?.at ?? asOf.toISOString();
  const watched = coverage?.to ?? undefined;
  return watched === undefined || Date.parse(until) > Date.parse(watched);
}

/** In the answer, and not as an error of the protocol: so the model reads it and asks again. */
function refusal(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** The schema as tools are listed with it; what comes is checked by us, in our words, and handed on unchanged. */
function asItComes(schema: z.ZodObject) {
  const standard = schema['~standard'];
  return {
    '~standard': { ...standard, validate: (value: unknown) => ({ value: value as ToolInput }) },
  } as unknown as z.ZodType<ToolInput, ToolInput>;
}
