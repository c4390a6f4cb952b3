// A timeline of any size in the shape of the server's, the same for the same seed. For unit tests, and for looking at
// sizes that no demo has.
import type { TimelineDocument, TimelineHolder, TimelineLane } from '../timeline-document.ts';
import { holderColumns } from './holder-columns.ts';

export interface MadeTimeline {
  readonly intervals: number;
  readonly lanes: number;
  readonly from: number;
  readonly to: number;
  readonly seed?: number;
  /** How many of a lane may go on at the same time. */
  readonly depth?: number;
  readonly detail?: 'intervals' | 'density';
  readonly buckets?: number;
}

/** The same numbers between 0 and 1 for the same seed. */
export function madeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function madeTimeline(made: MadeTimeline): TimelineDocument {
  const { intervals: count, lanes: laneCount, from, to, seed = 1, depth = 3, buckets = 400 } = made;
  const detail = made.detail ?? 'intervals';
  const random = madeRandom(seed);
  const span = to - from;
  const bucketMs = Math.max(1, Math.ceil(span / buckets));
  const departures = new Array<number>(buckets).fill(0);
  const arrivals = new Array<number>(buckets).fill(0);
  const lanes: TimelineLane[] = [];
  const holders: TimelineHolder[] = [];
  const columns = {
    ...{ lane: [] as number[], holder: [] as number[], start: [] as number[] },
    ...{ startEarlier: [] as number[], startLater: [] as number[] },
    ip: [] as number[],
    ...{ end: [] as (number | null)[], endEarlier: [] as (number | null)[], endLater: [] as (number | null)[] },
  };
  const density = { bucketMs, lane: [] as number[], bucket: [] as number[], count: [] as number[] };
  for (let lane = 0; lane < laneCount; lane++) {
    const label = `node-${String(lane).padStart(4, '0')}`;
    lanes.push({ id: label, label, namespace: null, kind: 'Node' });
    const size = Math.floor(count / laneCount) + (lane < count % laneCount ? 1 : 0);
    const ofLane: { start: number; end: number | null }[] = [];
    for (let track = 0; track < depth; track++) {
      const ofTrack = Math.floor(size / depth) + (track < size % depth ? 1 : 0);
      const slot = span / Math.max(1, ofTrack);
      for (let n = 0; n < ofTrack; n++) {
        const start = Math.floor(slot * (n + 0.3 * random()));
        const isLast = n === ofTrack - 1;
        const end = isLast && random() < 0.6 ? null : Math.floor(slot * (n + 0.4 + 0.6 * random()));
        ofLane.push({ start, end });
      }
    }
    ofLane.sort((a, b) => a.start - b.start);
    const counts = new Array<number>(detail === 'density' ? buckets : 0).fill(0);
    for (const { start, end } of ofLane) {
      countIn(arrivals, start / bucketMs);
      if (end !== null) countIn(departures, end / bucketMs);
      if (detail === 'density') {
        for (
          let bucket = Math.floor(start / bucketMs);
          bucket <= Math.min(buckets - 1, (end ?? span) / bucketMs);
          bucket++
        )
          countIn(counts, bucket);
        continue;
      }
      const holder = holders.length;
      const workload = Math.floor(40 * random());
      holders.push({
        ...{ kind: 'Pod', namespace: `team-${workload % 7}`, name: `app-${workload}-${holder.toString(36)}` },
        ...{ uid: `00000000-0000-4000-8000-${holder.toString(16).padStart(12, '0')}`, node: label },
        workload: { kind: 'Deployment', name: `app-${workload}` },
      });
      const loose = random() < 0.1 ? Math.floor(random() * 0.1 * ((end ?? span) - start)) : 0;
      columns.lane.push(lane);
      columns.holder.push(holder);
      columns.start.push(start);
      columns.startEarlier.push(loose);
      columns.startLater.push(0);
      columns.end.push(end);
      columns.endEarlier.push(end === null ? null : 0);
      columns.endLater.push(end === null ? null : loose);
    }
    for (let bucket = 0; bucket < counts.length; bucket++) {
      if (counts[bucket] === 0) continue;
      density.lane.push(lane);
      density.bucket.push(bucket);
      density.count.push(counts[bucket] ?? 0);
    }
  }
  const text = (at: number) => new Date(at).toISOString();
  return {
    query: {
      ...{ cluster: 'made', clusterId: 'made', by: 'node', since: text(from), until: text(to), subject: null },
      ...{ node: null, namespace: null, most: count, buckets, lanes: laneCount },
    },
    ...{ base: from, detail, lanes, moreLanes: false, ...holderColumns(holders), ips: [], intervals: columns, density },
    histogram: { bucketMs, departures, arrivals },
    coverage: {
      ...{ from: text(from), to: text(to) },
      gaps: [{ from: text(from + 0.4 * span), to: text(from + 0.43 * span), reason: 'not-watching' }],
    },
  };
}

function countIn(counts: number[], at: number): void {
  const bucket = Math.floor(at);
  if (bucket >= 0 && bucket < counts.length) counts[bucket] = (counts[bucket] ?? 0) + 1;
}
