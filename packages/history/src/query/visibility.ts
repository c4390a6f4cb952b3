// What an asker may see of a ledger: all of it, or the namespaces in which it may list pods. Every question takes one.
// Whoever sees some namespaces only gets what the unrestricted answer says about those; records of others are in no
// document, count or cursor. That another holder exists is learned in one way only: where a visible pod showed an address
// and the answer about it is not `held`, or `unknown`, because somebody hidden had it, too (docs/adr/20261116-wire.md).
import type { Boundary } from '../model/boundary.ts';
import type { Change, Coverage, Holder } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';

export type Visibility =
  | { readonly kind: 'all' }
  | {
      readonly kind: 'namespaces';
      /**
       * The namespaces, each with the instant from which on its records may be seen: when the namespace that stands now
       * was created. Who may read a namespace may not read one of the same name that was deleted before it.
       */
      readonly since: ReadonlyMap<string, EpochMillis>;
    };

export const ALL_VISIBLE: Visibility = { kind: 'all' };

/**
 * The instant before which nothing is visible; undefined: there is none, everything may be. Infinity: nothing is visible at
 * all. With a namespace: of that one alone. Who reads no further back reads nothing in vain, and that of a namespace that
 * is hidden costs what one that is not there costs: nothing.
 */
export function visibleSince(visibility: Visibility, namespace?: string): number | undefined {
  if (visibility.kind === 'all') return undefined;
  const { since } = visibility;
  if (namespace !== undefined) return since.get(namespace) ?? Number.POSITIVE_INFINITY;
  let first = Number.POSITIVE_INFINITY;
  for (const instant of since.values()) first = Math.min(first, instant);
  return first;
}

/** Nodes are in no namespace: only who may see everything sees them. */
export function isHolderVisible(
  visibility: Visibility,
  { namespace }: Pick<Holder, 'namespace'>,
  { notBefore }: Pick<Boundary, 'notBefore'>,
): boolean {
  return visibility.kind === 'all' || isSince(visibility.since.get(namespace), notBefore);
}

export function isChangeVisible(visibility: Visibility, { pod, observedAt }: Change): boolean {
  return visibility.kind === 'all' || isSince(visibility.since.get(pod.namespace), observedAt);
}

/** Of a recorder that watches some namespaces only, those that the asker may know of. */
export function visibleScope(visibility: Visibility, scope: Coverage['scope']): Coverage['scope'] {
  if (visibility.kind === 'all' || scope.kind !== 'namespaces') return scope;
  return { ...scope, namespaces: scope.namespaces.filter((namespace) => visibility.since.has(namespace)) };
}

function isSince(since: EpochMillis | undefined, at: EpochMillis): boolean {
  return since !== undefined && at >= since;
}
