// The messages of the Model Context Protocol as they are described: JSON-RPC 2.0, one in a request. The protocol's package reads
// and checks them; what each method takes and gives is in the specification of the protocol.
import { z } from 'zod';
import { TOOLS } from './tools.ts';

const id = z.union([z.string(), z.int()]);
const version = z.literal('2.0');
const object = z.record(z.string(), z.unknown());

export const messageSchema = z.looseObject({
  jsonrpc: version,
  id: id.exactOptional().meta({ description: 'Left out of a notification.' }),
  method: z.string().meta({ description: '`initialize`, `tools/list`, `tools/call` …' }),
  params: object.exactOptional().meta({
    description: `Of \`tools/call\`: \`name\` and \`arguments\`. The tools are ${TOOLS.map(({ name }) => name).join(', ')}; \`tools/list\` has what each takes.`,
  }),
});

export const replySchema = z.union([
  z.looseObject({ jsonrpc: version, id, result: object }),
  z.looseObject({
    jsonrpc: version,
    id: id.nullable().exactOptional(),
    error: z.looseObject({ code: z.int(), message: z.string() }),
  }),
]);
