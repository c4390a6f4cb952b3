// `podtrail moves`: which pods ended, why, and who took their place where.
import {
  ALL_VISIBLE,
  askMoves,
  CAUSES,
  type Cause,
  type Move,
  moveDocument,
  withSnapshot,
} from '@podtrail/history/wire';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { notePaging, type PagingOptions, withPaging } from '../options/paging.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { spanOf } from '../options/span.ts';
import { type Listing, printListing } from '../output/print.ts';
import { showDuration } from '../times/duration.ts';
import { showTime, toUtcText } from '../times/show-time.ts';
import { workloadText } from '../views/holder.ts';
import { gapWarning } from '../views/watched.ts';

interface MovesOptions extends SharedOptions, PagingOptions {
  readonly cause: readonly string[];
  readonly fromNode?: string;
  readonly toNode?: string;
}

export function movesCommand(cli: Cli): Command {
  const command = cli
    .command('moves', 'Which pods ended, why, and who took their place where?', [
      ...(['since', 'until', 'onlyNamespace', 'allNamespaces', 'timezone', 'cluster', 'store'] as const),
      ...(['output', 'headers'] as const),
    ])
    .option(
      '--cause <name>',
      'only this cause; may be given several times',
      (name, before) => [...before, name],
      [] as readonly string[],
    )
    .option('--from-node <name>', 'only pods that were on this node')
    .option('--to-node <name>', 'only pods whose place was taken on this node');
  return withPaging(command)
    .addHelpText(
      'after',
      `
One line for each pod that began to end in that time. TO is <none> where nobody took its place, as far as is known; a
"?" behind it means that others may have. Causes: ${CAUSES.join(', ')}.
podtrail explain POD shows the evidence of one. Exit code 3 when there is none in that time.

Examples:
  podtrail moves --since 1h
  podtrail moves --since 24h --cause Evicted --cause Preempted -n shop
  podtrail moves --from-node worker-2 -o json`,
    )
    .action(cli.does((options: MovesOptions) => run(cli, options)));
}

async function run(cli: Cli, options: MovesOptions) {
  const print = cli.print(options);
  const causes = options.cause.length === 0 ? undefined : options.cause.map(causeOf);
  const span = await spanOf(cli, options);
  return await cli.withLedger(options, async ({ engine, cluster }) => {
    const namespace = options.allNamespaces === true ? undefined : options.namespace;
    const { fromNode, toNode } = options;
    const question = { span, paging: options, now: cli.now, causes, fromNode, toNode, namespace };
    const found = await withSnapshot(engine, cluster.id, (snapshot) =>
      askMoves(snapshot, ALL_VISIBLE, cluster, question),
    );
    const { document, watching } = found;
    const moves = found.moves.items;
    const listing: Listing<Move> = {
      rows: moves,
      document,
      columns: [
        { header: 'TIME', cell: (m) => showTime(m.departure.at, print.zone) },
        { header: 'NAMESPACE', cell: (m) => m.from.pod.namespace },
        { header: 'NAME', cell: (m) => m.from.pod.name },
        { header: 'FROM', cell: (m) => m.from.pod.node },
        {
          header: 'TO',
          cell: (m) => (m.to === undefined ? '' : `${m.to.life.pod.node}${m.to.certainty === 'certain' ? '' : '?'}`),
        },
        { header: 'CAUSE', cell: (m) => m.verdict.cause },
        { header: 'CERTAIN', cell: (m) => (m.verdict.certainty === 'certain' ? 'yes' : 'no') },
        { header: 'DOWN', cell: (m) => (m.downtimeMs === undefined ? '' : showDuration(m.downtimeMs)) },
        { header: 'WORKLOAD', wide: true, cell: (m) => workloadText(m.from.pod) },
        { header: 'SUCCESSOR', wide: true, cell: (m) => m.to?.life.pod.name ?? '' },
        { header: 'FROM IPS', wide: true, cell: (m) => ips(m.addresses.from).join(',') },
        { header: 'TO IPS', wide: true, cell: (m) => ips(m.addresses.to).join(',') },
        { header: 'WHY', cell: (m) => m.verdict.sentence },
      ],
      csv: [
        { name: 'time', value: (m) => toUtcText(m.departure.at) },
        { name: 'namespace', value: (m) => m.from.pod.namespace },
        { name: 'pod', value: (m) => m.from.pod.name },
        { name: 'uid', value: (m) => m.from.pod.uid },
        { name: 'from', value: (m) => m.from.pod.node },
        { name: 'to', value: (m) => m.to?.life.pod.node ?? '' },
        { name: 'cause', value: (m) => m.verdict.cause },
        { name: 'certainty', value: (m) => m.verdict.certainty },
        { name: 'successor', value: (m) => m.to?.life.pod.name ?? '' },
        { name: 'from_ips', value: (m) => ips(m.addresses.from).join(' ') },
        { name: 'to_ips', value: (m) => ips(m.addresses.to).join(' ') },
        { name: 'downtime_ms', value: (m) => (m.downtimeMs === undefined ? '' : String(m.downtimeMs)) },
        { name: 'why', value: (m) => m.verdict.sentence },
      ],
      json: moveDocument,
      name: (m) => `pod/${m.from.pod.namespace}/${m.from.pod.name}`,
    };
    await printListing(listing, print);
    if (moves.length === 0) await cli.note('there is no record of a pod that ended in that time');
    await notePaging(cli, found.moves);
    const warning = gapWarning(watching, print.zone);
    if (warning !== undefined) await cli.note(warning);
    return moves.length === 0 ? EXIT.none : EXIT.answered;
  });
}

function causeOf(text: string): Cause {
  const cause = CAUSES.find((one) => one.toLowerCase() === text.toLowerCase());
  if (cause === undefined) throw new UsageError(`--cause ${text} is not a cause`, `use one of ${CAUSES.join(', ')}.`);
  return cause;
}

function ips(tenures: Move['addresses']['from']): readonly string[] {
  return tenures.map(({ ip }) => ip);
}
