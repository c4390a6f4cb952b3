// Which pods were on a node, at an instant or within a span.

import { placementPlace } from '../engines/order.ts';
import type { Cluster, Paged, Snapshot, Span } from '../engines/snapshot.ts';
import { type EpochMillis, epochMillis, toText } from '../model/time.ts';
import { type NodePod, podsOnNode } from '../query/node-pods.ts';
import { isHolderVisible } from '../query/visibility.ts';
import { clusterDocument } from './asked.ts';
import { type Ending, endingDocument, NO_ENDING, readEndings } from './ending.ts';
import { boundaryDocument, endDocument, holderDocument } from './holder.ts';
import { narrowedDocument, type Visibility } from './narrowed.ts';
import { type NodeChange, nodeChangeDocument, readNodeChanges } from './node-changes.ts';
import { collect, type Paging, pagingDocument } from './paging.ts';
import type { NodeDocument, NodePodDocument } from './schemas/index.ts';
import { asFarAsKnown, readWatching, type Watching, watchingDocument } from './watching.ts';

export interface NodeAsked {
  readonly node: string;
  readonly during: { readonly at: EpochMillis } | Span;
  /** Only pods of this one; undefined: of all. */
  readonly namespace: string | undefined;
  readonly paging: Paging;
  readonly now: EpochMillis;
}

/** With why it left, and who took its place. */
export interface NodeStay extends NodePod {
  readonly ending: Ending;
}

export interface NodeFound {
  readonly pods: Paged<NodeStay>;
  /** Of a span: who of them came and who left, in the order of time. */
  readonly changes: readonly NodeChange[];
  readonly watching: Watching;
  readonly document: NodeDocument;
}

export async function askNode(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  question: NodeAsked,
): Promise<NodeFound> {
  const { node, during, namespace, paging, now } = question;
  const span = 'at' in during ? { from: during.at, to: epochMillis(during.at + 1), at: during.at } : during;
  const watching = await readWatching(snapshot, span, now);
  // Nothing is known of an instant that has not come, whatever a wrong clock had the store claim.
  const isFuture = 'at' in during && during.at > now;
  const known = asFarAsKnown(span, watching, now);
  const isAll = namespace === undefined && visibility.kind === 'all';
  const isWanted = ({ pod, start }: NodePod) =>
    (namespace === undefined || pod.namespace === namespace) && isHolderVisible(visibility, pod, start);
  const found = isFuture
    ? { items: [], cursor: undefined }
    : await collect(paging, {
        question: { listing: 'node', cluster: cluster.id, node, namespace },
        placeOf: placementPlace,
        read: (page) => podsOnNode(snapshot, { node, during: known, page }),
        wanted: isAll ? undefined : isWanted,
      });
  const ended = found.items.map(({ pod: holder, end }) => ({ holder, end }));
  const endings = await readEndings(snapshot, visibility, ended);
  const items = found.items.map((pod, i): NodeStay => ({ ...pod, ending: endings[i] ?? NO_ENDING }));
  const pods = { ...found, items };
  const changes = 'at' in during ? [] : await readNodeChanges(snapshot, visibility, items, during);
  const query = { ...clusterDocument(cluster), node, namespace: namespace ?? null };
  const document = {
    query:
      'at' in during
        ? { ...query, at: toText(during.at) }
        : { ...query, since: toText(during.from), until: toText(during.to) },
    ...narrowedDocument(visibility),
    pods: pods.items.map(nodePodDocument),
    ...('at' in during ? {} : { changes: changes.map(nodeChangeDocument) }),
    ...pagingDocument(pods),
    coverage: watchingDocument(watching),
  };
  return { pods, changes, watching, document };
}

export function nodePodDocument({ pod, start, end, certain, ending }: NodeStay): NodePodDocument {
  const times = { start: boundaryDocument(start), end: endDocument(end) };
  return { ...holderDocument(pod), certain, ...times, ...endingDocument(ending) };
}
