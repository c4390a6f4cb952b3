// `podtrail trail`: where a pod, a workload or an address was, life by life.
import {
  type Boundary,
  type Holder,
  type Snapshot,
  type Span,
  type TrailEntry,
  tenuresOfIp,
  trail,
  withSnapshot,
} from '@podtrail/history';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import { collect, type Found, notePaging, type PagingOptions, pagingJson, withPaging } from '../options/paging.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { spanOf } from '../options/span.ts';
import { type Asked, isNamed, parseSubject, SUBJECT_HELP, subjectPhrase } from '../options/subject.ts';
import { type Listing, printListing } from '../output/print.ts';
import { showBoundary, toUtcText } from '../times/show-time.ts';
import { boundaryJson, holderJson, holderName, provenanceText, workloadText } from '../views/holder.ts';
import { neverSeenPod, searchOf } from '../views/never-seen.ts';
import { endText, gapWarning, lastedText, readWatching, watchingJson } from '../views/watched.ts';

interface TrailOptions extends SharedOptions, PagingOptions {}

/** One holder with one address; without one for a pod that had none of its own. */
interface Stay {
  readonly holder: Holder;
  readonly ip: string;
  readonly start: Boundary;
  readonly end: Boundary | undefined;
}

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

Examples:
  podtrail trail cart-7d9-x2k -n shop
  podtrail trail deploy/cart -n shop --since 24h
  podtrail trail 10.1.2.3 --since 2026-11-15 -o csv`,
    )
    .action(cli.does((what: string, options: TrailOptions) => run(cli, what, options)));
}

async function run(cli: Cli, what: string, options: TrailOptions) {
  const print = cli.print(options);
  const asked = await parseSubject(what, () => cli.namespace(options));
  const span = await spanOf(cli, options);
  return await cli.withLedger(options, async (ledger) => {
    const { engine, cluster } = ledger;
    const { found, watching } = await withSnapshot(engine, cluster.id, async (snapshot) => ({
      found: await readStays(snapshot, asked, span, options),
      watching: await readWatching(snapshot, span, cli.now),
    }));
    const stays = found.items;
    const query = { cluster: cluster.name, clusterId: cluster.id, ...asked, ...spanJson(options, span) };
    const listing: Listing<Stay> = {
      rows: stays,
      document: { query, stays: stays.map(stayJson), ...pagingJson(found), coverage: watchingJson(watching) },
      columns: [
        { header: 'NAMESPACE', cell: (s) => s.holder.namespace },
        { header: 'NAME', cell: (s) => s.holder.name },
        { header: 'IP', cell: (s) => s.ip },
        { header: 'NODE', cell: (s) => s.holder.node },
        { header: 'WORKLOAD', cell: (s) => workloadText(s.holder) },
        { header: 'FROM', cell: (s) => showBoundary(s.start, print.zone) },
        { header: 'TO', cell: (s) => endText(s.end, watching, cli.now, print.zone) },
        { header: 'HELD', cell: (s) => lastedText(s, watching, cli.now) },
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
      ],
      json: stayJson,
      name: (s) => holderName(s.holder),
    };
    await printListing(listing, print);
    if (stays.length === 0) {
      const never = isNamed(asked) ? await neverSeenPod(searchOf(cli, ledger), asked) : undefined;
      await cli.note(never ?? `there is no record of ${subjectPhrase(asked)} in that time`);
    }
    await notePaging(cli, found);
    const warning = gapWarning(watching, print.zone);
    if (warning !== undefined) await cli.note(warning);
    return stays.length === 0 ? EXIT.none : EXIT.answered;
  });
}

async function readStays(snapshot: Snapshot, asked: Asked, span: Span, paging: PagingOptions): Promise<Found<Stay>> {
  if (asked.by === 'ip') {
    return await collect(paging, (page) => tenuresOfIp(snapshot, { ip: asked.ip, span, page }));
  }
  if (asked.by === 'service') {
    const { namespace, name } = asked;
    return await collect(
      paging,
      ({ limit = 0, cursor }) => snapshot.tenuresOf({ by: 'name', namespace, name }, span, { limit, cursor }),
      ({ holder }) => holder.kind === 'Service',
    );
  }
  const { items, cursor } = await collect(paging, (page) => trail(snapshot, { subject: asked, span, page }));
  return { items: items.flatMap(staysOf), cursor };
}

/** A pod with several addresses has several lines, one without has one. */
function staysOf({ pod, start, end, tenures }: TrailEntry): Stay[] {
  return tenures.length === 0 ? [{ holder: pod, ip: '', start, end }] : [...tenures];
}

function stayJson({ holder, ip, start, end }: Stay) {
  return { ...holderJson(holder), ip: ip === '' ? null : ip, start: boundaryJson(start), end: boundaryJson(end) };
}

/** The times that were asked for; left out where none was. */
export function spanJson(options: SharedOptions, { from, to }: Span) {
  return {
    since: options.since === undefined ? null : toUtcText(from),
    until: options.until === undefined ? null : toUtcText(to),
  };
}
