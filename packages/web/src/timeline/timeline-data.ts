// A document made ready to be drawn: intervals in order, lanes laid out, gaps and counts as numbers. Made once for each
// document. Pure.
import { type IntervalIndex, indexIntervals } from './interval-index.ts';
import { type LaneLayout, layOutLanes } from './lane-layout.ts';
import { COLOURS, seriesOf } from './series-colours.ts';
import type { TimelineDocument, TimelineLane } from './timeline-document.ts';

export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export interface Density {
  readonly bucketMs: number;
  /** Of lane n the cells from laneStarts[n] up to laneStarts[n + 1], in order of buckets. */
  readonly laneStarts: Int32Array;
  readonly bucket: Int32Array;
  readonly count: Int32Array;
  readonly most: number;
}

export interface TimelineData {
  readonly document: TimelineDocument;
  readonly index: IntervalIndex;
  readonly layout: LaneLayout;
  readonly density: Density | null;
  readonly gaps: readonly Gap[];
  /** What lasts is drawn as far as this: longer it is not known. */
  readonly openUntil: number;
  /** Of each holder: pattern × COLOURS + colour. */
  readonly series: Uint8Array;
  /** Those that have most pods, for a legend. */
  readonly workloads: readonly NamedSeries[];
}

export interface NamedSeries {
  readonly name: string;
  /** pattern × COLOURS + colour. */
  readonly series: number;
}

const MOST_NAMED = 12;

export function timelineData(given: TimelineDocument): TimelineData {
  const document = { ...given, lanes: distinctLanes(given.lanes) };
  const { coverage, detail } = document;
  const index = indexIntervals(document);
  const openUntil = coverage.to === null ? Date.parse(document.query.until) : Date.parse(coverage.to);
  return {
    ...{ document, index, layout: layOutLanes(index.laneRows), openUntil },
    density: detail === 'density' ? densityOf(document) : null,
    gaps: coverage.gaps.map(({ from, to, reason }) => ({
      ...{ from: Date.parse(from), to: to === null ? Number.POSITIVE_INFINITY : Date.parse(to), reason },
    })),
    ...seriesOfHolders(document),
  };
}

/** Pods that had one name after the other differ by the first letters of their UIDs, workloads by their kinds. */
function distinctLanes(lanes: readonly TimelineLane[]): readonly TimelineLane[] {
  const counts = new Map<string, number>();
  const key = ({ namespace, label }: TimelineLane) => `${namespace}/${label}`;
  for (const lane of lanes) counts.set(key(lane), (counts.get(key(lane)) ?? 0) + 1);
  return lanes.map((lane) =>
    counts.get(key(lane)) === 1
      ? lane
      : { ...lane, label: `${lane.label} (${lane.kind === 'Pod' ? lane.id.slice(0, 8) : lane.kind})` },
  );
}

function seriesOfHolders({ texts, holders }: TimelineDocument) {
  const { namespace, workloadKind, workload, name } = holders;
  const known = new Map<string, NamedSeries & { pods: number }>();
  const series = Uint8Array.from(name, (one, n) => {
    const own = workload[n]! < 0 ? one : `${texts[workloadKind[n]!]}/${texts[workload[n]!]}`;
    const key = `${texts[namespace[n]!]}/${own}`;
    let found = known.get(key);
    if (found === undefined) {
      const { colour, pattern } = seriesOf(key);
      found = {
        name: `${texts[namespace[n]!]}/${texts[workload[n]!] ?? one}`,
        series: pattern * COLOURS + colour,
        pods: 0,
      };
      known.set(key, found);
    }
    found.pods++;
    return found.series;
  });
  const workloads = [...known.values()].sort((a, b) => b.pods - a.pods).slice(0, MOST_NAMED);
  return { series, workloads };
}

function densityOf({ density, lanes }: TimelineDocument): Density {
  const count = density.lane.length;
  const order = Int32Array.from({ length: count }, (_, place) => place);
  const { lane, bucket } = density;
  order.sort((a, b) => lane[a]! - lane[b]! || bucket[a]! - bucket[b]!);
  const laneStarts = new Int32Array(lanes.length + 1);
  for (const one of lane) laneStarts[one + 1]! += 1;
  for (let n = 0; n < lanes.length; n++) laneStarts[n + 1]! += laneStarts[n]!;
  const counts = Int32Array.from(order, (place) => density.count[place]!);
  return {
    ...{ bucketMs: density.bucketMs, laneStarts, bucket: Int32Array.from(order, (place) => bucket[place]!) },
    ...{ count: counts, most: counts.reduce((most, count) => Math.max(most, count), 1) },
  };
}

/** The first cell of the lane whose bucket ends after `bucket`, or where the lane ends. */
export function firstCell({ laneStarts, bucket: buckets }: Density, lane: number, bucket: number): number {
  let low = laneStarts[lane]!;
  let high = laneStarts[lane + 1]!;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (buckets[middle]! + 1 > bucket) high = middle;
    else low = middle + 1;
  }
  return low;
}
