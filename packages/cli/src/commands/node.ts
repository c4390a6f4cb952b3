// `podtrail node`: which pods were on a node at an instant, or within a span of time.
import { epochMillis, type NodePod, podsOnNode, type Span, withSnapshot } from '@podtrail/history';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { collect, notePaging, type PagingOptions, pagingJson, withPaging } from '../options/paging.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { spanOf } from '../options/span.ts';
import { type Listing, printListing } from '../output/print.ts';
import { showBoundary, showTime, toUtcText } from '../times/show-time.ts';
import { boundaryJson, holderJson, holderName, provenanceText, workloadText } from '../views/holder.ts';
import { neverSeenNode, searchOf } from '../views/never-seen.ts';
import {
  endText,
  gapWarning,
  lastedText,
  openUntil,
  readWatching,
  type Watching,
  watchingJson,
} from '../views/watched.ts';

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
Pods of all namespaces, unless -n names one. CERTAIN is "no" for a pod whose arrival or end is only known to lie
around the time that was asked about. Exit code 3 when no pod was there, 5 when nobody was watching then.

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
    throw new UsageError('--at is an instant, --since and --until are a span: give one of them');
  const at = isSpan ? undefined : await cli.at(options);
  const span: Span = at === undefined ? await spanOf(cli, options) : { from: at, to: epochMillis(at + 1) };
  return await cli.withLedger(options, async (ledger) => {
    const { engine, cluster } = ledger;
    const isFuture = at !== undefined && at > cli.now;
    const { found, watching } = await withSnapshot(engine, cluster.id, async (snapshot) => {
      const watched = await readWatching(snapshot, span, cli.now);
      const during = asFarAsKnown(span, watched, cli.now);
      const pods = await collect(
        options,
        async (page) => (isFuture ? NOBODY : await podsOnNode(snapshot, { node, during, page })),
        ({ pod }) =>
          options.namespace === undefined || options.allNamespaces === true || pod.namespace === options.namespace,
      );
      return { found: pods, watching: watched };
    });
    const guests = found.items;
    const times = at === undefined ? { since: toUtcText(span.from), until: toUtcText(span.to) } : { at: toUtcText(at) };
    const listing: Listing<NodePod> = {
      rows: guests,
      document: {
        query: { cluster: cluster.name, clusterId: cluster.id, node, ...times },
        pods: guests.map(guestJson),
        ...pagingJson(found),
        coverage: watchingJson(watching),
      },
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
      ],
      json: guestJson,
      name: (g) => holderName(g.pod),
    };
    await printListing(listing, print);
    await notePaging(cli, found);
    const { first } = watching;
    const before = first === undefined || span.from < first;
    if (before && at !== undefined)
      await cli.note(
        first === undefined ? 'nothing has been recorded' : `nobody was watching before ${showTime(first, print.zone)}`,
      );
    const warning = gapWarning(watching, print.zone);
    if (warning !== undefined) await cli.note(warning);
    if (guests.length > 0) return EXIT.answered;
    const unwatched = at !== undefined && (before || watching.gaps.length > 0);
    const never = await neverSeenNode(searchOf(cli, ledger), node);
    if (never !== undefined) await cli.note(never);
    else if (!unwatched) await cli.note(`there is no record of a pod on node ${node} in that time`);
    return unwatched ? EXIT.unknown : EXIT.none;
  });
}

/** Nothing is known of an instant that has not come, whatever a wrong clock had the store claim. */
const NOBODY = { items: [], cursor: undefined };

/** While somebody watches, his last word stands for now. */
function asFarAsKnown(span: Span, { last }: Watching, now: number): Span {
  if (last === undefined || last >= span.from || openUntil({ last }, now) !== now) return span;
  return { from: epochMillis(last), to: span.to };
}

function guestJson({ pod, start, end, certain }: NodePod) {
  return { ...holderJson(pod), certain, start: boundaryJson(start), end: boundaryJson(end) };
}
