// Which pods were on which node at an instant, of all nodes at once. A pod whose bounds only touch the instant may have been
// there: it is counted as in doubt. Read in columns; a pod is kept as few fields as comparing two instants needs.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import {
  hasWorkloadAt,
  isHostNetworkAt,
  kindAt,
  namespaceAt,
  nodeAt,
  SHARED,
  type StayColumns,
  TIMES,
} from '../engines/stay-columns.ts';
import type { EpochMillis } from '../model/time.ts';
import { wasCertainlyThere } from './node-pods.ts';
import { staysWithin } from './stays-within.ts';
import { isHolderVisible, type Visibility } from './visibility.ts';
import { lastSeen } from './watched-time.ts';
import { readWatchedTime } from './who.ts';

export interface PlacedPod {
  readonly node: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Undefined: none. */
  readonly workload: { readonly kind: string; readonly name: string } | undefined;
  readonly start: number;
}

export interface NodePods {
  readonly pods: PlacedPod[];
  inDoubt: number;
  hostNetwork: number;
}

export interface NodesAtQuestion {
  /** An instant, or as little around it as is known. */
  readonly span: Span;
  readonly namespace: string | undefined;
  readonly visibility: Visibility;
}

/** By the name of the node. Nodes without pods are among them for who may see nodes. */
export async function nodesAt(snapshot: Snapshot, question: NodesAtQuestion): Promise<Map<string, NodePods>> {
  const { span, namespace: wanted, visibility } = question;
  const watched = await readWatchedTime(snapshot);
  const lastOf = new Map<string, EpochMillis | undefined>();
  const nodes = new Map<string, NodePods>();
  for await (const stays of staysWithin(snapshot, 'placement', span)) {
    const workloadOf = workloads(stays);
    for (let i = 0; i < stays.count; i++) {
      const namespace = namespaceAt(stays, i);
      const times = i * TIMES;
      const notBefore = stays.times[times + 1] as EpochMillis;
      if (wanted !== undefined && namespace !== wanted) continue;
      if (!isHolderVisible(visibility, { namespace }, { notBefore })) continue;
      if (!lastOf.has(namespace)) lastOf.set(namespace, lastSeen(watched, { kind: 'Pod', namespace }));
      const endNotBefore = stays.times[times + 4]!;
      const end = Number.isNaN(endNotBefore) ? undefined : endNotBefore;
      const found = nodeOf(nodes, nodeAt(stays, i));
      if (!wasCertainlyThere(stays.times[times + 2]!, end, span, lastOf.get(namespace))) found.inDoubt++;
      if (isHostNetworkAt(stays, i)) found.hostNetwork++;
      found.pods.push({
        ...{ node: nodeAt(stays, i), namespace, name: stays.names[i]!, uid: stays.uids[i]! },
        ...{ workload: workloadOf(i), start: stays.times[times]! },
      });
    }
  }
  if (visibility.kind !== 'all') return nodes;
  for await (const stays of staysWithin(snapshot, 'tenure', span)) {
    for (let i = 0; i < stays.count; i++) if (kindAt(stays, i) === 'Node') nodeOf(nodes, stays.names[i]!);
  }
  return nodes;
}

function nodeOf(nodes: Map<string, NodePods>, name: string): NodePods {
  let found = nodes.get(name);
  if (found === undefined) nodes.set(name, (found = { pods: [], inDoubt: 0, hostNetwork: 0 }));
  return found;
}

/** One object for all pods of a workload in a chunk. */
function workloads(stays: StayColumns): (i: number) => PlacedPod['workload'] {
  const known = new Map<number, NonNullable<PlacedPod['workload']>>();
  return (i) => {
    if (!hasWorkloadAt(stays, i)) return undefined;
    const [kind, name] = [stays.shared[i * SHARED + 2]!, stays.shared[i * SHARED + 3]!];
    const key = kind * stays.texts.length + name;
    let found = known.get(key);
    if (found === undefined) known.set(key, (found = { kind: stays.texts[kind]!, name: stays.texts[name]! }));
    return found;
  };
}
