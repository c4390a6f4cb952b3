// An entry of status or of a slice as one string: JSON with its fields in a fixed order, so that equal entries are
// equal strings. A tracker of 100,000 pods is compared by them, and keeps one string for each instead of an object.
import type { NodeView, PodView } from '@podtrail/machinery';
import type { NodeEntry, PodEntry } from '../crds/tracked-entries.ts';

export type Packed = string;

/** Selected pods are listed while they have an address and have not ended. */
export function isListed(pod: PodView): boolean {
  const { phase } = pod.status;
  return phase !== 'Succeeded' && phase !== 'Failed' && addressesOf(pod).length > 0;
}

/** Whether the same would be listed of both: what most events of a pod leave untouched. */
export function sameListing(a: PodView, b: PodView): boolean {
  const before = addressesOf(a);
  const after = addressesOf(b);
  return (
    a.spec.nodeName === b.spec.nodeName &&
    a.status.phase === b.status.phase &&
    before.length === after.length &&
    before.every((address, i) => address === after[i])
  );
}

export function addressesOf({ status }: PodView): readonly string[] {
  if (status.podIPs.length > 0) return status.podIPs;
  return status.podIP === '' ? [] : [status.podIP];
}

export function packPod(pod: PodView): Packed {
  const ips = addressesOf(pod);
  const { name, namespace, creationTimestamp } = pod.metadata;
  return packPodEntry({
    podName: name,
    namespace,
    ip: ips[0] ?? '',
    ips: [...ips],
    nodeName: pod.spec.nodeName,
    ...(creationTimestamp === undefined ? {} : { creationTimestamp: kubernetesTime(creationTimestamp) }),
    phase: pod.status.phase,
  });
}

/** As it came from the server, whose field order is its own. */
export function packPodEntry(entry: PodEntry): Packed {
  const { podName, namespace, ip, ips, nodeName, creationTimestamp, phase } = entry;
  return JSON.stringify({ podName, namespace, ip, ips, nodeName, creationTimestamp, phase });
}

/** Whether the same would be listed of both; heartbeats, for one, change nothing here. */
export function sameNodeListing(a: NodeView, b: NodeView): boolean {
  return (
    a.status.capacity.equals(b.status.capacity) &&
    a.status.allocatable.equals(b.status.allocatable) &&
    addressOfNode(a) === addressOfNode(b)
  );
}

export function packNode(node: NodeView): Packed {
  const { capacity, allocatable } = node.status;
  return packNodeEntry({
    nodeIP: addressOfNode(node),
    ...(capacity.size === 0 ? {} : { capacity: capacity.toJSON() }),
    ...(allocatable.size === 0 ? {} : { allocatable: allocatable.toJSON() }),
  });
}

export function packNodeEntry({ nodeIP, capacity, allocatable }: NodeEntry): Packed {
  return JSON.stringify({ nodeIP, capacity: sorted(capacity), allocatable: sorted(allocatable) });
}

export function unpack<T extends PodEntry | NodeEntry>(packed: Packed): T {
  return JSON.parse(packed) as T;
}

/** RFC 3339 in whole seconds, as the API writes it. */
export function kubernetesTime(epochMillis: number): string {
  return `${new Date(epochMillis).toISOString().slice(0, 19)}Z`;
}

function addressOfNode({ status }: NodeView): string {
  const of = (type: string) => status.addresses.find((address) => address.type === type)?.address;
  return of('InternalIP') ?? of('ExternalIP') ?? '';
}

function sorted(quantities: Record<string, string> | undefined): Record<string, string> | undefined {
  if (quantities === undefined) return undefined;
  return Object.fromEntries(Object.entries(quantities).sort(([a], [b]) => (a < b ? -1 : 1)));
}
