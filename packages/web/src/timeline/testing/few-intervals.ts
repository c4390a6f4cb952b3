// A timeline of the intervals that a test writes down: `[lane, start, end]`, in the order given.
import type { TimelineDocument } from '../timeline-document.ts';
import { holderColumns } from './holder-columns.ts';
import { madeTimeline } from './made-timeline.ts';

export function fewIntervals(
  intervals: readonly (readonly [lane: number, start: number, end: number | null])[],
  changes: Partial<TimelineDocument> = {},
): TimelineDocument {
  const lanes = Math.max(0, ...intervals.map(([lane]) => lane + 1));
  const empty = madeTimeline({ intervals: 0, lanes, from: 0, to: 1000 });
  const start = intervals.map(([, start]) => start);
  const end = intervals.map(([, , end]) => end);
  const exact = end.map((at) => (at === null ? null : 0));
  return {
    ...empty,
    ...holderColumns(
      intervals.map((_, n) => ({
        ...{ kind: 'Pod', namespace: 'shop', name: `pod-${n}`, uid: `uid-${n}`, node: 'node-a' },
        workload: { kind: 'Deployment', name: 'web' },
      })),
    ),
    intervals: {
      ...{ lane: intervals.map(([lane]) => lane), holder: intervals.map((_, n) => n), ip: [] },
      ...{ start, startEarlier: start.map(() => 0), startLater: start.map(() => 0) },
      ...{ end, endEarlier: exact, endLater: exact },
    },
    ...changes,
  };
}
