// `podtrail serve`: the ledger over HTTP on this machine, for a browser and for scripts. Only reads, beside a recorder
// or alone, until it is stopped.
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { portNumber } from '../options/port-number.ts';
import { DEFAULT_PORT, DEFAULT_RATE } from '../options/serve-defaults.ts';
import type { SharedOptions } from '../options/shared-flags.ts';

interface ServeOptions extends SharedOptions {
  readonly port: number;
  readonly bind: string;
  readonly tokenFile?: string;
  readonly rateLimit: number;
  readonly accessLog?: boolean;
}

const MOST_TOKEN_BYTES = 4_096;

export function serveCommand(cli: Cli): Command {
  return cli
    .command('serve', 'Answer over HTTP on this machine, until Ctrl+C.', ['store'])
    .option('--port <port>', 'the port; 0 lets the system choose one', portNumber('--port'), DEFAULT_PORT)
    .option('--bind <address>', 'an address of this machine that only this machine reaches', '127.0.0.1')
    .option('--token-file <file>', 'the token for scripts, on its first line; default: a new one, printed once')
    .option('--rate-limit <n>', 'requests a second, of all who have the token; 0: any number', rateOf, DEFAULT_RATE)
    .option('--access-log', 'log every request as a JSON line on standard error')
    .addHelpText(
      'after',
      `
The first line of standard output is a URL with a token. It works once, in one browser, which then keeps a cookie.
Scripts send the token that standard error shows (or that of --token-file), for as long as the server runs:

  curl -H 'Authorization: Bearer TOKEN' 'http://127.0.0.1:${DEFAULT_PORT}/api/v1/who?ip=10.1.2.3&at=2026-11-15T10:05:00Z'

Every question is GET ${'/api/v1/NAME'}; /openapi.json describes them all, docs/api.md has examples. Whoever has a token sees
everything in the store, hence no address that others can reach: from another machine use ssh -L. The store is only
read; a recorder may write to it meanwhile. SIGTERM ends it, after the requests that are under way.`,
    )
    .action(cli.finishes((options: ServeOptions) => run(cli, options)));
}

async function run(cli: Cli, options: ServeOptions): Promise<ExitCode> {
  const { signal, stdout } = cli.commandEnv;
  // Read only here: no other command should wait for it.
  const [{ checkLoopback }, { serveOnLoopback }] = await Promise.all([
    import('@podtrail/operator/serving'),
    import('../remote/loopback-server.ts'),
  ]);
  // Before the store is opened: a wrong address is wrong whatever is in it.
  checkLoopback(options.bind);
  const token = await tokenOf(cli, options.tokenFile);
  return await cli.withStore(options, async (engine, url) => {
    const { port, bind, rateLimit, accessLog } = options;
    const asked = { port, bind, token, rateLimit, hasAccessLog: accessLog === true };
    const server = await serveOnLoopback(engine, asked, cli.commandEnv);
    try {
      await stdout.write(`${server.url}\n`);
      if (options.tokenFile === undefined) await cli.note(`for scripts: Authorization: Bearer ${server.bearer}`);
      await cli.note(`serving ${url}; Ctrl+C ends it`);
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    } finally {
      await server.close();
    }
    return EXIT.answered;
  });
}

async function tokenOf({ commandEnv }: Cli, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  let text = '';
  for await (const chunk of commandEnv.readFile(file, MOST_TOKEN_BYTES)) {
    text += new TextDecoder().decode(chunk);
    if (text.length >= MOST_TOKEN_BYTES) break;
  }
  return text.split('\n', 1)[0]?.trim() ?? '';
}

function rateOf(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new UsageError(`--rate-limit ${text} is not a number of requests`, 'a whole number; 0 is any number.');
}
