// Where a pod, a UID or all pods of a workload were within a span: one entry for each pod, with its node and addresses.
import type { Paged, Snapshot, Span, Subject } from '../engines/snapshot.ts';
import type { Boundary } from '../model/boundary.ts';
import type { Holder, Placement, Tenure } from '../model/records.ts';
import { checkedPage, checkedSpan, type PageRequest } from './limits.ts';

export interface TrailQuestion {
  readonly subject: Subject;
  readonly span: Span;
  readonly page?: PageRequest;
  /** Of others nothing more is read: a pod that may not be seen costs what one costs that is not there. */
  readonly isWanted?: ((placement: Placement) => boolean) | undefined;
}

export interface TrailEntry {
  readonly pod: Holder;
  /** On its node: from binding to its end. */
  readonly start: Boundary;
  readonly end: Boundary | undefined;
  /** The addresses that it had within the span, oldest first. */
  readonly tenures: readonly Tenure[];
}

/** A pod with more sandboxes than this is broken in other ways; the first ones are given. */
const MOST_TENURES_OF_A_POD = 1000;

export async function trail(snapshot: Snapshot, question: TrailQuestion): Promise<Paged<TrailEntry>> {
  const { subject, page = {} } = question;
  const span = checkedSpan(question.span);
  const { items, cursor } = await snapshot.placementsOf(subject, span, checkedPage(page));
  const entries: TrailEntry[] = [];
  for (const placement of items) {
    if (question.isWanted?.(placement) === false) continue;
    const { pod, start, end } = placement;
    const ofPod: Subject = { by: 'uid', uid: pod.uid };
    // On the host network it shows its node's address, and has none of its own.
    const { items: tenures } = pod.hostNetwork
      ? { items: [] }
      : await snapshot.tenuresOf(ofPod, span, { limit: MOST_TENURES_OF_A_POD });
    entries.push({ pod, start, end, tenures });
  }
  return { items: entries, cursor };
}
