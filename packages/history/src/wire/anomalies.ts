// What Kubernetes should not have reported: a pod that changed its node, a clock that cannot be right, a text that is no
// address.

import { typeOf } from '../engines/occurrences/registry.ts';
import type { Cluster, Paged, Snapshot } from '../engines/snapshot.ts';
import type { Anomaly } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import { checkedPage, checkedSpan } from '../query/limits.ts';
import { type AskedSpan, clusterDocument, spanDocument } from './asked.ts';
import { evidenceDocument } from './holder.ts';
import { narrowedDocument, type Visibility } from './narrowed.ts';
import { collect, type Paging, pagingDocument } from './paging.ts';
import type { AnomaliesDocument, AnomalyDocument } from './schemas/index.ts';
import { readWatching, type Watching, watchingDocument } from './watching.ts';

export interface AnomaliesAsked {
  readonly span: AskedSpan;
  readonly paging: Paging;
  readonly now: EpochMillis;
}

export interface AnomaliesFound {
  readonly anomalies: Paged<Anomaly>;
  readonly watching: Watching;
  readonly document: AnomaliesDocument;
}

export async function askAnomalies(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  { span, paging, now }: AnomaliesAsked,
): Promise<AnomaliesFound> {
  const anomalies = await collect(paging, {
    question: { listing: 'anomalies', cluster: cluster.id },
    placeOf: typeOf('anomaly').place,
    read: (page) => snapshot.occurrences({ kind: 'anomaly', span: checkedSpan(span), page: checkedPage(page) }),
    // Their records say in prose whom they are about: they are for who may see everything.
    wanted: visibility.kind === 'all' ? undefined : () => false,
  });
  const watching = await readWatching(snapshot, span, now);
  const document = {
    query: { ...clusterDocument(cluster), ...spanDocument(span) },
    ...narrowedDocument(visibility),
    anomalies: anomalies.items.map(anomalyDocument),
    ...pagingDocument(anomalies),
    coverage: watchingDocument(watching),
  };
  return { anomalies, watching, document };
}

export function anomalyDocument(anomaly: Anomaly): AnomalyDocument {
  const { what, uid, detail } = anomaly;
  return { what, uid, detail, evidence: evidenceDocument(anomaly) };
}
