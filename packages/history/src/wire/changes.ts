// Which annotations changed: of a pod, of the pods of a workload, or of all that the asker may see.

import { typeOf } from '../engines/occurrences/registry.ts';
import type { Cluster, ListOrder, Paged, Snapshot, Span, Subject } from '../engines/snapshot.ts';
import type { Change } from '../model/records.ts';
import { type EpochMillis, toText } from '../model/time.ts';
import { checkedPage } from '../query/limits.ts';
import { isChangeVisible } from '../query/visibility.ts';
import { type AskedPods, type AskedSpan, clusterDocument, spanDocument, subjectOf } from './asked.ts';
import { evidenceDocument } from './holder.ts';
import { narrowedDocument, type Visibility } from './narrowed.ts';
import { collect, type Paging, pagingDocument } from './paging.ts';
import type { ChangeDocument, ChangesDocument } from './schemas/index.ts';
import { namespaceOfSubject, visibleSpan } from './visible-span.ts';
import { readWatching, type Watching, watchingDocument } from './watching.ts';

export interface ChangesAsked {
  /** Undefined: all pods. */
  readonly asked: AskedPods | undefined;
  /** Only of this one; undefined: of all. */
  readonly namespace?: string | undefined;
  /** The oldest first unless it is said otherwise. */
  readonly order?: ListOrder | undefined;
  /** Only this annotation, and what was suppressed; undefined: all. */
  readonly key: string | undefined;
  readonly span: AskedSpan;
  readonly paging: Paging;
  readonly now: EpochMillis;
}

export interface ChangesFound {
  readonly changes: Paged<Change>;
  readonly watching: Watching;
  readonly document: ChangesDocument;
}

export async function askChanges(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  question: ChangesAsked,
): Promise<ChangesFound> {
  const { asked, namespace, key: wanted, span, paging, order, now } = question;
  const listed = order === 'newest' ? { order } : {};
  // Of a subject it is the same, and stands there.
  const among = asked === undefined && namespace !== undefined ? { namespace } : {};
  const bound = { listing: 'changes', cluster: cluster.id, ...asked, ...among, key: wanted, ...listed };
  const subject = asked === undefined ? undefined : subjectOf(asked);
  const read = { subject, namespace: namespace ?? asked?.namespace, key: wanted, span, paging, order, question: bound };
  const found = await readChanges(snapshot, visibility, read);
  const watching = await readWatching(snapshot, span, now, await snapshot.expired('change'));
  const document = {
    query: { ...clusterDocument(cluster), ...asked, ...among, key: wanted ?? null, ...listed, ...spanDocument(span) },
    ...narrowedDocument(visibility),
    changes: found.items.map(changeDocument),
    ...pagingDocument(found),
    coverage: watchingDocument(watching),
  };
  return { changes: found, watching, document };
}

export interface ChangesRead {
  /** Undefined: of all pods that the asker may see. */
  readonly subject: Subject | undefined;
  readonly namespace?: string | undefined;
  readonly order?: ListOrder | undefined;
  readonly key: string | undefined;
  readonly span: Span;
  readonly paging: Paging;
  /** What cursors are bound to. */
  readonly question: Readonly<Record<string, unknown>>;
}

export async function readChanges(
  snapshot: Snapshot,
  visibility: Visibility,
  { subject, namespace, key: wanted, span, paging, order, question }: ChangesRead,
): Promise<Paged<Change>> {
  const isWanted = ({ pod, key, suppressed }: Change) =>
    (namespace === undefined || pod.namespace === namespace) &&
    (wanted === undefined || suppressed !== undefined || key === wanted);
  const isAll = wanted === undefined && namespace === undefined && visibility.kind === 'all';
  const seen = visibleSpan(span, visibility, namespace ?? namespaceOfSubject(subject));
  return await collect(paging, {
    question,
    placeOf: typeOf('change').place,
    read: async (page) => {
      if (seen === undefined) return { items: [], cursor: undefined };
      return await snapshot.occurrences({ kind: 'change', subject, span: seen, page: checkedPage(page), order });
    },
    wanted: isAll ? undefined : (change) => isWanted(change) && isChangeVisible(visibility, change),
  });
}

export function changeKind({ before, after, suppressed }: Change): ChangeDocument['change'] {
  if (suppressed !== undefined) return 'suppressed';
  return before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
}

export function changeDocument(change: Change): ChangeDocument {
  const { pod, key, before, after, suppressed } = change;
  return {
    change: changeKind(change),
    namespace: pod.namespace,
    name: pod.name,
    pod: pod.name,
    uid: pod.uid,
    key,
    before: valueDocument(before),
    after: valueDocument(after),
    ...(suppressed === undefined ? {} : { suppressed: { ...suppressed, last: toText(suppressed.last) } }),
    evidence: evidenceDocument(change),
  };
}

function valueDocument(value: Change['before']): ChangeDocument['before'] {
  if (value === undefined) return null;
  return value.sha256 === undefined ? { text: value.text } : { text: value.text, cut: true, sha256: value.sha256 };
}
