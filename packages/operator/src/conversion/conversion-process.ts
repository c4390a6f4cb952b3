// The process that serves conversion: started by ConversionHost, given its work over their pipe, ended with it. It is
// apart from the recorder because anybody in the cluster may talk to it: what hangs, floods or fills it must not reach
// the process that records. It may use the network and read files; it has no credentials.
import { ALIVE_MS, type FromProcess, TOO_LARGE, type ToProcess } from './conversion-process-messages.ts';
import { ConversionServer } from './conversion-server.ts';

/** Its heap, its budget and its buffers together stay far below: more is a leak, and it begins again. */
const MOST_RSS_BYTES = 256 * 1024 * 1024;

let server: ConversionServer | undefined;

// A terminal sends these to everybody in it; the host decides when this ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToProcess) => {
  if (message.kind === 'use') server?.use(message.certificate);
  else void serve(message);
});
setInterval(() => {
  if (process.memoryUsage.rss() > MOST_RSS_BYTES) process.exit(TOO_LARGE);
  send({ kind: 'alive' });
}, ALIVE_MS);

async function serve({ host, port, certificate }: ToProcess & { kind: 'serve' }): Promise<void> {
  server = new ConversionServer({ host, port }, certificate);
  try {
    send({ kind: 'listening', port: await server.listen() });
  } catch (error) {
    send({ kind: 'refused', code: String((error as NodeJS.ErrnoException).code) });
  }
}

function send(message: FromProcess): void {
  process.send?.(message, undefined, undefined, () => {});
}
