// `podtrail trail`: where a pod, a workload or an address was, life by life.
import {
  askTrail,
  type ExplainedStay,
  isNamed,
  neverSeenPod,
  parseSubject,
  stayDocument,
  subjectPhrase,
} from '@podtrail/history/wire';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import { notePaging, type PagingOptions, withPaging } from '../options/paging.ts';
import { searchOf } from '../options/search.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { spanOf } from '../options/span.ts';
import { SUBJECT_HELP } from '../options/subject-help.ts';
import { type Listing, printListing } from '../output/print.ts';
import { askReplicas } from '../remote/ask-replicas.ts';
import { showBoundary, toUtcText } from '../times/show-time.ts';
import { ENDING_CSV, endingColumns } from '../views/ending.ts';
import { holderName, provenanceText, workloadText } from '../views/holder.ts';
import { endText, gapWarning, lastedText } from '../views/watched.ts';

interface TrailOptions extends SharedOptions, PagingOptions {}

export function trailCommand(cli: Cli): Command {
  const command = cli
    .command('trail', 'Where was a pod, a workload or an address, life by life?', [
      ...(['namespace', 'since', 'until', 'timezone', 'cluster', 'store', 'context', 'kubeconfig'] as const),
      ...(['output', 'headers'] as const),
    ])
    .argument('<what>', 'POD, TYPE/NAME, a UID or an IP address');
  return withPaging(command)
    .addHelpText(
      'after',
      `${SUBJECT_HELP}
  svc/cart                a Service: the cluster IPs that it had
  10.1.2.3                an address: all who held it

One line for each address that a pod had; --limit counts the lives of pods, each of which may have several. CAUSE is why
the pod ended, or why it lost that address, with a "?" where that is inferred; NEXT is the node of the pod that took its
place, with a "?" where another may have. "<not recorded>" stands where nobody recorded causes then. -o wide has the
lifecycle of each pod; podtrail explain POD has the evidence.

Examples:
  podtrail trail cart-7d9-x2k -n shop
  podtrail trail deploy/cart -n shop --since 24h
  podtrail trail 10.1.2.3 --since 2026-11-15 -o csv`,
    )
    .action(cli.does((what: string, options: TrailOptions) => run(cli, what, options)));
}

async function run(cli: Cli, what: string, options: TrailOptions) {
  const print = cli.print(options);
  const asked = await parseSubject(what, () => cli.namespace(options), options.namespace);
  const span = await spanOf(cli, options);
  return await cli.askLedger(options, async (ledger) => {
    const { cluster } = ledger;
    const question = { asked, span, paging: options, now: cli.now };
    const found = await askReplicas(cli, ledger, (snapshot) => askTrail(snapshot, cli.visibility, cluster, question));
    const { document, watching } = found;
    const stays = found.stays.items;
    const listing: Listing<ExplainedStay> = {
      rows: stays,
      document,
      columns: [
        { header: 'NAMESPACE', cell: (s) => s.holder.namespace },
        { header: 'NAME', cell: (s) => s.holder.name },
        { header: 'IP', cell: (s) => s.ip },
        { header: 'NODE', cell: (s) => s.holder.node },
        { header: 'WORKLOAD', cell: (s) => workloadText(s.holder) },
        { header: 'FROM', cell: (s) => showBoundary(s.start, print.zone) },
        { header: 'TO', cell: (s) => endText(s.end, watching, cli.now, print.zone) },
        { header: 'HELD', cell: (s) => lastedText(s, watching, cli.now) },
        ...endingColumns(print.zone),
        { header: 'UID', wide: true, cell: (s) => s.holder.uid },
        { header: 'START EVIDENCE', wide: true, cell: (s) => provenanceText(s.start) },
        { header: 'END EVIDENCE', wide: true, cell: (s) => provenanceText(s.end) },
      ],
      csv: [
        { name: 'kind', value: (s) => s.holder.kind },
        { name: 'namespace', value: (s) => s.holder.namespace },
        { name: 'pod', value: (s) => s.holder.name },
        { name: 'uid', value: (s) => s.holder.uid },
        { name: 'ip', value: (s) => s.ip },
        { name: 'node', value: (s) => s.holder.node },
        { name: 'workload', value: (s) => workloadText(s.holder) },
        { name: 'from', value: (s) => toUtcText(s.start.at) },
        { name: 'to', value: (s) => (s.end === undefined ? '' : toUtcText(s.end.at)) },
        ...ENDING_CSV,
      ],
      json: stayDocument,
      name: (s) => holderName(s.holder),
    };
    await printListing(listing, print);
    if (stays.length === 0) {
      const never = isNamed(asked) ? await neverSeenPod(searchOf(cli, ledger), asked) : undefined;
      await cli.note(never ?? `there is no record of ${subjectPhrase(asked)} in that time`);
    }
    const ended = stays.findLast(({ end, ending }) => end !== undefined && ending.verdict !== undefined);
    if (asked.by === 'ip' && ended !== undefined && (print.format === 'table' || print.format === 'wide'))
      await cli.note(`why it changed hands: podtrail explain uid/${ended.holder.uid}`);
    await notePaging(cli, found.stays);
    const warning = gapWarning(watching, print.zone);
    if (warning !== undefined) await cli.note(warning);
    return stays.length === 0 ? EXIT.none : EXIT.answered;
  });
}
