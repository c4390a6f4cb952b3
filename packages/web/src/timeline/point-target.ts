// What the pointer is on, for the card beside it. Pure.
import { firstCell, type Gap, type TimelineData } from './timeline-data.ts';

export type PointTarget =
  | { readonly kind: 'interval'; readonly place: number }
  | { readonly kind: 'gap'; readonly gap: Gap }
  | {
      readonly kind: 'count';
      readonly lane: number;
      readonly count: number;
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly kind: 'moves';
      readonly came: number;
      readonly left: number;
      readonly from: number;
      readonly to: number;
    };

export interface PointAt {
  /** Of the interval under the pointer, -1 for none. */
  readonly place: number;
  readonly at: number;
  readonly lane: number;
  readonly isHeader: boolean;
}

export function targetAt(data: TimelineData, { place, at, lane, isHeader }: PointAt): PointTarget | undefined {
  if (place !== -1) return { kind: 'interval', place };
  const { base, histogram } = data.document;
  if (isHeader) {
    const { bucketMs, arrivals, departures } = histogram;
    const bucket = Math.floor((at - base) / bucketMs);
    const [came, left] = [arrivals[bucket], departures[bucket]];
    if (came === undefined || left === undefined) return undefined;
    return { kind: 'moves', came, left, from: base + bucket * bucketMs, to: base + (bucket + 1) * bucketMs };
  }
  const gap = data.gaps.find(({ from, to }) => at >= from && at < to);
  if (gap !== undefined) return { kind: 'gap', gap };
  if (data.density === null || lane === -1) return undefined;
  const { bucketMs, bucket: buckets, count, laneStarts } = data.density;
  const bucket = Math.floor((at - base) / bucketMs);
  const cell = firstCell(data.density, lane, bucket + 0.5);
  if (cell >= laneStarts[lane + 1]! || buckets[cell] !== bucket) return undefined;
  const from = base + bucket * bucketMs;
  return { kind: 'count', lane, count: count[cell]!, from, to: from + bucketMs };
}
