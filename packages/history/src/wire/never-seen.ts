// What to say of a name for which there is no record: whether it was ever seen, and which name is the nearest. Reads the
// ledger for a bounded time; called only where nothing was found, so that it costs nobody who wrote it right.
import type { LedgerReader, Subject } from '../engines/snapshot.ts';
import { allRecords, withSnapshot } from '../engines/with-snapshot.ts';
import type { Boundary } from '../model/boundary.ts';
import type { Holder } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { deserializeLive } from '../observe/live-state.ts';
import { LONGEST_SPAN_MS } from '../query/limits.ts';
import { isHolderVisible, type Visibility } from '../query/visibility.ts';
import { nearest } from './nearest.ts';

export interface Search {
  readonly reader: LedgerReader;
  readonly visibility: Visibility;
  readonly cluster: string;
  readonly now: EpochMillis;
  /** Milliseconds that only go up: how long it may take. */
  readonly monotonic: () => number;
}

/** Of one name; those of a namespace before this one may be hidden. */
const MOST_LIVES = 1000;
/** Longer than this nobody waits for a suggestion; the ledger of a large cluster is not read to its end. */
const SEARCH_MS = 500;
/** Of a holder that is neither on a node nor has an address yet, nothing says when it came. */
const NOT_PLACED = { notBefore: epochMillis(0) };
const ALL_SINCE_MS = LONGEST_SPAN_MS - 1;

/** Undefined if it was seen at some time. */
export async function neverSeenNode(search: Search, node: string): Promise<string | undefined> {
  const { reader, cluster } = search;
  // Nodes are seen by who may see everything.
  if (search.visibility.kind !== 'all') return undefined;
  const found = await withSnapshot(reader, cluster, (snapshot) =>
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
  const { reader, cluster } = search;
  const placed = await withSnapshot(reader, cluster, (snapshot) =>
    snapshot.placementsOf(asked, always(search), { limit: MOST_LIVES }),
  );
  if (placed.items.some(({ pod, start }) => isHolderVisible(search.visibility, pod, start))) return undefined;
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

/** Who lives now, then the records from the oldest on; of both what is visible. */
async function eachHolder(search: Search, see: (holder: Holder) => void): Promise<void> {
  const { reader, cluster, visibility, monotonic } = search;
  const until = monotonic() + SEARCH_MS;
  const seeVisible = (holder: Holder, start: Pick<Boundary, 'notBefore'>) => {
    if (isHolderVisible(visibility, holder, start)) see(holder);
  };
  const live = await withSnapshot(reader, cluster, (snapshot) => snapshot.liveStates());
  for (const state of live) {
    const { holder, placement, tenures } = deserializeLive(state);
    seeVisible(holder, placement?.start ?? tenures[0]?.start ?? NOT_PLACED);
  }
  for await (const fact of allRecords(reader, cluster)) {
    if (fact.kind === 'placement') seeVisible(fact.placement.pod, fact.placement.start);
    else if (fact.kind === 'tenure') seeVisible(fact.tenure.holder, fact.tenure.start);
    if (monotonic() > until) return;
  }
}
