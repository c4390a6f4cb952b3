// What a cache holds, as one hash: SHA-256 over one canonical line for each pod. The form of a line is written down in
// bench/README.md ("The same work"); bench/peers/go/sync/hash.go is its other half.
import { createHash } from 'node:crypto';
import type { PodView } from '@podtrail/machinery';

export function cacheHash(pods: Iterable<PodView>): string {
  const inOrder = [...pods].sort((a, b) => (a.metadata.uid < b.metadata.uid ? -1 : 1));
  const hash = createHash('sha256');
  for (const pod of inOrder) hash.update(`${canonicalLine(pod)}\n`);
  return hash.digest('hex');
}

/** Every field of the view, in the order in which it declares them. */
export function canonicalLine({ metadata, spec, status }: PodView): string {
  return JSON.stringify([
    metadata.name,
    metadata.namespace,
    metadata.uid,
    metadata.resourceVersion,
    metadata.generation,
    seconds(metadata.creationTimestamp),
    seconds(metadata.deletionTimestamp),
    metadata.deletionGracePeriodSeconds ?? null,
    pairs(metadata.labels),
    pairs(metadata.annotations),
    metadata.ownerReferences.map((o) => [o.apiVersion, o.kind, o.name, o.uid, o.controller]),
    metadata.finalizers,
    spec.nodeName,
    spec.hostNetwork,
    spec.priority ?? null,
    spec.priorityClassName,
    spec.terminationGracePeriodSeconds ?? null,
    status.phase,
    status.reason,
    status.message,
    status.qosClass,
    status.hostIP,
    status.podIP,
    status.podIPs,
    seconds(status.startTime),
    status.conditions.map((c) => [c.type, c.status, seconds(c.lastTransitionTime), c.reason, c.message]),
    status.terminations.map((t) => [
      t.container,
      t.kind,
      t.current,
      t.exitCode,
      t.signal,
      t.reason,
      t.message,
      seconds(t.startedAt),
      seconds(t.finishedAt),
      t.restartCount,
    ]),
    seconds(status.runningSince),
    status.creating,
  ]);
}

/** By the keys' UTF-16 units, which for ASCII is the order of their bytes. */
function pairs(of: Iterable<readonly [string, string]>): (readonly [string, string])[] {
  return [...of].sort(([a], [b]) => (a < b ? -1 : 1));
}

function seconds(at: number | undefined): number | null {
  return at === undefined ? null : at / 1000;
}
