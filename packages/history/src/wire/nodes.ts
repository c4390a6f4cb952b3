// All nodes at an instant: how many pods were on each, of which workloads, and why pods left it shortly before; and, beside
// another instant, what changed from the earlier to the later.
import type { Cluster, Snapshot, Span } from '../engines/snapshot.ts';
import { type EpochMillis, epochMillis, toText } from '../model/time.ts';
import { checkedSpan } from '../query/limits.ts';
import { type NodePods, nodesAt } from '../query/nodes-at.ts';
import { clusterDocument } from './asked.ts';
import { comparedNodes } from './compared-nodes.ts';
import { textOrNull } from './holder.ts';
import { narrowedDocument, type Visibility } from './narrowed.ts';
import { readNodeDepartures } from './node-departures.ts';
import type { NodesDocument } from './schemas/index.ts';
import { asFarAsKnown, readWatching, type Watching, watchingDocument } from './watching.ts';

export interface NodesAsked {
  readonly at: EpochMillis;
  /** Another instant, earlier or later. */
  readonly against: EpochMillis | undefined;
  readonly namespace: string | undefined;
  /** Whose pods are counted on each node, too: `shop/Deployment/cart`. */
  readonly workload: string | undefined;
  /** How many milliseconds before `at` departures are counted. */
  readonly windowMs: number;
  readonly now: EpochMillis;
}

/** Of each node; its other pods are counted without their workloads. */
const MOST_WORKLOADS = 12;

interface WorkloadCount {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  pods: number;
}

export async function askNodes(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  { at, against, namespace, workload, windowMs, now }: NodesAsked,
): Promise<NodesDocument> {
  const [first, last] = [Math.min(at, against ?? at), Math.max(at, against ?? at)];
  const asked = checkedSpan({ from: epochMillis(first), to: epochMillis(last + 1) });
  const watching = await readWatching(snapshot, { ...asked, at: epochMillis(last) }, now);
  const rest = { namespace, visibility };
  const read = (instant: EpochMillis) => podsThen(snapshot, rest, instant, watching, now);
  const nodes = await read(at);
  const other = against === undefined ? undefined : await read(against);
  const [earlier, later] = against !== undefined && against < at ? [other, nodes] : [nodes, other];
  const compared = earlier === undefined || later === undefined ? undefined : comparedNodes(earlier, later);
  const window = { from: epochMillis(Math.max(0, at - windowMs + 1)), to: epochMillis(at + 1) };
  const departures = await readNodeDepartures(snapshot, { ...rest, span: windowMs === 0 ? NO_TIME : window });
  // Nodes are named by pods that the asker may see, or seen by who may see all.
  const names = new Set([...nodes.keys(), ...(other?.keys() ?? []), ...departures.byNode.keys()]);
  const wanted = workload === undefined ? undefined : keyOfText(workload);
  const all = new Map<string, WorkloadCount>();
  return {
    query: {
      ...clusterDocument(cluster),
      ...{ at: toText(at), against: textOrNull(against), namespace: namespace ?? null },
      ...{ workload: workload ?? null, window: windowMs / 1000 },
    },
    ...narrowedDocument(visibility),
    nodes: [...names].sort().map((node) => {
      const { causes = {}, unjudged = 0 } = departures.byNode.get(node) ?? {};
      return {
        ...{ node, ...podsDocument(nodes.get(node), wanted, all) },
        ...{ departures: causes, departuresUnjudged: unjudged },
        compared: compared === undefined ? null : (compared.byNode.get(node) ?? { arrived: 0, left: 0, stayed: 0 }),
      };
    }),
    workloads: largestFirst(all),
    departuresComplete: departures.isComplete,
    moved: compared?.moved ?? null,
    movedMore: compared?.isMore ?? false,
    coverage: watchingDocument(watching),
  };
}

const NO_TIME: Span = { from: epochMillis(0), to: epochMillis(0) };

async function podsThen(
  snapshot: Snapshot,
  rest: { readonly namespace: string | undefined; readonly visibility: Visibility },
  at: EpochMillis,
  watching: Watching,
  now: EpochMillis,
): Promise<Map<string, NodePods>> {
  // Nothing is known of an instant that has not come, whatever a wrong clock had the store claim.
  if (at > now) return new Map();
  const span = asFarAsKnown({ from: at, to: epochMillis(at + 1) }, watching, now);
  return await nodesAt(snapshot, { ...rest, span });
}

/** `wanted`: the key of the workload whose pods are counted. Adds the workloads of the node to `all`. */
function podsDocument(
  { pods, inDoubt, hostNetwork }: NodePods = { pods: [], inDoubt: 0, hostNetwork: 0 },
  wanted: string | undefined,
  all: Map<string, WorkloadCount>,
) {
  const counted = new Map<string, WorkloadCount>();
  for (const { namespace, workload } of pods)
    if (workload !== undefined) addTo(counted, { namespace, kind: workload.kind, name: workload.name, pods: 1 });
  for (const one of counted.values()) addTo(all, one);
  const workloads = largestFirst(counted).slice(0, MOST_WORKLOADS);
  const otherPods = pods.length - workloads.reduce((sum, one) => sum + one.pods, 0);
  const workloadPods = wanted === undefined ? null : (counted.get(wanted)?.pods ?? 0);
  return { pods: pods.length, inDoubt, hostNetwork, workloads, otherPods, workloadPods };
}

function keyOf({ namespace, kind, name }: WorkloadCount): string {
  return `${namespace}/${kind.toLowerCase()}/${name}`;
}

/** A kind is written in any case: a count of 0 would be believed. */
function keyOfText(text: string): string {
  const [namespace = '', kind = '', name = ''] = text.split('/');
  return keyOf({ namespace, kind, name, pods: 0 });
}

function addTo(counts: Map<string, WorkloadCount>, one: WorkloadCount): void {
  const key = keyOf(one);
  const known = counts.get(key);
  if (known === undefined) counts.set(key, { ...one });
  else known.pods += one.pods;
}

function largestFirst(counts: ReadonlyMap<string, WorkloadCount>): readonly WorkloadCount[] {
  return [...counts].sort(([a, one], [b, other]) => other.pods - one.pods || (a < b ? -1 : 1)).map(([, one]) => one);
}
