// Who came to a node within a span and who left it, in the order of time, and why: of an arrival whose place the pod took
// and why that was free, of a departure why, and where its successor went.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import { type Move, Predecessors, type Verdict } from '../explain/index.ts';
import type { Boundary } from '../model/boundary.ts';
import type { Holder } from '../model/records.ts';
import { toText } from '../model/time.ts';
import type { Visibility } from '../query/visibility.ts';
import { type Ending, successorDocument } from './ending.ts';
import { holderDocument } from './holder.ts';
import type { NodeChangeDocument } from './schemas/index.ts';

interface NodeStay {
  readonly pod: Holder;
  readonly start: Boundary;
  readonly end: Boundary | undefined;
  readonly ending: Ending;
}

export type NodeChange =
  | {
      readonly change: 'arrived';
      readonly pod: Holder;
      readonly when: Boundary;
      /** The move that it is the end of; undefined where it took nobody's place, as far as is known. */
      readonly cameFrom: Move | undefined;
    }
  | { readonly change: 'left'; readonly pod: Holder; readonly when: Boundary; readonly ending: Ending };

export async function readNodeChanges(
  snapshot: Snapshot,
  visibility: Visibility,
  stays: readonly NodeStay[],
  span: Span,
): Promise<NodeChange[]> {
  const predecessors = new Predecessors(snapshot, visibility);
  const changes: NodeChange[] = [];
  for (const { pod, start, end, ending } of stays) {
    if (isWithin(start, span)) {
      const cameFrom = ending.life === undefined ? undefined : await predecessors.of(ending.life);
      changes.push({ change: 'arrived', pod, when: start, cameFrom });
    }
    if (end !== undefined && isWithin(end, span)) changes.push({ change: 'left', pod, when: end, ending });
  }
  return changes.sort((a, b) => a.when.at - b.when.at);
}

function isWithin({ at }: Boundary, { from, to }: Span): boolean {
  return at >= from && at < to;
}

/** Why a pod came or left; undefined where that is not known. */
export function changeVerdict(change: NodeChange): Verdict | undefined {
  return change.change === 'arrived' ? change.cameFrom?.verdict : change.ending.verdict;
}

/** `took the place of shop/cart-1 on worker-2, which was evicted.` for an arrival. */
export function changeSentence(change: NodeChange): string | undefined {
  if (change.change === 'left') return change.ending.verdict?.sentence;
  if (change.cameFrom === undefined) return undefined;
  const { from, verdict } = change.cameFrom;
  const { namespace, name, node } = from.pod;
  return `took the place of ${namespace}/${name}${node === '' ? '' : ` on ${node}`}, which ${verdict.sentence}`;
}

export function nodeChangeDocument(change: NodeChange): NodeChangeDocument {
  const verdict = changeVerdict(change);
  const missing = change.change === 'left' ? change.ending.missing : undefined;
  const cameFrom = change.change === 'arrived' ? change.cameFrom : undefined;
  return {
    ...{ at: toText(change.when.at), change: change.change, ...holderDocument(change.pod) },
    predecessor:
      cameFrom === undefined
        ? null
        : { ...holderDocument(cameFrom.from.pod), certain: cameFrom.to?.certainty === 'certain' },
    successor: change.change === 'left' ? successorDocument(change.ending.to) : null,
    cause: verdict?.cause ?? null,
    certainty: verdict?.certainty ?? null,
    sentence: changeSentence(change) ?? null,
    ...(verdict?.actor === undefined ? {} : { actor: verdict.actor }),
    ...(missing === undefined ? {} : { causeMissing: missing }),
  };
}
