// Which annotations of a pod, or of the pods of a workload, changed.

import { typeOf } from '../engines/occurrences/registry.ts';
import type { Cluster, Paged, Snapshot, Span, Subject } from '../engines/snapshot.ts';
import type { Change } from '../model/records.ts';
import { type EpochMillis, toText } from '../model/time.ts';
import { checkedPage, checkedSpan } from '../query/limits.ts';
import { isChangeVisible } from '../query/visibility.ts';
import { type AskedSpan, clusterDocument, spanDocument } from './asked.ts';
import { evidenceDocument } from './holder.ts';
import { narrowedDocument, type Visibility } from './narrowed.ts';
import { collect, type Paging, pagingDocument } from './paging.ts';
import type { ChangeDocument, ChangesDocument } from './schemas.ts';
import { readWatching, type Watching, watchingDocument } from './watching.ts';

export interface ChangesAsked {
  readonly asked: Subject;
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
  const { asked, key: wanted, span, paging, now } = question;
  const bound = { listing: 'changes', cluster: cluster.id, ...asked, key: wanted };
  const read = { subject: asked, key: wanted, span, paging, question: bound };
  const found = await readChanges(snapshot, visibility, read);
  const watching = await readWatching(snapshot, span, now, await snapshot.expired('change'));
  const document = {
    query: { ...clusterDocument(cluster), ...asked, key: wanted ?? null, ...spanDocument(span) },
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
  readonly key: string | undefined;
  readonly span: Span;
  readonly paging: Paging;
  /** What cursors are bound to. */
  readonly question: Readonly<Record<string, unknown>>;
}

export async function readChanges(
  snapshot: Snapshot,
  visibility: Visibility,
  { subject, key: wanted, span, paging, question }: ChangesRead,
): Promise<Paged<Change>> {
  const isWanted = ({ key, suppressed }: Change) => wanted === undefined || suppressed !== undefined || key === wanted;
  const isAll = wanted === undefined && visibility.kind === 'all';
  return await collect(paging, {
    question,
    placeOf: typeOf('change').place,
    read: (page) => snapshot.occurrences({ kind: 'change', subject, span: checkedSpan(span), page: checkedPage(page) }),
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
