// `podtrail mcp`: the questions as tools of the Model Context Protocol, over standard input and output.
import { ALL_VISIBLE, epochMillis } from '@podtrail/history/wire';
import type { QuestionName } from '@podtrail/history/wire/catalogue';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { podtrailVersion } from '../podtrail-version.ts';

export function mcpCommand(cli: Cli): Command {
  return cli
    .command(
      'mcp',
      'Serve the questions as tools for assistants (Model Context Protocol, on standard input and output)',
      ['store'],
    )
    .addHelpText(
      'after',
      `
Tools: who_had_ip, attribute_flows, pod_trail, node_at, moves, explain, coverage. All of them only read. It ends when
its input ends. An assistant starts it by itself; most take a configuration as this:

  {"mcpServers": {"podtrail": {"command": "podtrail", "args": ["mcp", "--store", "sqlite:/var/lib/podtrail/ledger.db"]}}}

Examples:
  podtrail mcp
  podtrail mcp --store sqlite:ledger.db`,
    )
    .action(cli.does((options: SharedOptions) => run(cli, options)));
}

async function run(cli: Cli, options: SharedOptions) {
  // Only who serves needs the protocol, and the schemas.
  const [{ serveToolLines }, { askQuestion }] = await Promise.all([
    import('@podtrail/operator/serving'),
    import('@podtrail/history/wire/catalogue'),
  ]);
  const { clock, stdin, stdout } = cli.commandEnv;
  const now = () => clock.now();
  return await cli.withStore(options, async (engine, url) => {
    await cli.note(`serving tools from ${url} on standard input and output`);
    const asker = () => ({ visibility: ALL_VISIBLE, now: epochMillis(now()) });
    const tools = {
      ...{ now, version: podtrailVersion() },
      ask: (name: QuestionName, parameters: object) => askQuestion(engine, asker(), name, parameters),
    };
    await serveToolLines(tools, stdin, (text) => stdout.write(text));
    return EXIT.answered;
  });
}
