// A timeline of the intervals that a test writes down: `[lane, start, end]`, in the order given.
import type { TimelineDocument } from '../timeline-document.ts';
import { madeTimeline } from './made-timeline.ts';

export function fewIntervals(
  intervals: readonly (readonly [lane: number, start: number, end: number | null])[],
  changes: Partial<TimelineDocument> = {},
): TimelineDocument {
  const lanes = Math.max(0, ...intervals.map(([lane]) => lane + 1));
  const empty = madeTimeline({ intervals: 0, lanes, from: 0, to: 1000 });
  const start = intervals.map(([, start]) => start);
  const end = intervals.map(([, , end]) => end);
  return {
    ...empty,
    holders: intervals.map((_, n) => ({
      ...{ kind: 'Pod', namespace: 'shop', name: `pod-${n}`, uid: `uid-${n}`, node: 'node-a' },
      ...{ workload: { kind: 'Deployment', name: 'web' }, hostNetwork: false },
    })),
    intervals: {
      ...{ lane: intervals.map(([lane]) => lane), holder: intervals.map((_, n) => n), ip: [] },
      ...{ start, startNotBefore: start, startNotAfter: start, end, endNotBefore: end, endNotAfter: end },
    },
    ...changes,
  };
}
