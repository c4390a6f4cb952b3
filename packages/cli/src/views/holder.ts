// Holders and boundaries in words for people; the documents are the wire's.
import type { Boundary, Holder } from '@podtrail/history/wire';

/** `Deployment/cart`, or nothing for a pod of its own. */
export function workloadText({ workload }: Pick<Holder, 'workload'>): string {
  return workload === undefined ? '' : `${workload.kind}/${workload.name}`;
}

/** `pod/shop/cart-7d9-x2k`, `node/worker-2`: for `-o name`. */
export function holderName({ kind, namespace, name }: Pick<Holder, 'kind' | 'namespace' | 'name'>): string {
  return namespace === '' ? `${kind.toLowerCase()}/${name}` : `${kind.toLowerCase()}/${namespace}/${name}`;
}

/** `pod shop/cart-7d9-x2k on node worker-2 (Deployment cart)`. */
export function holderPhrase({ kind, namespace, name, node, workload }: Holder): string {
  const what = `${kind.toLowerCase()} ${namespace === '' ? name : `${namespace}/${name}`}`;
  const where = kind === 'Pod' && node !== '' ? ` on node ${node}` : '';
  return `${what}${where}${workload === undefined ? '' : ` (${workload.kind} ${workload.name})`}`;
}

/** Where a boundary comes from: `watch 1/4711`. */
export function provenanceText(boundary: Boundary | undefined): string {
  return boundary === undefined ? '' : `${boundary.source} ${boundary.epoch}/${boundary.resourceVersion}`;
}
