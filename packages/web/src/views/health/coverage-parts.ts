// When the cluster was watched within a span, as parts of a strip and as rows of a table. Pure.
import type { GapDocument, WatchingDocument } from '@podtrail/history/wire';
import { gapMeans, gapWhy } from '../../parts/gap-words.ts';
import type { TimeSpan } from '../../times/span.ts';

export interface GapRow {
  readonly from: number;
  /** That of the span where it goes on. */
  readonly to: number;
  readonly goesOn: boolean;
  /** It began before the span. */
  readonly beganBefore: boolean;
  readonly reason: GapDocument['reason'];
  readonly why: string;
  readonly means: string;
}

/** Oldest first, clipped to the span. */
export function gapRows({ gaps }: WatchingDocument, span: TimeSpan): readonly GapRow[] {
  return gaps
    .map(({ from: began, to: ended, reason }) => {
      const from = Date.parse(began);
      const to = ended === null ? Number.POSITIVE_INFINITY : Date.parse(ended);
      return {
        ...{ from: Math.max(from, span.from), to: Math.min(to, span.to), reason },
        ...{ goesOn: to >= span.to, beganBefore: from < span.from, why: gapWhy(reason), means: gapMeans(reason) },
      };
    })
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);
}

/** The share of the span in which somebody watched, 0 to 1; pods alone are watched, too. Gaps may overlap. */
export function watchedShare(rows: readonly GapRow[], span: TimeSpan): number {
  let missing = 0;
  let reached = span.from;
  for (const { from, to, reason } of rows) {
    if (reason === 'pods-only') continue;
    missing += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return 1 - missing / (span.to - span.from);
}

/** Never rounded up to all of it: 99.9996 % has a gap. */
export function shareText(share: number): string {
  if (share >= 1) return '100 %';
  for (const digits of [0, 1, 2, 3]) {
    const text = (share * 100).toFixed(digits);
    if (Number(text) < 100 && (digits > 0 || share < 0.9)) return `${text} %`;
  }
  return 'more than 99.999 %';
}

export interface StripPart {
  /** Of the span, 0 to 1. */
  readonly x: number;
  readonly width: number;
  readonly row: GapRow;
}

/** A gap of a moment is still to be seen. */
const LEAST_WIDTH = 0.003;

export function stripParts(rows: readonly GapRow[], span: TimeSpan): readonly StripPart[] {
  const ms = span.to - span.from;
  return rows.map((row) => {
    const width = Math.max(LEAST_WIDTH, (row.to - row.from) / ms);
    return { x: Math.min((row.from - span.from) / ms, 1 - width), width, row };
  });
}

export interface Lag {
  readonly ms: number;
  readonly state: 'watching' | 'late' | 'silent' | 'ahead' | 'old';
  readonly text: string;
}

/** A recorder says every second that it watches; after five it counts as gone. */
const LATE_MS = 5_000;
const SILENT_MS = 60_000;
/** The page asks every five seconds: an older answer says nothing of now. */
const OLD_MS = 12_000;

/** `answered`: when that was the answer. */
export function lagOf(to: string | null, answered: number, now: number): Lag | undefined {
  if (to === null) return undefined;
  if (now - answered > OLD_MS) return { ms: now - Date.parse(to), state: 'old', text: 'podtrail does not answer.' };
  const ms = answered - Date.parse(to);
  if (ms < -LATE_MS)
    return { ms, state: 'ahead', text: 'The clock of the recorder is ahead of that of the server: compare them.' };
  if (ms <= LATE_MS)
    return { ms: Math.max(0, ms), state: 'watching', text: 'A recorder is watching: answers reach up to now.' };
  if (ms <= SILENT_MS)
    return { ms, state: 'late', text: 'The recorder is late: answers about the last moments are provisional.' };
  const text = 'No recorder has reported since: what happened after that is not known. Look at the recorder.';
  return { ms, state: 'silent', text };
}
