// On which nodes a pod, or the pods of a workload, were: one record for each pod. `trail` has their addresses.
import { placementPlace } from '../engines/order.ts';
import type { Cluster, Paged, Snapshot, Subject } from '../engines/snapshot.ts';
import type { Placement } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import { checkedPage, checkedSpan } from '../query/limits.ts';
import { isHolderVisible } from '../query/visibility.ts';
import type { AskedSpan } from './asked.ts';
import type { Visibility } from './narrowed.ts';
import { collect, type Paging } from './paging.ts';
import { readWatching, type Watching } from './watching.ts';

export interface PlacementsAsked {
  readonly subject: Subject;
  readonly span: AskedSpan;
  readonly paging: Paging;
  readonly now: EpochMillis;
}

export interface PlacementsFound {
  readonly placements: Paged<Placement>;
  readonly watching: Watching;
}

export async function askPlacements(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  question: PlacementsAsked,
): Promise<PlacementsFound> {
  const placements = await listPlacements(snapshot, visibility, cluster, question);
  return { placements, watching: await readWatching(snapshot, question.span, question.now) };
}

/** Without what was watched: for whoever lists those of many pods. */
export async function listPlacements(
  snapshot: Snapshot,
  visibility: Visibility,
  { id }: Cluster,
  { subject, span, paging }: Omit<PlacementsAsked, 'now'>,
): Promise<Paged<Placement>> {
  return await collect(paging, {
    ...{ question: { listing: 'placements', cluster: id, ...subject }, placeOf: placementPlace },
    read: (page) => snapshot.placementsOf(subject, checkedSpan(span), checkedPage(page)),
    wanted: visibility.kind === 'all' ? undefined : ({ pod, start }) => isHolderVisible(visibility, pod, start),
  });
}
