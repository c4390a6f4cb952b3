// `podtrail demo`, and `npm start`: a simulated cluster with a day of history, recorded and then watched live, and
// commands to ask it from another terminal. Ctrl+C leaves nothing behind.
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { Demo } from '../demo/demo.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { portNumber } from '../options/port-number.ts';
import { DEFAULT_PORT } from '../options/serve-defaults.ts';
import { checkSize, type SizeOptions, sizeFlags } from '../sandbox/size-flags.ts';
import { parseDuration } from '../times/duration.ts';

interface DemoOptions extends SizeOptions {
  readonly duration?: number;
  /** The port; true: the default one; undefined: one that is free. */
  readonly serve?: number | boolean;
}

export function demoCommand(cli: Cli): Command {
  const command = cli.command('demo', 'Show podtrail at work on a simulated cluster, without a real one.', []);
  return sizeFlags(command, { nodes: 40, pods: 2000 })
    .option('--duration <time>', 'end by itself after so long, e.g. 1m; default: at Ctrl+C', duration)
    .option(
      '--serve [port]',
      `serve the page on this port (${DEFAULT_PORT}); default: one that is free`,
      portNumber('--serve'),
    )
    .option('--no-serve', 'do not serve the page')
    .addHelpText(
      'after',
      `
A day of history is recorded in a few seconds of virtual time; then the cluster lives on at real speed, with rollouts,
drains, dying nodes and jobs, and a recorder that watches it. It prints commands to try in another terminal. On a
terminal, k kills the recorder for 20 seconds and q ends the demo. Everything lies in a temporary directory, which is
removed at the end.

The first line is the URL of the page. It works once, in one browser, which then keeps a cookie; on a terminal o opens
it. Scripts send the token that is printed below the commands. Only this machine reaches it, until the demo ends.`,
    )
    .action(cli.finishes((options: DemoOptions) => run(cli, options)));
}

async function run(cli: Cli, options: DemoOptions): Promise<ExitCode> {
  const { random, signal } = cli.commandEnv;
  checkSize(options);
  const seed = options.seed ?? Math.floor(random() * 2 ** 31);
  const { nodes, pods, speed } = options;
  const { serve = 0 } = options;
  const port = serve === true ? DEFAULT_PORT : serve === false ? undefined : serve;
  const stop = new AbortController();
  const until = options.duration === undefined ? undefined : AbortSignal.timeout(options.duration);
  const ended = AbortSignal.any([signal, stop.signal, ...(until === undefined ? [] : [until])]);
  await using demo = await Demo.begin(cli.commandEnv, { nodes, pods, speed, seed, port, quit: () => stop.abort() });
  await demo.run(ended);
  return EXIT.answered;
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new UsageError(`--duration ${text} is not a duration`, 'write it as 30s, 5m or 1h30m.');
}
