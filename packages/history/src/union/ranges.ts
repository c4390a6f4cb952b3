// Ranges of whole milliseconds, both ends included. Pure.
import { type EpochMillis, epochMillis } from '../model/time.ts';

export interface Range {
  readonly from: EpochMillis;
  readonly to: EpochMillis;
}

/** What is left of a range without the others, in order. */
export function cutOut({ from, to }: Range, others: readonly Range[]): readonly Range[] {
  let left: readonly Range[] = [{ from, to }];
  for (const other of others) {
    if (other.from > other.to) continue;
    left = left.flatMap((range) => {
      if (other.to < range.from || other.from > range.to) return [range];
      const before = { from: range.from, to: epochMillis(other.from - 1) };
      const after = { from: epochMillis(other.to + 1), to: range.to };
      return [before, after].filter((rest) => rest.from <= rest.to);
    });
  }
  return left;
}
