// The tools over two streams, as assistants start a program.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { LineTransport } from './line-transport.ts';
import { createToolServer, type ToolServerOptions } from './tool-server.ts';

/** Resolves when the input has ended and everything is answered. */
export async function serveToolLines(
  options: ToolServerOptions,
  input: AsyncIterable<Uint8Array>,
  write: (text: string) => Promise<void>,
): Promise<void> {
  const transport = new LineTransport(input, write);
  const served = serveStdio(() => createToolServer(options), { transport });
  await transport.done;
  await served.close();
}
