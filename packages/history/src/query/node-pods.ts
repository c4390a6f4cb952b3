// Which pods were on a node, at an instant or within a span. A pod whose bounds only touch the instant may have been
// there: `certain` says which.
import type { Paged, Snapshot, Span } from '../engines/snapshot.ts';
import type { Placement } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { checkedPage, checkedSpan, type PageRequest } from './limits.ts';
import { lastSeen } from './watched-time.ts';
import { readWatchedTime } from './who.ts';

export interface NodePodsQuestion {
  readonly node: string;
  /** An instant, or a span. */
  readonly during: EpochMillis | Span;
  readonly page?: PageRequest;
}

export interface NodePod extends Placement {
  /** It was certainly there at the instant, or at some time within the span. */
  readonly certain: boolean;
}

export async function podsOnNode(snapshot: Snapshot, question: NodePodsQuestion): Promise<Paged<NodePod>> {
  const { node, during, page = {} } = question;
  const span = checkedSpan(typeof during === 'number' ? { from: during, to: epochMillis(during + 1) } : during);
  const { items, cursor } = await snapshot.placementsOn(node, span, checkedPage(page));
  const watched = await readWatchedTime(snapshot);
  const pods = items.map((placement) => {
    const { pod, start, end } = placement;
    return { ...placement, certain: wasCertainlyThere(start.notAfter, end?.notBefore, span, lastSeen(watched, pod)) };
  });
  return { items: pods, cursor };
}

/** `last`: until when anybody was watching its namespace. */
export function wasCertainlyThere(
  startNotAfter: number,
  endNotBefore: number | undefined,
  span: Span,
  last: EpochMillis | undefined,
): boolean {
  const from = Math.max(startNotAfter, span.from);
  // While it lasts, it was there as far as anybody was watching its namespace.
  const until = endNotBefore === undefined ? last : endNotBefore - 1;
  return from < span.to && until !== undefined && from <= until;
}
