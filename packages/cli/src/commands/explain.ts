// `podtrail explain`: why a pod ended, with the evidence in the order of time.
import {
  type Asked,
  askExplain,
  type Evidence,
  type ExplainFound,
  type Holder,
  isNamed,
  neverSeenNode,
  neverSeenPod,
  parseSubject,
  subjectPhrase,
} from '@podtrail/history/wire';
import type { Command } from 'commander';
import type { Cli, OpenLedger } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import { searchOf } from '../options/search.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { verdictColour } from '../output/colour.ts';
import { type Listing, printListing } from '../output/print.ts';
import { askReplicas } from '../remote/ask-replicas.ts';
import { showTime, toUtcText } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';
import { answerSentence } from '../views/answer.ts';
import { explanationText, othersText, recordsOf } from '../views/explanation.ts';
import { gapWarning } from '../views/watched.ts';

export function explainCommand(cli: Cli): Command {
  return cli
    .command('explain', 'Why did a pod end, or move? With the evidence.', [
      ...([
        'at',
        'namespace',
        'context',
        'kubeconfig',
        'timezone',
        'cluster',
        'store',
        'output',
        'headers',
        'color',
      ] as const),
    ])
    .argument('<pod>', 'web-1, pod/web-1, uid/UID, a bare UUID, or an address that it had')
    .addHelpText(
      'after',
      `
Of several pods of one name the one at --at is meant, else the last one before; standard error names the others. Of a
pod that lives it says whose place it took, and how it came to be ready. "Next" is what to look at. The table lists what
the cause rests on, in the order of time, or, where that is none of it, what was said and done within 15 minutes of its
end; -o wide lists everything that was said and done about the pod, its node, its owners and its namespace, and USED
marks what the cause rests on. A cause is "certain" where what was recorded fits no other, and "inferred" where it is
only the likeliest. docs/cli.md has the list of causes. Exit code 3 when there is no record of such a pod, 4 when it is
in doubt who had the address, 5 when that is unknown.

Examples:
  podtrail explain cart-7d9-x2k -n shop
  podtrail explain 10.1.2.3 --at '15m ago'
  podtrail explain uid/5b0c1d9e-7f7a-4a53-9d0e-0d6e4c0f7a11 -o json`,
    )
    .action(cli.does((what: string, options: SharedOptions) => run(cli, what, options)));
}

async function run(cli: Cli, what: string, options: SharedOptions) {
  const print = cli.print(options);
  const asked = await parseSubject(what, () => cli.namespace(options), options.namespace);
  const at = await cli.at(options);
  return await cli.askLedger(options, async (ledger) => {
    const { cluster } = ledger;
    const question = { asked, at, now: cli.now };
    const found = await askReplicas(cli, ledger, (snapshot) => askExplain(snapshot, cli.visibility, cluster, question));
    const { document, evidence, verdict } = found;
    // Most of what was recorded around a pod says nothing of its end.
    const records = print.format === 'table' ? recordsOf(found) : undefined;
    const listing: Listing<Evidence> = {
      rows: records?.shown ?? evidence,
      document,
      sentence: explanationText(found, print.zone, records),
      paint: verdictColour(verdict, print.colour),
      columns: [
        { header: 'TIME', cell: (e) => showTime(e.at, print.zone) },
        { header: 'USED', wide: true, cell: (e) => (verdict?.evidence.includes(e.id) ? 'yes' : 'no') },
        { header: 'ABOUT', cell: aboutText },
        { header: 'WHAT', cell: (e) => e.what },
        { header: 'REASON', cell: (e) => e.reason },
        { header: 'BY', cell: (e) => e.by },
        { header: 'COUNT', wide: true, cell: (e) => String(e.count) },
        { header: 'ID', wide: true, cell: (e) => e.id },
        { header: 'MESSAGE', cell: (e) => e.message },
      ],
      csv: [
        { name: 'time', value: (e) => toUtcText(e.at) },
        { name: 'used', value: (e) => String(verdict?.evidence.includes(e.id) ?? false) },
        { name: 'kind', value: (e) => e.about.kind },
        { name: 'namespace', value: (e) => e.about.namespace },
        { name: 'name', value: (e) => e.about.name },
        { name: 'what', value: (e) => e.what },
        { name: 'reason', value: (e) => e.reason },
        { name: 'by', value: (e) => e.by },
        { name: 'count', value: (e) => String(e.count) },
        { name: 'id', value: (e) => e.id },
        { name: 'message', value: (e) => e.message },
      ],
      json: (e) => document.evidence.find(({ id }) => id === e.id),
      // One question has one answer: one line.
      lines: [document],
      name: (e) => `evidence/${e.id}`,
    };
    const { answer } = found;
    // Before everything else: what follows is not about the instant that was asked about.
    if (answer?.answer === 'free' && found.life !== undefined)
      await cli.note(`nobody held ${answer.ip} at ${showTime(at, print.zone)}: this is about who had it last before`);
    await printListing(listing, print);
    const warning = gapWarning(found.watching, print.zone);
    if (warning !== undefined) await cli.note(warning);
    if (found.life === undefined) return await sayNone(cli, ledger, asked, found, print.zone);
    const others = othersText(found, print.zone);
    if (others !== undefined) await cli.note(others);
    return EXIT.answered;
  });
}

/** What is known instead, and what to ask. */
async function sayNone(cli: Cli, ledger: OpenLedger, asked: Asked, { answer, watching }: ExplainFound, zone: Zone) {
  if (answer !== undefined) {
    const held = answer.holders[0] ?? answer.last;
    await cli.note(held === undefined ? answerSentence(answer, watching, zone) : notRecorded(held));
    return answer.answer === 'unknown' ? EXIT.unknown : EXIT.none;
  }
  if (!isNamed(asked)) {
    await cli.note(`there is no record of the life of ${subjectPhrase(asked)}`);
    return EXIT.none;
  }
  const search = searchOf(cli, ledger);
  const never = await neverSeenPod(search, asked);
  // Nodes are seen by who may see everything.
  const maySeeNodes = search.visibility.kind === 'all';
  const isNode = maySeeNodes && never !== undefined && (await neverSeenNode(search, asked.name)) === undefined;
  if (isNode) {
    await cli.note(
      `${asked.name} is a node, and no pod: podtrail node ${asked.name} --since 1h says who came and left, and why`,
    );
  } else {
    await cli.note(
      never ?? `the life of ${subjectPhrase(asked)} was not recorded, or has expired: why it ended is not known`,
    );
  }
  return EXIT.none;
}

function notRecorded({ namespace, name }: Holder): string {
  return `it was held by ${namespace}/${name}, whose life was not recorded, or has expired: why it ended is not known`;
}

function aboutText({ about }: Evidence): string {
  return `${about.kind}/${about.name}`;
}
