// What to say of a name for which there is no record: whether it was ever seen, and which name is the nearest. Reads the
// ledger for a bounded time; called only where nothing was found, so that it costs nobody who spelled it right.
import {
  allRecords,
  deserializeLive,
  epochMillis,
  type Holder,
  type LedgerReader,
  LONGEST_SPAN_MS,
  type Subject,
  withSnapshot,
} from '@podtrail/history';
import type { Clock } from '@podtrail/machinery';
import type { Cli, OpenLedger } from '../cli.ts';

export interface Search {
  readonly engine: LedgerReader;
  readonly cluster: string;
  readonly now: number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

export function searchOf({ now, commandEnv }: Cli, { engine, cluster }: OpenLedger): Search {
  return { engine, cluster: cluster.id, now, clock: commandEnv.clock };
}

/** Longer than this nobody waits for a suggestion; the ledger of a large cluster is not read to its end. */
const SEARCH_MS = 500;
const ALL_SINCE_MS = LONGEST_SPAN_MS - 1;

/** Undefined if it was seen at some time. */
export async function neverSeenNode(search: Search, node: string): Promise<string | undefined> {
  const { engine, cluster } = search;
  const found = await withSnapshot(engine, cluster, (snapshot) =>
    snapshot.placementsOn(node, always(search), { limit: 1 }),
  );
  if (found.items.length > 0) return undefined;
  const names = new Set<string>();
  await eachHolder(search, (holder) => {
    const name = holder.kind === 'Node' ? holder.name : holder.node;
    if (name !== '') names.add(name);
  });
  if (names.has(node)) return undefined;
  return sentence('node', node, nearest(node, names));
}

/** The same for a pod or a workload. */
export async function neverSeenPod(
  search: Search,
  asked: Exclude<Subject, { readonly by: 'uid' }>,
): Promise<string | undefined> {
  const { engine, cluster } = search;
  const placed = await withSnapshot(engine, cluster, (snapshot) =>
    snapshot.placementsOf(asked, always(search), { limit: 1 }),
  );
  if (placed.items.length > 0) return undefined;
  const { namespace, name } = asked;
  const names = new Set<string>();
  const elsewhere = new Set<string>();
  await eachHolder(search, (holder) => {
    if (holder.kind !== 'Pod') return;
    const found = nameOf(asked, holder);
    if (found === undefined) return;
    if (holder.namespace === namespace) names.add(found);
    else if (found === name) elsewhere.add(holder.namespace);
  });
  const what = asked.by === 'workload' ? asked.kind : 'pod';
  const [other] = [...elsewhere].sort();
  if (other !== undefined) {
    return `no such ${what} has ever been seen in namespace ${namespace}: ${name}; there is one in ${other}: add -n ${other}`;
  }
  return sentence(what, `${namespace}/${name}`, nearest(name, names));
}

function nameOf(asked: Exclude<Subject, { readonly by: 'uid' }>, { name, workload }: Holder): string | undefined {
  if (asked.by === 'name') return name;
  return workload?.kind === asked.kind ? workload.name : undefined;
}

function sentence(what: string, name: string, near: string | undefined): string {
  return `no such ${what} has ever been seen: ${name}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

function always({ now }: Search) {
  return { from: epochMillis(Math.max(0, now - ALL_SINCE_MS)), to: epochMillis(now + 1) };
}

/** Who lives now, then the records from the oldest on. */
async function eachHolder({ engine, cluster, clock }: Search, see: (holder: Holder) => void): Promise<void> {
  const until = clock.monotonic() + SEARCH_MS;
  const live = await withSnapshot(engine, cluster, (snapshot) => snapshot.liveStates());
  for (const state of live) see(deserializeLive(state).holder);
  for await (const fact of allRecords(engine, cluster)) {
    if (fact.kind === 'placement') see(fact.placement.pod);
    else if (fact.kind === 'tenure') see(fact.tenure.holder);
    if (clock.monotonic() > until) return;
  }
}

/** The name with the fewest letters to change, if they are few; or the one that begins so, if it is the only one. */
export function nearest(wanted: string, names: Iterable<string>): string | undefined {
  const most = Math.max(1, Math.floor(wanted.length / 4));
  const sorted = [...names].sort();
  let best: string | undefined;
  let least = most + 1;
  for (const name of sorted) {
    const changed = distance(wanted, name, least);
    if (changed < least) [best, least] = [name, changed];
  }
  if (best !== undefined) return best;
  const longer = sorted.filter((name) => name.startsWith(wanted) || wanted.startsWith(name));
  return longer.length === 1 ? longer[0] : undefined;
}

/** Letters to add, remove, replace or swap with their neighbour; `limit` or more is not counted to its end. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
