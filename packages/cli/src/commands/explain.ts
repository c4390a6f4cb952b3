// `podtrail explain`: why a pod ended, with the evidence in the order of time.
import {
  askExplain,
  type Evidence,
  type ExplainFound,
  isNamed,
  neverSeenPod,
  parseSubject,
  subjectPhrase,
  withSnapshot,
} from '@podtrail/history/wire';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import { searchOf } from '../options/search.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { type Listing, printListing } from '../output/print.ts';
import { showDuration } from '../times/duration.ts';
import { showTime, toUtcText } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';
import { gapWarning } from '../views/watched.ts';

export function explainCommand(cli: Cli): Command {
  return cli
    .command('explain', 'Why did a pod end, or move? With the evidence.', [
      ...(['at', 'namespace', 'context', 'kubeconfig', 'timezone', 'cluster', 'store', 'output', 'headers'] as const),
    ])
    .argument('<pod>', 'web-1, pod/web-1, uid/UID, a bare UUID, or an address that it had')
    .addHelpText(
      'after',
      `
Of several lives of a name the one at --at is meant, else the last one before. The table lists what was said and done
about the pod, its node, its owners and its namespace, in the order of time; USED marks what the cause rests on. A cause
is "certain" where the API says so, and "inferred" where other things that happened then say so. docs/causes.md has
the list of causes. Exit code 3 when there is no record of such a pod.

Examples:
  podtrail explain cart-7d9-x2k -n shop
  podtrail explain 10.1.2.3 --at '15m ago'
  podtrail explain uid/5b0c1d9e-7f7a-4a53-9d0e-0d6e4c0f7a11 -o json`,
    )
    .action(cli.does((what: string, options: SharedOptions) => run(cli, what, options)));
}

async function run(cli: Cli, what: string, options: SharedOptions) {
  const print = cli.print(options);
  const asked = await parseSubject(what, () => cli.namespace(options));
  const at = await cli.at(options);
  return await cli.withLedger(options, async (ledger) => {
    const { engine, cluster } = ledger;
    const question = { asked, at, now: cli.now };
    const found = await withSnapshot(engine, cluster.id, (snapshot) =>
      askExplain(snapshot, cli.visibility, cluster, question),
    );
    const { document, evidence, verdict } = found;
    const listing: Listing<Evidence> = {
      rows: evidence,
      document,
      sentence: sentenceOf(found, print.zone, print.format === 'wide'),
      columns: [
        { header: 'TIME', cell: (e) => showTime(e.at, print.zone) },
        { header: 'USED', cell: (e) => (verdict?.evidence.includes(e.id) ? 'yes' : '') },
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
    await printListing(listing, print);
    const warning = gapWarning(found.watching, print.zone);
    if (warning !== undefined) await cli.note(warning);
    if (found.life !== undefined) return EXIT.answered;
    const never = isNamed(asked) ? await neverSeenPod(searchOf(cli, ledger), asked) : undefined;
    await cli.note(never ?? `there is no record of the life of ${subjectPhrase(asked)}`);
    return EXIT.none;
  });
}

function sentenceOf({ life, verdict, milestones, unwatched }: ExplainFound, zone: Zone, isWide: boolean) {
  if (life === undefined) return undefined;
  const { pod } = life;
  const name = `${pod.namespace}/${pod.name}${pod.node === '' ? '' : ` on ${pod.node}`}`;
  const cause =
    verdict === undefined
      ? `${name} has not ended.`
      : `${name} ${verdict.sentence} (${verdict.cause}, ${verdict.certainty})`;
  const lines = [cause];
  if (unwatched.length > 0) lines.push(`Nobody watched ${unwatched.join(', ')} then: evidence may be missing.`);
  if (isWide) {
    lines.push('');
    for (const { name: what, at, afterMs, detail } of milestones) {
      const after = afterMs === undefined || afterMs === 0 ? '' : `, after ${showDuration(afterMs)}`;
      lines.push(`  ${showTime(at, zone)}  ${what}${after}${detail === '' ? '' : `: ${detail}`}`);
    }
    for (const { container, reason, exitCode, at } of life.endings)
      lines.push(`  ${showTime(at, zone)}  container ${container} ended: ${reason}, exit code ${exitCode}`);
    lines.push(`  QoS class ${life.qosClass || 'unknown'}, priority ${life.priority}, ${life.restarts} restarts`);
  }
  return lines.join('\n');
}

function aboutText({ about }: Evidence): string {
  return `${about.kind}/${about.name}`;
}
