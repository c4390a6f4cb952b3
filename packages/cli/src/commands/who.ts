// `podtrail who IP`: which pod, node or service held an address at an instant.
import {
  type Answer,
  type AnsweredHolder,
  addressOf,
  answeredHolderDocument,
  askWho,
  type EpochMillis,
} from '@podtrail/history/wire';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { EXIT_BY_ANSWER } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { answerColour } from '../output/colour.ts';
import { type CsvColumn, formatCsv } from '../output/csv.ts';
import { type Listing, printListing } from '../output/print.ts';
import { askReplicas } from '../remote/ask-replicas.ts';
import { showBoundary, toUtcText } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';
import { answerSentence } from '../views/answer.ts';
import { holderName, provenanceText, workloadText } from '../views/holder.ts';
import { endText, lastedText } from '../views/watched.ts';

interface WhoFlags extends SharedOptions {
  readonly seen?: boolean;
}

export function whoCommand(cli: Cli): Command {
  return cli
    .command('who', 'Which pod, node or service held an IP at an instant?', [
      ...(['at', 'timezone', 'cluster', 'store', 'output', 'headers', 'color'] as const),
    ])
    .argument('<ip>', 'IPv4 or IPv6 address')
    .option('--seen', 'the address was seen in use then: nobody is ruled out, and one candidate is the holder')
    .addHelpText(
      'after',
      `
The answer is one of four, and so is the exit code:
  held       0   one holder certainly had it
  free       3   everything was being watched, and nobody had it
  ambiguous  4   one of those listed, or a node's address
  unknown    5   nobody was watching then, or that time has not come yet

A time without a zone is in that of --timezone, else of this machine; standard error says which instant was asked about,
in UTC.

Examples:
  podtrail who 10.1.2.3 --at 2026-11-15T10:05:00Z
  podtrail who 10.1.2.3 --at '15m ago' -o json
  podtrail who fd00::17 --at 1794737100`,
    )
    .action(cli.does((text: string, options: WhoFlags) => run(cli, text, options)));
}

async function run(cli: Cli, text: string, options: WhoFlags) {
  const ip = addressOf(text);
  const print = cli.print(options);
  const at = await cli.at(options);
  return await cli.askLedger(options, async ({ engine, cluster }) => {
    const question = { ip, at, now: cli.now, seen: options.seen === true };
    const asked = await askReplicas(cli, { engine, cluster }, (snapshot, namesCollectors) =>
      askWho(snapshot, cli.visibility, cluster, { ...question, namesCollectors }),
    );
    const { answer, document, watched } = asked;
    if (print.format === 'csv') {
      // One record for each holder, and one for nobody: the answer is in it either way.
      const rows = answer.holders.length === 0 ? [undefined] : answer.holders;
      await print.out.write(formatCsv(rows, csvColumns(answer), print.headers));
      return EXIT_BY_ANSWER[answer.answer];
    }
    const listing: Listing<AnsweredHolder> = {
      ...holderListing(print.zone, cli.now, watched.last, answer.answer === 'ambiguous'),
      document,
      rows: answer.holders,
      sentence: answerSentence(answer, watched, print.zone),
      paint: answerColour(answer.answer, print.colour),
      // A question has one answer: one line, also when there are several candidates or none.
      ...(print.format === 'jsonl' ? { lines: [document] } : {}),
    };
    await printListing(listing, print);
    const [held] = answer.holders;
    if (print.format === 'wide' && held?.kind === 'Pod' && held.end !== undefined)
      await cli.note(`why it ended: podtrail explain uid/${held.uid}`);
    return EXIT_BY_ANSWER[answer.answer];
  });
}

function holderListing(zone: Zone, now: EpochMillis, last: EpochMillis | undefined, isInDoubt: boolean) {
  const listing: Pick<Listing<AnsweredHolder>, 'columns' | 'csv' | 'json' | 'name'> = {
    columns: [
      { header: 'KIND', cell: (h) => h.kind },
      { header: 'NAMESPACE', cell: (h) => h.namespace },
      { header: 'NAME', cell: (h) => h.name },
      { header: 'NODE', cell: (h) => h.node },
      { header: 'WORKLOAD', cell: workloadText },
      { header: 'FROM', cell: (h) => showBoundary(h.start, zone) },
      { header: 'TO', cell: (h) => endText(h.end, { last }, now, zone) },
      { header: 'HELD', cell: (h) => lastedText(h, { last }, now) },
      ...(isInDoubt ? [{ header: 'WHY IN DOUBT', cell: (h: AnsweredHolder) => h.why?.code ?? '' }] : []),
      { header: 'UID', wide: true, cell: (h) => h.uid },
      { header: 'START EVIDENCE', wide: true, cell: (h) => provenanceText(h.start) },
      { header: 'END EVIDENCE', wide: true, cell: (h) => provenanceText(h.end) },
    ],
    csv: [],
    json: answeredHolderDocument,
    name: holderName,
  };
  return listing;
}

function csvColumns({ ip, at, answer }: Answer): CsvColumn<AnsweredHolder | undefined>[] {
  return [
    { name: 'ip', value: () => ip },
    { name: 'at', value: () => toUtcText(at) },
    { name: 'answer', value: () => answer },
    { name: 'kind', value: (h) => h?.kind ?? '' },
    { name: 'namespace', value: (h) => h?.namespace ?? '' },
    { name: 'pod', value: (h) => h?.name ?? '' },
    { name: 'uid', value: (h) => h?.uid ?? '' },
    { name: 'node', value: (h) => h?.node ?? '' },
    { name: 'workload', value: (h) => (h === undefined ? '' : workloadText(h)) },
    { name: 'from', value: (h) => (h === undefined ? '' : toUtcText(h.start.at)) },
    { name: 'to', value: (h) => (h?.end === undefined ? '' : toUtcText(h.end.at)) },
  ];
}
