// `podtrail moves`: which pods ended, why, and who took their place where.
import {
  askMoves,
  CAUSES,
  type Cause,
  type CauseChoice,
  chosenCauses,
  type Move,
  type MovesAsked,
  type MovesFound,
  moveDocument,
  nearest,
  neverSeenNode,
  type Paging,
} from '@podtrail/history/wire';
import { type Command, Option } from 'commander';
import type { Cli, OpenLedger } from '../cli.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { notePaging, type PagingOptions, withPaging } from '../options/paging.ts';
import { searchOf } from '../options/search.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { spanOf } from '../options/span.ts';
import { counted } from '../output/counted.ts';
import { type Listing, printListing } from '../output/print.ts';
import { askReplicas } from '../remote/ask-replicas.ts';
import { showDuration } from '../times/duration.ts';
import { showTime, toUtcText } from '../times/show-time.ts';
import { lifeColumns, nextText } from '../views/ending.ts';
import { holderName, workloadText } from '../views/holder.ts';
import { gapWarning } from '../views/watched.ts';

interface MovesOptions extends SharedOptions, PagingOptions {
  readonly cause?: readonly CauseChoice[];
  readonly selector?: string;
  readonly fromNode?: string;
  readonly toNode?: string;
  readonly order?: ListOrder;
}

/** Without a limit in time, a page of the oldest would be of last week. */
const WITHOUT_SINCE_MS = 86_400_000;

type ListOrder = NonNullable<MovesAsked['order']>;
const ORDERS: readonly ListOrder[] = ['oldest', 'newest'];

export function movesCommand(cli: Cli): Command {
  const command = cli
    .command('moves', 'Which pods ended, why, and who took their place where?', [
      ...(['since', 'until', 'onlyNamespace', 'allNamespaces', 'selector', 'timezone', 'cluster', 'store'] as const),
      ...(['output', 'headers'] as const),
    ])
    .addOption(
      new Option(
        '--cause <names>',
        "only these causes, joined by commas; with a ! before its name, not this one: '!Completed'",
      )
        .choices(CAUSES)
        .argParser((text, before: readonly CauseChoice[] = []) => [...before, ...text.split(',').map(choiceOf)]),
    )
    .option('--from-node <name>', 'only pods that were on this node')
    .option('--to-node <name>', 'only pods whose place was taken on this node')
    .addOption(
      new Option(
        '--order <which>',
        'which of them, where there are more than --limit; a table without --cursor has the newest, all else the oldest',
      ).choices(ORDERS),
    );
  return withPaging(command, 'print at most this many; 0 prints all')
    .addHelpText(
      'after',
      `
One line for each pod that began to end in that time, moved or not; without --since in the 24 hours before --until.
Where there are more than --limit, a table has the newest of them, and standard error says how to see the others. A
table is in the order of time: its last line is the newest. TO is <none> where nobody took its place, as far as is
known; a "?" behind TO is about the successor: another pod may have taken the place. CERTAIN is about the cause: "yes"
where what was recorded fits no other (the API or the audit log says it, or what its controller and the other pods of
its workload did), "no" where it is only the likeliest. -l selects by the labels that a pod had last, as kubectl does:
app=cart, 'tier in (web,api)', '!canary'; pods whose labels were not recorded are left out, and counted on standard
error.
docs/cli.md says what each cause means; podtrail explain POD shows the evidence of one. Exit code 3 when there is none
in that time. Some causes are not what their names may suggest:

  Evicted           through the Eviction API (a drain, an autoscaler). What kubectl shows as Evicted is NodePressure or
                    StorageLimit: its kubelet ended it.
  DeletedOnRequest  a person or a program (a custom controller) deleted it; without an audit log: no trace of another
                    cause was found.
  Restarted         by kubectl rollout restart; restarts of containers are no moves.

Examples:
  podtrail moves --since 1h
  podtrail moves --since 24h --cause Evicted,Preempted -n shop
  podtrail moves --since 24h --cause '!Completed,!JobCompleted,!Rollout'
  podtrail moves --since 24h -l 'app=cart,tier in (web,api)'
  podtrail moves --from-node worker-2 -o json`,
    )
    .action(cli.does((options: MovesOptions) => run(cli, options)));
}

