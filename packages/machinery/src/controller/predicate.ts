// Which deltas of a followed informer ask for a pass. Given to `Controller.follow`; pure.
import type { ObjectDelta } from '../informer/delta.ts';
import type { Cacheable } from '../objects/kube-object.ts';

export type Predicate<T extends Cacheable> = (delta: ObjectDelta<T>) => boolean;

interface Versioned extends Cacheable {
  readonly metadata: Cacheable['metadata'] & { readonly generation?: number | undefined };
}

/** Not for updates that leave `metadata.generation` as it was: status writes, labels, annotations, reminders. */
export function generationChanged<T extends Versioned>(delta: ObjectDelta<T>): boolean {
  return delta.kind !== 'updated' || delta.object.metadata.generation !== delta.previous.metadata.generation;
}

/** Only where one of them wants it. */
export function anyOf<T extends Cacheable>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (delta) => predicates.some((predicate) => predicate(delta));
}
