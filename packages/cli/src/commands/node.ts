// `podtrail node`: which pods were on a node at an instant, or within a span of time.
import { askNode, epochMillis, type NodeStay, neverSeenNode, nodePodDocument, type Span } from '@podtrail/history/wire';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { notePaging, type PagingOptions, withPaging } from '../options/paging.ts';
import { searchOf } from '../options/search.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { spanOf } from '../options/span.ts';
import { type Listing, printListing } from '../output/print.ts';
import { askReplicas } from '../remote/ask-replicas.ts';
import { showBoundary, toUtcText } from '../times/show-time.ts';
import { ENDING_CSV, endingColumns } from '../views/ending.ts';
import { holderName, provenanceText, workloadText } from '../views/holder.ts';
import { timelineListing } from '../views/node-timeline.ts';
import { endText, gapWarning, lastedText } from '../views/watched.ts';

interface NodeOptions extends SharedOptions, PagingOptions {}

export function nodeCommand(cli: Cli): Command {
  const command = cli
    .command('node', 'Which pods were on a node, at an instant or within a span of time?', [
      ...(['at', 'since', 'until', 'onlyNamespace', 'allNamespaces', 'timezone', 'cluster', 'store'] as const),
      ...(['output', 'headers'] as const),
    ])
    .argument('<node>', 'name of the node');
  return withPaging(command)
    .addHelpText(
      'after',
      `
Pods of all namespaces, unless -n names one. CERTAIN is "no" for a pod whose arrival or end is only known to lie around
the time that was asked about. CAUSE is why a pod left, with a "?" where that is inferred; NEXT is the node of the pod
that took its place, with a "?" where another may have. With --since the table is a timeline: who arrived (and whose
place it took, from which node), who left and why; -o wide also lists who was there when the span began, and has the
lifecycle of each pod; -o json has all of it. Exit code 3 when no pod was there, 5 when nobody was watching then.

Examples:
  podtrail node worker-2
  podtrail node worker-2 --at 2026-11-15T10:05:00Z -n shop
  podtrail node worker-2 --since 2h --until 1h -o json`,
    )
    .action(cli.does((node: string, options: NodeOptions) => run(cli, node, options)));
}

async function run(cli: Cli, node: string, options: NodeOptions) {
  const print = cli.print(options);
  const isSpan = options.since !== undefined || options.until !== undefined;
  if (isSpan && options.at !== undefined)
    throw new UsageError(
      '--at is an instant, --since and --until are a span: give one of them',
      'leave --at out for all pods of the span, or --since and --until for those of the instant.',
    );
  const at = isSpan ? undefined : await cli.at(options);
  const asked = at === undefined ? await spanOf(cli, options) : undefined;
  const span: Span = asked ?? { from: at ?? cli.now, to: epochMillis((at ?? cli.now) + 1) };
  return await cli.askLedger(options, async (ledger) => {
    const { cluster } = ledger;
    const namespace = options.allNamespaces === true ? undefined : options.namespace;
    const during = asked ?? { at: span.from };
    const question = { node, during, namespace, paging: options, now: cli.now };
    const found = await askReplicas(cli, ledger, (snapshot) => askNode(snapshot, cli.visibility, cluster, question));
    const { document, watching } = found;
    const pods = found.pods.items;
    const listing: Listing<NodeStay> = {
      rows: pods,
      document,
      columns: [
        { header: 'NAMESPACE', cell: (g) => g.pod.namespace },
        { header: 'NAME', cell: (g) => g.pod.name },
        { header: 'WORKLOAD', cell: (g) => workloadText(g.pod) },
        { header: 'CERTAIN', cell: (g) => (g.certain ? 'yes' : 'no') },
        { header: 'FROM', cell: (g) => showBoundary(g.start, print.zone) },
        {
          header: 'TO',
          cell: ({ end }) => endText(end, watching, cli.now, print.zone),
        },
        {
          header: 'STAYED',
          cell: (g) => lastedText(g, watching, cli.now),
        },
        ...endingColumns(print.zone),
        { header: 'UID', wide: true, cell: (g) => g.pod.uid },
        { header: 'START EVIDENCE', wide: true, cell: (g) => provenanceText(g.start) },
        { header: 'END EVIDENCE', wide: true, cell: (g) => provenanceText(g.end) },
      ],
      csv: [
        { name: 'namespace', value: (g) => g.pod.namespace },
        { name: 'pod', value: (g) => g.pod.name },
        { name: 'uid', value: (g) => g.pod.uid },
        { name: 'node', value: (g) => g.pod.node },
        { name: 'workload', value: (g) => workloadText(g.pod) },
        { name: 'certain', value: (g) => String(g.certain) },
        { name: 'from', value: (g) => toUtcText(g.start.at) },
        { name: 'to', value: ({ end }) => (end === undefined ? '' : toUtcText(end.at)) },
        ...ENDING_CSV,
      ],
      json: nodePodDocument,
      name: (g) => holderName(g.pod),
    };
    // Of a span people want to know who came and went, and why. What programs read stays one record for each pod.
    const isTimeline = asked !== undefined && (print.format === 'table' || print.format === 'wide');
    if (isTimeline) await printListing(timelineListing(node, found, asked, cli.now, print), print);
    else await printListing(listing, print);
    await notePaging(cli, found.pods);
    const { first } = watching;
    const before = first === undefined || span.from < first;
    if (first === undefined && at !== undefined) await cli.note('nothing has been recorded');
    const warning = gapWarning(watching, print.zone);
    if (warning !== undefined) await cli.note(warning);
    if (pods.length > 0) return EXIT.answered;
    const unwatched = at !== undefined && (before || watching.gaps.length > 0);
    const never = await neverSeenNode(searchOf(cli, ledger), node);
    if (never !== undefined) await cli.note(never);
    else if (!unwatched) await cli.note(`there is no record of a pod on node ${node} in that time`);
    return unwatched ? EXIT.unknown : EXIT.none;
  });
}
