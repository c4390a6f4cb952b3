// What changed between two instants: which pods came to a node, left it, or moved. A pod is another one by its UID; it moved
// if it has a successor: the pod that has its name, or one that its workload started meanwhile. That is counted, and not
// judged as `moves` does: who took whose place within a workload is a guess (`certain` says which).
import type { NodePods, PlacedPod } from '../query/nodes-at.ts';
import type { MovedDocument } from './schemas/index.ts';

export interface ComparedNode {
  arrived: number;
  left: number;
  stayed: number;
}

export interface Compared {
  readonly byNode: ReadonlyMap<string, ComparedNode>;
  readonly moved: readonly MovedDocument[];
  readonly isMore: boolean;
}

type Nodes = ReadonlyMap<string, NodePods>;

const MOST_MOVED = 2_000;
const CHANGES: readonly MovedDocument['change'][] = ['moved', 'left', 'arrived'];

/** In the order of time. */
export function comparedNodes(earlier: Nodes, later: Nodes): Compared {
  const byNode = new Map<string, ComparedNode>();
  const of = (node: string) => {
    let found = byNode.get(node);
    if (found === undefined) byNode.set(node, (found = { arrived: 0, left: 0, stayed: 0 }));
    return found;
  };
  for (const node of [...earlier.keys(), ...later.keys()]) of(node);
  const before = podsOf(earlier);
  const gone = new Map(before);
  const come: PlacedPod[] = [];
  for (const pod of podsOf(later).values()) {
    gone.delete(pod.uid);
    if (before.has(pod.uid)) of(pod.node).stayed++;
    else {
      of(pod.node).arrived++;
      come.push(pod);
    }
  }
  for (const pod of gone.values()) of(pod.node).left++;
  const moved = [...pairs([...gone.values()], come)].sort(compare);
  return { byNode, moved: moved.slice(0, MOST_MOVED), isMore: moved.length > MOST_MOVED };
}

function podsOf(nodes: Nodes): Map<string, PlacedPod> {
  const found = new Map<string, PlacedPod>();
  for (const { pods } of nodes.values()) for (const pod of pods) found.set(pod.uid, pod);
  return found;
}

function* pairs(gone: readonly PlacedPod[], come: readonly PlacedPod[]): Generator<MovedDocument> {
  const byName = groups(come, ({ namespace, name }) => `${namespace}/${name}`);
  const taken = new Set<PlacedPod>();
  const left: PlacedPod[] = [];
  for (const pod of gone) {
    const same = byName.get(`${pod.namespace}/${pod.name}`)?.find((other) => !taken.has(other));
    if (same === undefined) left.push(pod);
    else {
      taken.add(same);
      yield change('moved', pod, same, true);
    }
  }
  const byWorkload = groups(
    come.filter((pod) => !taken.has(pod)),
    placeKey,
  );
  for (const [key, some] of groups(left, placeKey)) {
    const others = (key === undefined ? [] : (byWorkload.get(key) ?? [])).toSorted(byStart);
    for (const [i, pod] of some.toSorted(byStart).entries()) {
      const other = others[i];
      if (other !== undefined) taken.add(other);
      yield other === undefined ? change('left', pod) : change('moved', pod, other, false);
    }
  }
  for (const pod of come) if (!taken.has(pod)) yield change('arrived', pod);
}

/** Where a successor is looked for: in the workload; of a DaemonSet on the same node only. */
function placeKey({ namespace, workload, node }: PlacedPod): string | undefined {
  if (workload === undefined) return undefined;
  const { kind, name } = workload;
  return JSON.stringify([namespace, kind, name, kind === 'DaemonSet' ? node : '']);
}

function groups<K>(pods: readonly PlacedPod[], keyOf: (pod: PlacedPod) => K): Map<K, PlacedPod[]> {
  return Map.groupBy(pods, keyOf);
}

function byStart(a: PlacedPod, b: PlacedPod): number {
  return a.start - b.start || order(a.uid, b.uid);
}

function change(what: MovedDocument['change'], pod: PlacedPod, to?: PlacedPod, certain = true): MovedDocument {
  const { namespace, name, uid, workload, node } = pod;
  const places = what === 'arrived' ? { from: null, to: node } : { from: node, to: to?.node ?? null };
  const successor = to === undefined ? null : { name: to.name, uid: to.uid };
  return { namespace, name, uid, workload: workload ?? null, ...places, change: what, successor, certain };
}

function compare(a: MovedDocument, b: MovedDocument): number {
  return (
    CHANGES.indexOf(a.change) - CHANGES.indexOf(b.change) ||
    order(a.namespace, b.namespace) ||
    order(a.name, b.name) ||
    order(a.uid, b.uid)
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
