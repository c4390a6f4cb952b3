// The part of a span of which an asker may see anything. Before it nothing is read: of a namespace that was created again,
// what its predecessor had costs nothing, however much there is of it; of one that is hidden or not there nothing is read.
import type { Span, Subject } from '../engines/snapshot.ts';
import { epochMillis } from '../model/time.ts';
import { checkedSpan } from '../query/limits.ts';
import { type Visibility, visibleSince } from '../query/visibility.ts';

/** Undefined: there is nothing to see. `namespace`: it is of that one alone. */
export function visibleSpan(span: Span, visibility: Visibility, namespace: string | undefined): Span | undefined {
  const { from, to } = checkedSpan(span);
  const since = visibleSince(visibility, namespace) ?? from;
  return since >= to ? undefined : { from: epochMillis(Math.max(from, since)), to };
}

/** Undefined: it says itself where it is, or there is none. */
export function namespaceOfSubject(subject: Subject | undefined): string | undefined {
  return subject === undefined || subject.by === 'uid' ? undefined : subject.namespace;
}
