// From an object to the key of its owner, for `Controller.follow`: a change of what a controller made asks for a pass over
// what it was made for.
import type { Cacheable } from '../objects/kube-object.ts';
import type { KeysOf } from './controller.ts';

/** What ownerReferences are in views and in JSON alike. */
interface Owned extends Cacheable {
  readonly metadata: Cacheable['metadata'] & {
    readonly ownerReferences?: readonly {
      readonly apiVersion: string;
      readonly kind: string;
      readonly name: string;
      readonly controller?: boolean | undefined;
    }[];
  };
}

export interface OwnerKind {
  readonly group: string;
  readonly kind: string;
  /** True: the key of the owner has no namespace. Default false: an owner is in the namespace of what it owns. */
  readonly isClusterScoped?: boolean;
}

/** Keys of the owners of this kind that are the controller of the object: `namespace/name`, as `keyOf` makes them. */
export function ownedBy<T extends Owned>({ group, kind, isClusterScoped = false }: OwnerKind): KeysOf<T, string> {
  return ({ metadata: { namespace = '', ownerReferences = [] } }) =>
    ownerReferences
      .filter((owner) => owner.controller === true && owner.kind === kind && groupOf(owner.apiVersion) === group)
      .map(({ name }) => (isClusterScoped || namespace === '' ? name : `${namespace}/${name}`));
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}
