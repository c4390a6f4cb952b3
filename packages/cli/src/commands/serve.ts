// `podtrail serve`: the ledger over HTTP on this machine, for a browser and for scripts. Only reads, beside a recorder
// or alone, until it is stopped.
import { jsonLine } from '@podtrail/operator/json-line';
import type { AccessLogEntry } from '@podtrail/operator/serving';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { describeError, UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { portNumber } from '../options/port-number.ts';
import type { SharedOptions } from '../options/shared-flags.ts';

interface ServeOptions extends SharedOptions {
  readonly port: number;
  readonly bind: string;
  readonly tokenFile?: string;
  readonly rateLimit: number;
  readonly accessLog?: boolean;
}

const DEFAULT_PORT = 7080;
const MOST_TOKEN_BYTES = 4_096;
/** Requests a second; one person and their scripts, and nobody who keeps others out. */
const DEFAULT_RATE = 2_000;

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
  const { clock, signal, stdout, stderr } = cli.commandEnv;
  // Read only here: no other command should wait for it.
  const [serving, { apiOver }] = await Promise.all([
    import('@podtrail/operator/serving'),
    import('../remote/api-over.ts'),
  ]);
  serving.checkLoopback(options.bind);
  const access = new serving.LoopbackAccess({ token: await tokenOf(cli, options.tokenFile) });
  return await cli.withStore(options, async (engine, url) => {
    const ledger = new serving.AskedLedger(engine, clock);
    const { rateLimit: perSecond } = options;
    const server = await serving.HttpServer.start({
      ...{ host: options.bind, port: options.port, access, clock, admit: access.admit },
      routes: [
        serving.indexPage((request) => access.exchange(request)),
        ...apiOver(ledger, { engine, commandEnv: cli.commandEnv }),
      ],
      rateLimit:
        perSecond === 0
          ? undefined
          : new serving.RateLimit({ perSecond, burst: 2 * perSecond, now: () => clock.monotonic() }),
      log: options.accessLog === true ? (entry) => void stderr.write(logLine(entry, clock.now())) : undefined,
    });
    try {
      await stdout.write(`${access.urlOn(server)}\n`);
      if (options.tokenFile === undefined) await cli.note(`for scripts: Authorization: Bearer ${access.bearer}`);
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

function logLine({ error, ...entry }: AccessLogEntry, now: number): string {
  const problem = error === undefined ? {} : { problem: describeError(error, false) };
  const level = entry.status === 500 ? 'error' : 'info';
  return jsonLine({ time: new Date(now).toISOString(), level, msg: 'request', ...entry, ...problem });
}
