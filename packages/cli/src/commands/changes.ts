// `podtrail changes`: which annotations of a pod or a workload's pods changed, and when.
import {
  askChanges,
  type Change,
  changeDocument,
  changeKind,
  isNamed,
  neverSeenPod,
  parseSubject,
  subjectPhrase,
} from '@podtrail/history/wire';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { notePaging, type PagingOptions, withPaging } from '../options/paging.ts';
import { searchOf } from '../options/search.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { spanOf } from '../options/span.ts';
import { SUBJECT_HELP } from '../options/subject-help.ts';
import { type Listing, printListing } from '../output/print.ts';
import { askReplicas } from '../remote/ask-replicas.ts';
import { showTime, toUtcText } from '../times/show-time.ts';
import { holderName } from '../views/holder.ts';
import { gapWarning } from '../views/watched.ts';

interface ChangesOptions extends SharedOptions, PagingOptions {
  readonly key?: string;
}

export function changesCommand(cli: Cli): Command {
  const command = cli
    .command('changes', 'Which annotations of a pod or of the pods of a workload changed?', [
      ...(['namespace', 'since', 'until', 'timezone', 'cluster', 'store', 'context', 'kubeconfig'] as const),
      ...(['output', 'headers'] as const),
    ])
    .argument('<what>', 'POD, TYPE/NAME or a UID')
    .addOption(new Option('--key <key>', 'only this annotation'));
  return withPaging(command)
    .addHelpText(
      'after',
      `${SUBJECT_HELP}

Values over 4 KiB are kept as their beginning and a hash. kubectl.kubernetes.io/last-applied-configuration is not
recorded. Tables cut long values; -o wide and the other formats do not. Where a pod or its namespace had used up its
budget of an hour (record --change-budget-pod, --change-budget-namespace), one line counts what was not recorded, also
with --key.

Examples:
  podtrail changes cart-7d9-x2k -n shop --since 1h
  podtrail changes deploy/cart -n shop --key prometheus.io/scrape -o json`,
    )
    .action(cli.does((what: string, options: ChangesOptions) => run(cli, what, options)));
}

async function run(cli: Cli, what: string, options: ChangesOptions) {
  const print = cli.print(options);
  const asked = await parseSubject(what, () => cli.namespace(options), options.namespace);
  if (asked.by === 'ip') throw new UsageError('addresses have no annotations', 'ask `podtrail trail` who held it.');
  if (asked.by === 'service')
    throw new UsageError('annotations of Services are not recorded', 'ask about the pods behind it: deploy/NAME.');
  const span = await spanOf(cli, options);
  return await cli.askLedger(options, async ({ engine, cluster }) => {
    const question = { asked, key: options.key, span, paging: options, now: cli.now };
    const found = await askReplicas(cli, { engine, cluster }, (snapshot) =>
      askChanges(snapshot, cli.visibility, cluster, question),
    );
    const { document, watching } = found;
    const changes = found.changes.items;
    const isExpired = watching.gaps.some(({ reason }) => reason === 'removed');
    const wide = print.format === 'wide';
    const listing: Listing<Change> = {
      rows: changes,
      document,
      columns: [
        { header: 'SEEN', cell: (c) => showTime(c.observedAt, print.zone) },
        { header: 'NAMESPACE', cell: (c) => c.pod.namespace },
        { header: 'NAME', cell: (c) => c.pod.name },
        { header: 'CHANGE', cell: changeKind },
        { header: 'KEY', cell: keyText },
        { header: 'UID', wide: true, cell: (c) => c.pod.uid },
        { header: 'EVIDENCE', wide: true, cell: (c) => `${c.source} ${c.epoch}/${c.resourceVersion}` },
        { header: 'BEFORE', cell: (c) => valueText(c.before, wide) },
        { header: 'AFTER', cell: (c) => valueText(c.after, wide) },
      ],
      csv: [
        { name: 'seen', value: (c) => toUtcText(c.observedAt) },
        { name: 'namespace', value: (c) => c.pod.namespace },
        { name: 'pod', value: (c) => c.pod.name },
        { name: 'uid', value: (c) => c.pod.uid },
        { name: 'change', value: changeKind },
        { name: 'key', value: (c) => c.key },
        { name: 'before', value: (c) => c.before?.text ?? '' },
        { name: 'after', value: (c) => c.after?.text ?? '' },
        { name: 'suppressed', value: (c) => String(c.suppressed?.changes ?? '') },
      ],
      json: changeDocument,
      name: (c) => `${holderName(c.pod)}/${c.suppressed ? 'suppressed' : c.key}`,
    };
    await printListing(listing, print);
    if (changes.length === 0)
      await cli.note(
        (isNamed(asked) ? await neverSeenPod(searchOf(cli, { engine, cluster }), asked) : undefined) ??
          `there is no record of a change of ${subjectPhrase(asked)} in that time`,
      );
    await notePaging(cli, found.changes);
    const suppressed = changes.reduce((sum, change) => sum + (change.suppressed?.changes ?? 0), 0);
    if (suppressed > 0)
      await cli.note(`${suppressed} more changes were counted and not recorded: the budget of their hour was used up`);
    const warning = gapWarning(watching, print.zone);
    if (warning !== undefined) await cli.note(warning);
    if (changes.length > 0) return EXIT.answered;
    return isExpired ? EXIT.unknown : EXIT.none;
  });
}

/** Keys are never empty in Kubernetes. */
function keyText({ key, suppressed }: Change): string {
  if (suppressed === undefined) return key;
  return `<${suppressed.changes} ${suppressed.changes === 1 ? 'change' : 'changes'}>`;
}

const LONGEST_SHOWN = 40;

function valueText(value: Change['before'], whole: boolean): string {
  if (value === undefined) return '<none>';
  const text = value.sha256 === undefined ? value.text : `${value.text}… (sha256 ${value.sha256})`;
  if (text === '') return '""';
  return whole || text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN - 1)}…`;
}
