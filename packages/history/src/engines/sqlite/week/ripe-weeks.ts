// Which weeks have so many closed records in the head that a file of them is worth writing.
import { NOT_KNOWN_YET } from '../../../model/time.ts';
import type { ClusterEntry, Head } from '../head/head.ts';
import { WEEK_MS, weekOf, weekStart } from './week.ts';

/** After a week's end its last records are given this long to come. */
const LATE_MS = 3_600_000;
/** And after this long hardly any more will come: what is left in the head is worth writing the file once more. */
const SETTLED_MS = 24 * 3_600_000;

/**
 * `sealAt`: of a week that is not over yet. Oldest first. A record whose end is not bounded yet belongs to no week: its
 * bound is still to come, and a copy in a file of the far future would stay beside it.
 */
export function ripeWeeks(head: Head, { number, weeks }: ClusterEntry, now: number, sealAt: number): number[] {
  const ripe: number[] = [];
  const counts = new Map<number, number>();
  for (const table of ['tenure', 'placement']) {
    const sql = `SELECT CAST((until + 259200000) / ${WEEK_MS} AS INTEGER) AS week, count(*) AS n FROM ${table}
      WHERE cluster = ? AND until < ${NOT_KNOWN_YET} GROUP BY 1`;
    for (const row of head.db.prepare(sql).all(number)) {
      const week = weekOf(weekStart(row['week'] as number));
      counts.set(week, (counts.get(week) ?? 0) + (row['n'] as number));
    }
  }
  for (const [week, count] of counts) {
    const sealedAlready = weeks.find((entry) => entry.week === week);
    const size = sealedAlready === undefined ? 0 : sealedAlready.tenures + sealedAlready.placements;
    const isOver = weekStart(week) + WEEK_MS + LATE_MS <= now;
    // A file is rewritten as a whole: only for a share of it that is worth that.
    const first = isOver ? 1 : sealAt;
    const isSettled = weekStart(week) + WEEK_MS + SETTLED_MS <= now;
    const least = isOver ? Math.min(1000, sealAt) : sealAt;
    const again = isSettled ? least : Math.max(least, size / 5);
    if (count >= (sealedAlready === undefined ? first : again)) ripe.push(week);
  }
  return ripe.sort((a, b) => a - b);
}
