// `podtrail gaps`: when nobody was watching, and why.
import { askGaps, gapDocument, type Unwatched, type Watching } from '@podtrail/history/wire';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import { notePaging, type PagingOptions, withPaging } from '../options/paging.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { spanOf } from '../options/span.ts';
import { counted } from '../output/counted.ts';
import { type Listing, printListing } from '../output/print.ts';
import { askReplicas } from '../remote/ask-replicas.ts';
import { showSpan, showTime, toUtcText } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';
import { gapLength, unwatchedReason } from '../views/watched.ts';

interface GapsOptions extends SharedOptions, PagingOptions {}

export function gapsCommand(cli: Cli): Command {
  const command = cli.command('gaps', 'When was nobody watching, and why?', [
    ...(['since', 'until', 'timezone', 'cluster', 'store', 'output', 'headers'] as const),
  ]);
  return withPaging(command)
    .addHelpText(
      'after',
      `
In a gap an address that nobody is known to have held is "unknown", never "free". Exit code 3 when nothing has been
recorded at all.

Examples:
  podtrail gaps --since 24h
  podtrail gaps -o json`,
    )
    .action(cli.does((options: GapsOptions) => run(cli, options)));
}

async function run(cli: Cli, options: GapsOptions) {
  const print = cli.print(options);
  const span = await spanOf(cli, options);
  return await cli.askLedger(options, async ({ engine, cluster }) => {
    const question = { span, paging: options, now: cli.now };
    const found = await askReplicas(cli, { engine, cluster }, (snapshot) =>
      askGaps(snapshot, cli.visibility, cluster, question),
    );
    const { document, watching } = found;
    const listing: Listing<Unwatched> = {
      rows: found.gaps.items,
      document,
      sentence: sentence(cluster.name, watching, print.zone),
      columns: [
        { header: 'FROM', cell: (g) => showTime(g.from, print.zone) },
        { header: 'TO', cell: (g) => (g.to === undefined ? '<now>' : showTime(g.to, print.zone)) },
        { header: 'LENGTH', cell: (g) => gapLength(g, cli.now) },
        { header: 'REASON', cell: (g) => unwatchedReason(g.reason) },
      ],
      csv: [
        { name: 'from', value: (g) => toUtcText(g.from) },
        { name: 'to', value: (g) => (g.to === undefined ? '' : toUtcText(g.to)) },
        { name: 'reason', value: (g) => g.reason },
      ],
      json: gapDocument,
      name: (g) => `gap/${toUtcText(g.from)}`,
    };
    await printListing(listing, print);
    await notePaging(cli, found.gaps);
    return watching.first === undefined ? EXIT.none : EXIT.answered;
  });
}

function sentence(cluster: string, { first, last, gaps }: Watching, zone: Zone): string {
  if (first === undefined || last === undefined) return `Nothing has been recorded of ${cluster}.`;
  const count = gaps.length === 0 ? 'no gaps' : counted(gaps.length, 'gap');
  return `${cluster} was watched from ${showSpan(first, last, zone)}; ${count} in the time asked about.`;
}
