// Holders and boundaries as the commands show them: the stable JSON of DESIGN's contract, and words for people.
import type { Boundary, Holder } from '@podtrail/history';
import { toUtcText } from '../times/show-time.ts';

/** `pod` is the holder's name, whatever its kind. */
export interface HolderJson {
  readonly kind: Holder['kind'];
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly node: string;
  readonly workload: { readonly kind: string; readonly name: string; readonly inferred?: true } | null;
  readonly hostNetwork: boolean;
}

export function holderJson({ kind, namespace, name, uid, node, workload, hostNetwork }: Holder): HolderJson {
  return {
    kind,
    namespace,
    pod: name,
    uid,
    node,
    workload: workload === undefined ? null : workloadJson(workload),
    hostNetwork,
  };
}

function workloadJson({ kind, name, inferred }: NonNullable<Holder['workload']>) {
  return inferred ? { kind, name, inferred: true as const } : { kind, name };
}

export function boundaryJson(boundary: Boundary | undefined) {
  if (boundary === undefined) return null;
  const { at, notBefore, notAfter, source } = boundary;
  return { at: toUtcText(at), notBefore: toUtcText(notBefore), notAfter: toUtcText(notAfter), source };
}

export function evidenceJson({
  source,
  epoch,
  resourceVersion,
  observedAt,
}: Omit<Boundary, 'at' | 'notBefore' | 'notAfter'>) {
  return { source, epoch, resourceVersion, observedAt: toUtcText(observedAt) };
}

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
