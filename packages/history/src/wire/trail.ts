// Where a pod, a workload, a Service or an address was, life by life.

import { placementPlace, tenurePlace } from '../engines/order.ts';
import type { Cluster, Paged, Snapshot } from '../engines/snapshot.ts';
import type { Boundary } from '../model/boundary.ts';
import type { Holder } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import { checkedPage, checkedSpan } from '../query/limits.ts';
import { type TrailEntry, type TrailQuestion, trail } from '../query/trail.ts';
import { isHolderVisible } from '../query/visibility.ts';
import { type Asked, type AskedSpan, clusterDocument, isWithin, spanDocument, subjectOf } from './asked.ts';
import { type Ending, endingDocument, NO_ENDING, readEndings } from './ending.ts';
import { boundaryDocument, endDocument, holderDocument } from './holder.ts';
import { narrowedDocument, type Visibility } from './narrowed.ts';
import { collect, type Paging, pagingDocument } from './paging.ts';
import type { StayDocument, TrailDocument } from './schemas/index.ts';
import { readWatching, type Watching, watchingDocument } from './watching.ts';

/** One holder with one address; without one for a pod that had none of its own. */
export interface Stay {
  readonly holder: Holder;
  readonly ip: string;
  readonly start: Boundary;
  readonly end: Boundary | undefined;
}

/** With why it ended, and who took its place. */
export interface ExplainedStay extends Stay {
  readonly ending: Ending;
}

export interface TrailAsked {
  readonly asked: Asked;
  readonly span: AskedSpan;
  readonly paging: Paging;
  readonly now: EpochMillis;
}

export interface TrailFound {
  readonly stays: Paged<ExplainedStay>;
  readonly watching: Watching;
  readonly document: TrailDocument;
}

export async function askTrail(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  question: TrailAsked,
): Promise<TrailFound> {
  const { asked, span, now } = question;
  const found = await askStays(snapshot, visibility, cluster, question);
  const endings = await readEndings(snapshot, visibility, found.items);
  const items = found.items.map((stay, i): ExplainedStay => ({ ...stay, ending: endings[i] ?? NO_ENDING }));
  const stays = { ...found, items };
  const watching = await readWatching(snapshot, span, now);
  const document = {
    query: { ...clusterDocument(cluster), ...asked, ...spanDocument(span) },
    ...narrowedDocument(visibility),
    stays: stays.items.map(stayDocument),
    ...pagingDocument(stays),
    coverage: watchingDocument(watching),
  };
  return { stays, watching, document };
}

/** The stays alone: without why they ended, and without what was watched. For whoever lists those of many pods. */
export async function askStays(
  snapshot: Snapshot,
  visibility: Visibility,
  { id }: Cluster,
  { asked, span, paging }: Omit<TrailAsked, 'now'>,
): Promise<Paged<Stay>> {
  const question = { listing: 'trail', cluster: id, ...asked };
  const isVisible = ({ holder, start }: Stay) => isHolderVisible(visibility, holder, start);
  if (asked.by === 'ip') {
    const { ip } = asked;
    return await collect(paging, {
      ...{ question, placeOf: tenurePlace, wanted: visibility.kind === 'all' ? undefined : isVisible },
      read: (page) => snapshot.tenuresOfIp(ip, checkedSpan(span), checkedPage(page)),
    });
  }
  if (asked.by === 'service') {
    const { namespace, name } = asked;
    return await collect(paging, {
      ...{ question, placeOf: tenurePlace },
      read: (page) => snapshot.tenuresOf({ by: 'name', namespace, name }, checkedSpan(span), checkedPage(page)),
      wanted: (stay) => stay.holder.kind === 'Service' && isVisible(stay),
    });
  }
  const isAll = visibility.kind === 'all' && (asked.by !== 'uid' || asked.namespace === undefined);
  const isWanted: TrailQuestion['isWanted'] = isAll
    ? undefined
    : ({ pod, start }) => isWithin(asked, pod) && isHolderVisible(visibility, pod, start);
  const { items, cursor } = await collect(paging, {
    ...{ question, placeOf: placementPlace },
    read: (page) => trail(snapshot, { subject: subjectOf(asked), span, page, isWanted }),
    wanted: isWanted,
  });
  return { items: items.flatMap(staysOf), cursor };
}

/** A pod with several addresses has several lines, one without has one. */
function staysOf({ pod, start, end, tenures }: TrailEntry): Stay[] {
  return tenures.length === 0 ? [{ holder: pod, ip: '', start, end }] : [...tenures];
}

export function stayDocument({ holder, ip, start, end, ending }: ExplainedStay): StayDocument {
  const address = { ip: ip === '' ? null : ip };
  const times = { start: boundaryDocument(start), end: endDocument(end) };
  return { ...holderDocument(holder), ...address, ...times, ...endingDocument(ending) };
}
