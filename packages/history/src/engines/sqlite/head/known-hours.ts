// Hours of occurrences that were read as a whole and found to be complete. A question about causes reads the same hours
// many times; what an hour sums up to says whether it is still the same.
import type { OccurrenceKind } from '../../../model/occurrence.ts';
import type { HeadRow } from '../format/head-row.ts';
import { handlesOfRow } from './hour-index.ts';

/** About 40 MB. */
const MOST_ROWS = 100_000;
const NONE: readonly HeadRow[] = [];

export interface KnownHour {
  /** In the order of their times. */
  readonly rows: readonly HeadRow[];
  /** Those that may be about a subject, in the same order. */
  about(handle: number): readonly HeadRow[];
}

export class KnownHours {
  /** The oldest first. */
  readonly #hours = new Map<string, { readonly sum: number; readonly hour: KnownHour }>();
  #rows = 0;

  /** `read` gives all rows of the hour. */
  get(kind: OccurrenceKind, cluster: number, hour: number, sum: number, read: () => readonly HeadRow[]): KnownHour {
    const id = `${kind} ${cluster} ${hour}`;
    const known = this.#hours.get(id);
    if (known?.sum === sum) return known.hour;
    const found = knownHour(read());
    this.#rows += found.rows.length - (known?.hour.rows.length ?? 0);
    this.#hours.delete(id);
    this.#hours.set(id, { sum, hour: found });
    for (const [oldest, { hour: gone }] of this.#hours) {
      if (this.#rows <= MOST_ROWS) break;
      this.#hours.delete(oldest);
      this.#rows -= gone.rows.length;
    }
    return found;
  }
}

function knownHour(rows: readonly HeadRow[]): KnownHour {
  let bySubject: Map<number, HeadRow[]> | undefined;
  return {
    rows,
    about(handle) {
      bySubject ??= indexed(rows);
      const [found, ofAnybody] = [bySubject.get(handle) ?? NONE, bySubject.get(0) ?? NONE];
      if (ofAnybody.length === 0 || handle === 0) return found;
      return [...found, ...ofAnybody].sort((a, b) => a.start - b.start);
    },
  };
}

function indexed(rows: readonly HeadRow[]): Map<number, HeadRow[]> {
  const bySubject = new Map<number, HeadRow[]>();
  for (const row of rows) {
    for (const handle of handlesOfRow(row)) {
      const found = bySubject.get(handle);
      if (found === undefined) bySubject.set(handle, [row]);
      else found.push(row);
    }
  }
  return bySubject;
}
