// Whose pod it is: the controlling owner, and for a ReplicaSet the Deployment that its name gives away.
import type { Workload } from '../model/records.ts';
import type { ObservedMeta } from './observation.ts';

export function workloadOf({ ownerReferences, labels }: ObservedMeta): Workload | undefined {
  const owner = ownerReferences.find((o) => o.controller);
  if (owner === undefined) return undefined;
  const hash = labels.get('pod-template-hash');
  if (owner.kind === 'ReplicaSet' && hash !== undefined && hash !== '' && owner.name.endsWith(`-${hash}`)) {
    return { kind: 'Deployment', name: owner.name.slice(0, -hash.length - 1), inferred: true };
  }
  return { kind: owner.kind, name: owner.name, inferred: false };
}
