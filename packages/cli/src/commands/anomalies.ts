// `podtrail anomalies`: what Kubernetes should not have reported, and when.
import { type Anomaly, anomalyDocument, askAnomalies } from '@podtrail/history/wire';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import { notePaging, type PagingOptions, withPaging } from '../options/paging.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { spanOf } from '../options/span.ts';
import { type Listing, printListing } from '../output/print.ts';
import { askReplicas } from '../remote/ask-replicas.ts';
import { showTime, toUtcText } from '../times/show-time.ts';
import { gapWarning } from '../views/watched.ts';

interface AnomaliesOptions extends SharedOptions, PagingOptions {}

export function anomaliesCommand(cli: Cli): Command {
  const command = cli.command('anomalies', 'What did the cluster report that cannot be right?', [
    ...(['since', 'until', 'timezone', 'cluster', 'store', 'output', 'headers'] as const),
  ]);
  return withPaging(command)
    .addHelpText(
      'after',
      `
  clock-skew           the clock of a node is more than two seconds off the API server's
  node-changed         a pod was shown on another node than before
  unparsable-address   an object shows a text as its address that is none

podtrail doctor says what to do about those of the last day. Exit code 3 when there is none in that time.

Examples:
  podtrail anomalies --since 24h
  podtrail anomalies -o json`,
    )
    .action(cli.does((options: AnomaliesOptions) => run(cli, options)));
}

async function run(cli: Cli, options: AnomaliesOptions) {
  const print = cli.print(options);
  const span = await spanOf(cli, options);
  return await cli.askLedger(options, async ({ engine, cluster }) => {
    const question = { span, paging: options, now: cli.now };
    const found = await askReplicas(cli, { engine, cluster }, (snapshot) =>
      askAnomalies(snapshot, cli.visibility, cluster, question),
    );
    const { document, watching } = found;
    const anomalies = found.anomalies.items;
    const listing: Listing<Anomaly> = {
      rows: anomalies,
      document,
      columns: [
        { header: 'SEEN', cell: (a) => showTime(a.observedAt, print.zone) },
        { header: 'WHAT', cell: (a) => a.what },
        { header: 'UID', wide: true, cell: (a) => a.uid },
        { header: 'EVIDENCE', wide: true, cell: (a) => `${a.source} ${a.epoch}/${a.resourceVersion}` },
        { header: 'DETAIL', cell: (a) => a.detail },
      ],
      csv: [
        { name: 'seen', value: (a) => toUtcText(a.observedAt) },
        { name: 'what', value: (a) => a.what },
        { name: 'uid', value: (a) => a.uid },
        { name: 'detail', value: (a) => a.detail },
      ],
      json: anomalyDocument,
      name: (a) => `anomaly/${a.what}/${a.uid}`,
    };
    await printListing(listing, print);
    if (anomalies.length === 0) await cli.note('there is no record of an anomaly in that time');
    await notePaging(cli, found.anomalies);
    const warning = gapWarning(watching, print.zone);
    if (warning !== undefined) await cli.note(warning);
    return anomalies.length === 0 ? EXIT.none : EXIT.answered;
  });
}
