// Lanes on a time axis: who was on a node, of a workload, or had an address, from when to when, as columns that a page can
// parse and draw quickly. Where there are more intervals than are wanted, how many there were at a time instead. Streams
// through the ledger; no document is built for a record before it is known to be sent.
import type { Cluster, Snapshot } from '../engines/snapshot.ts';
import { type StayColumns, StayColumnsBuilder, type StayKind } from '../engines/stay-columns.ts';
import type { EpochMillis } from '../model/time.ts';
import { toText } from '../model/time.ts';
import { checkedPage, checkedSpan, LARGEST_PAGE } from '../query/limits.ts';
import { staysWithin } from '../query/stays-within.ts';
import { type Asked, type AskedSpan, clusterDocument, subjectOf } from './asked.ts';
import { GatheredStays } from './gathered-stays.ts';
import { type LaneKind, Lanes } from './lanes.ts';
import { narrowedDocument, type Visibility } from './narrowed.ts';
import type { TimelineDocument } from './schemas/index.ts';
import { openUntil, readWatching, watchingDocument } from './watching.ts';

export interface TimelineAsked {
  readonly by: LaneKind;
  readonly span: AskedSpan;
  /** Only of these; undefined: of all. */
  readonly asked: Asked | undefined;
  readonly node: string | undefined;
  readonly namespace: string | undefined;
  /** More intervals than this are counted, and not given. */
  readonly most: number;
  readonly buckets: number;
  readonly lanes: number;
  readonly now: EpochMillis;
}

export async function askTimeline(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  question: TimelineAsked,
): Promise<TimelineDocument> {
  const { by, span, asked, node, namespace, most, buckets, lanes: mostLanes, now } = question;
  const { from, to } = checkedSpan(span);
  const watching = await readWatching(snapshot, span, now);
  const lanes = new Lanes(by);
  const gathered = new GatheredStays({ visibility, span, node, namespace, lanes });
  for await (const stays of read(snapshot, question)) gathered.add(stays);
  // What lasts is drawn as far as it is known to.
  const known = Math.min(to, openUntil(watching, now) ?? from);
  const bucketMs = Math.max(1, Math.ceil((to - from) / buckets));
  const shown = lanes.shown(mostLanes);
  const intervals = gathered.intervals(shown, most);
  return {
    query: {
      ...clusterDocument(cluster),
      ...{ by, since: toText(from), until: toText(to), node: node ?? null, namespace: namespace ?? null },
      ...{ subject: asked ?? null, most, buckets, lanes: mostLanes },
    },
    ...narrowedDocument(visibility),
    base: from,
    detail: intervals === undefined ? 'density' : 'intervals',
    lanes: shown.documents,
    moreLanes: shown.isMore,
    ...(intervals ?? gathered.noIntervals()),
    density: gathered.density(shown, intervals === undefined, known, buckets),
    histogram: gathered.histogram(bucketMs, buckets),
    coverage: watchingDocument(watching),
  };
}

/** By address where lanes or the subject are addresses: only tenures have them. */
async function* read(snapshot: Snapshot, { by, asked, node, span }: TimelineAsked): AsyncGenerator<StayColumns> {
  const { from, to } = span;
  const within = { from, to };
  const kind: StayKind = by === 'ip' ? 'tenure' : 'placement';
  if (asked === undefined) {
    if (node === undefined || kind === 'tenure') yield* staysWithin(snapshot, kind, within);
    else yield* pages((page) => snapshot.placementsOn(node, within, page), addPlacement);
  } else if (asked.by === 'ip') {
    yield* pages((page) => snapshot.tenuresOfIp(asked.ip, within, page), addTenure);
  } else if (asked.by === 'service') {
    const { namespace, name } = asked;
    yield* pages(
      (page) => snapshot.tenuresOf({ by: 'name', namespace, name }, within, page),
      (builder, one) => {
        if (one.holder.kind === 'Service') addTenure(builder, one);
      },
    );
  } else if (kind === 'tenure') {
    yield* pages((page) => snapshot.tenuresOf(subjectOf(asked), within, page), addTenure);
  } else {
    yield* pages((page) => snapshot.placementsOf(subjectOf(asked), within, page), addPlacement);
  }
}

type Tenures = Awaited<ReturnType<Snapshot['tenuresOf']>>['items'];
type Placements = Awaited<ReturnType<Snapshot['placementsOf']>>['items'];

function addTenure(builder: StayColumnsBuilder, { holder, start, end, ip }: Tenures[number]): void {
  builder.add(holder, start, end, ip);
}

function addPlacement(builder: StayColumnsBuilder, { pod, start, end }: Placements[number]): void {
  builder.add(pod, start, end);
}

async function* pages<T>(
  read: (page: ReturnType<typeof checkedPage>) => Promise<{ items: readonly T[]; cursor: string | undefined }>,
  add: (builder: StayColumnsBuilder, item: T) => void,
): AsyncGenerator<StayColumns> {
  let cursor: string | undefined;
  do {
    const page: { items: readonly T[]; cursor: string | undefined } = await read(
      checkedPage({ limit: LARGEST_PAGE, cursor }),
    );
    const builder = new StayColumnsBuilder(page.items.length);
    for (const item of page.items) add(builder, item);
    yield builder.build();
    cursor = page.cursor;
  } while (cursor !== undefined);
}
