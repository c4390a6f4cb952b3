// Until when a document says that the cluster was watched. While somebody watches, that moves on every second; a document
// about a time that ended before it would be another one every second, and no copy of it would hold. So it says no more
// than was asked about.
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { LIVENESS_MS } from '../query/liveness.ts';

/** `to`: the end of what was watched; `end`: of what was asked about, an instant or the end of a span. */
export function watchedUntil(
  to: EpochMillis | undefined,
  end: number,
  now: number | undefined,
): EpochMillis | undefined {
  if (to === undefined || now === undefined || to <= end) return to;
  return now - to <= LIVENESS_MS ? epochMillis(end) : to;
}