async function run(cli: Cli, options: MovesOptions) {
  const print = cli.print(options);
  const span = await spanOf(cli, options, WITHOUT_SINCE_MS);
  if (options.since === undefined)
    await cli.noteAsked(
      `--since is not given: the 24 hours from ${toUtcText(span.from)} on; --since 168h shows a week`,
      options,
    );
  return await cli.askLedger(options, async (ledger) => {
    const namespace = options.allNamespaces === true ? undefined : options.namespace;
    const { fromNode, toNode, selector } = options;
    const causes = chosenCauses(options.cause);
    const isTable = print.format === 'table' || print.format === 'wide';
    const order = orderOf(options, isTable);
    const question = { span, paging: options, now: cli.now, causes, fromNode, toNode, namespace, selector, order };
    const found = await readMoves(cli, ledger, question);
    const { document, watching } = found;
    const isNarrowed = [causes, fromNode, toNode, namespace, selector].some((filter) => filter !== undefined);
    const moves = found.moves.items;
    const listing: Listing<Move> = {
      rows: isTable && order === 'newest' ? moves.toReversed() : moves,
      document,
      columns: [
        { header: 'TIME', cell: (m) => showTime(m.departure.at, print.zone) },
        { header: 'NAMESPACE', cell: (m) => m.from.pod.namespace },
        { header: 'NAME', cell: (m) => m.from.pod.name },
        { header: 'FROM', cell: (m) => m.from.pod.node },
        { header: 'TO', cell: (m) => nextText(m.to) },
        { header: 'CAUSE', cell: (m) => m.verdict.cause },
        { header: 'CERTAIN', cell: (m) => (m.verdict.certainty === 'certain' ? 'yes' : 'no') },
        { header: 'DOWN', cell: (m) => (m.downtimeMs === undefined ? '' : showDuration(m.downtimeMs)) },
        { header: 'WORKLOAD', wide: true, cell: (m) => workloadText(m.from.pod) },
        { header: 'SUCCESSOR', wide: true, cell: (m) => m.to?.life.pod.name ?? '' },
        { header: 'FROM IPS', wide: true, cell: (m) => ips(m.addresses.from).join(',') },
        { header: 'TO IPS', wide: true, cell: (m) => ips(m.addresses.to).join(',') },
        ...lifeColumns<Move>((m) => m.from, print.zone),
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
        { name: 'workload', value: (m) => workloadText(m.from.pod) },
      ],
      json: moveDocument,
      name: (m) => holderName(m.from.pod),
    };
    await printListing(listing, print);
    if (moves.length === 0) await cli.note(await whyNone(cli, ledger, [fromNode, toNode], isNarrowed));
    if (found.unjudged > 0)
      await cli.note(
        `of ${counted(found.unjudged, 'more pod')} the labels were not recorded: whether -l ${selector} selects them is not known`,
      );
    await noteMore(cli, found.moves, order);
    const warning = gapWarning(watching, print.zone);
    if (warning !== undefined) await cli.note(warning);
    return moves.length === 0 ? EXIT.none : EXIT.answered;
  });
}

/** People look at what happened last, and a cursor goes on where its page ended: those of before are of the oldest. */
function orderOf({ order, cursor, limit }: MovesOptions, isTable: boolean): ListOrder {
  return order ?? (isTable && cursor === undefined && limit > 0 ? 'newest' : 'oldest');
}

async function noteMore(cli: Cli, moves: MovesFound['moves'], order: ListOrder): Promise<void> {
  if (order === 'oldest' || moves.cursor === undefined) return await notePaging(cli, moves);
  const shown = `the newest ${moves.items.length} shown; earlier ones: add --order newest --cursor ${moves.cursor}`;
  await cli.note(`${shown}, or give a larger --limit`);
}

/** So many of all of them are read in one snapshot, which may not live as long as all of them take. */
const AT_ONCE = 500;

/** All of them page after page, each as the store is by then: what ends meanwhile may be missed, and nothing comes twice. */
async function readMoves(cli: Cli, ledger: OpenLedger, question: MovesAsked): Promise<MovesFound> {
  const ask = (paging: Paging) =>
    askReplicas(cli, ledger, (snapshot) => askMoves(snapshot, cli.visibility, ledger.cluster, { ...question, paging }));
  const { paging } = question;
  if (paging.limit > 0) return await ask(paging);
  const items: Move[] = [];
  const moves: MovesFound['document']['moves'][number][] = [];
  let unjudged = 0;
  for (let { cursor } = paging; ; ) {
    const page = await ask({ limit: AT_ONCE, cursor });
    items.push(...page.moves.items);
    moves.push(...page.document.moves);
    unjudged += page.unjudged;
    cursor = page.moves.cursor;
    if (cursor !== undefined) continue;
    const document = { ...page.document, moves, ...(question.selector === undefined ? {} : { unjudged }) };
    return { ...page, moves: { items, cursor: undefined }, unjudged, document };
  }
}

/** A node that was never seen may be mistyped. */
async function whyNone(
  cli: Cli,
  ledger: OpenLedger,
  nodes: readonly (string | undefined)[],
  isNarrowed: boolean,
): Promise<string> {
  for (const node of nodes) {
    const never = node === undefined ? undefined : await neverSeenNode(searchOf(cli, ledger), node);
    if (never !== undefined) return never;
  }
  return `there is no record of ${isNarrowed ? 'such a pod' : 'a pod'} that ended in that time`;
}

/** Shells read a `!` themselves: hence the quotes of the examples. */
function choiceOf(text: string): CauseChoice {
  const name = text.trim();
  return name.startsWith('!') ? `!${causeOf(name.slice(1))}` : causeOf(name);
}

function causeOf(text: string): Cause {
  const name = text.trim();
  const cause = CAUSES.find((one) => one.toLowerCase() === name.toLowerCase());
  if (cause !== undefined) return cause;
  const near = nearest(
    name.toLowerCase(),
    CAUSES.map((one) => one.toLowerCase()),
  );
  const meant = CAUSES.find((one) => one.toLowerCase() === near);
  const hint = `use one of ${CAUSES.join(', ')}.`;
  throw new UsageError(
    `--cause ${name || '""'} is not a cause${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    hint,
  );
}

function ips(tenures: Move['addresses']['from']): readonly string[] {
  return tenures.map(({ ip }) => ip);
}
