// Points on their way to the thread: lists of numbers instead of an object for each.
import type { IpAddress } from '../../model/ip-address.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Point } from '../points.ts';

export interface PackedPoints {
  readonly ips: readonly IpAddress[];
  /** Of each point: its instant, and the asker's clock. */
  readonly times: Float64Array;
  readonly seen: Uint8Array;
}

export function packPoints(points: readonly Point[]): PackedPoints {
  const times = new Float64Array(2 * points.length);
  const seen = new Uint8Array(points.length);
  const ips: IpAddress[] = [];
  for (const [i, point] of points.entries()) {
    ips.push(point.ip);
    times[2 * i] = point.at;
    times[2 * i + 1] = point.now;
    seen[i] = point.seen ? 1 : 0;
  }
  return { ips, times, seen };
}

export function unpackPoints({ ips, times, seen }: PackedPoints): Point[] {
  return ips.map((ip, i) => ({
    ip,
    at: times[2 * i] as EpochMillis,
    now: times[2 * i + 1] as EpochMillis,
    seen: seen[i] === 1,
  }));
}
