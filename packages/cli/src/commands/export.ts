// `podtrail export`: the ledger of a cluster as JSON lines.
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { InterruptedError } from '../errors.ts';
import { exportLedger } from '../exchange/export-ledger.ts';
import { EXIT } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { counted } from '../output/counted.ts';

const CHUNK = 1 << 16;

export function exportCommand(cli: Cli): Command {
  return cli
    .command('export', 'Print the ledger of a cluster as JSON lines.', ['cluster', 'store'])
    .addHelpText(
      'after',
      `
The first line names the cluster, the last counts the records, each between is one. podtrail import reads it; doing
that twice changes nothing. A recorder may go on meanwhile: what it stores during the export may be missing from it.

Example:
  podtrail export --cluster prod-eu | gzip > prod-eu.jsonl.gz`,
    )
    .action(cli.finishes((options: SharedOptions) => run(cli, options)));
}

async function run(cli: Cli, options: SharedOptions) {
  const { stdout, signal } = cli.commandEnv;
  return await cli.withLedger(options, async ({ engine, cluster }) => {
    let lines = -2;
    let chunk = '';
    for await (const line of exportLedger(engine, cluster)) {
      if (signal.aborted) throw new InterruptedError();
      lines++;
      chunk += line;
      if (chunk.length < CHUNK) continue;
      await stdout.write(chunk);
      chunk = '';
    }
    await stdout.write(chunk);
    await cli.note(`${cluster.name}: ${counted(lines, 'record')}`);
    return EXIT.answered;
  });
}
