// What of a pod's end was first: its condition, its last state, or its deletion. By the versions in which they were first
// seen; by times only where versions do not say. Pure; who asked for what is not looked at here.
import { compareFirstSeen, firstSeenIn } from '../model/first-seen.ts';
import type { FirstSeen, PodLife } from '../model/pod-life.ts';
import type { Case } from './case.ts';
import { CLOCK_SLACK_MS, DISRUPTION_LASTS_MS, isSeenToEnd, SECOND_MS } from './traces.ts';

/**
 * `together`: one version showed both at first, as if they had been written at once. `unknown`: so did a listing, and a
 * listing hides what came between.
 */
export type SeenOrder = 'before' | 'together' | 'unknown' | 'after';

/**
 * The first DisruptionTarget against what else ended the pod. Undefined: there is none, or it stood long before the end
 * and is none of its reasons.
 */
export function disruptionOrder(known: Case): SeenOrder | undefined {
  const { life, endedAt, endSeenAt } = known;
  const { disruption, deletion, terminal } = life;
  if (disruption === undefined) return undefined;
  const before = endedAt - disruption.at;
  // A kubelet decides, and writes it down with the end: as long after as the pod's grace lasts.
  const lasts = disruption.reason === 'TerminationByKubelet' ? Number.POSITIVE_INFINITY : DISRUPTION_LASTS_MS;
  if (Math.min(before, seenBefore(known)) > lasts) return undefined;
  const ends = [deletion, terminal].filter((end) => end !== undefined).map(({ seenIn }) => firstSeenIn(seenIn, life));
  const end = ends.sort(compareFirstSeen)[0];
  // Where nobody saw the end, a condition that was seen before is the likeliest reason of it, and no more than that.
  if (end === undefined && !isSeenToEnd(life)) return 'unknown';
  if (end === undefined) return before < -CLOCK_SLACK_MS ? 'after' : 'before';
  const order = orderOf(firstSeenIn(disruption.seenIn, life), end);
  if (order === 'before' || order === 'after') return order;
  // Records of before versions were kept, and listings.
  const isSeenLater = endSeenAt !== undefined && disruption.seenAt !== undefined && disruption.seenAt > endSeenAt;
  return isSeenLater || before < -CLOCK_SLACK_MS ? 'after' : order;
}

/** So long before the end the condition was seen, by one clock. Its time is of the clock of whoever wrote it. */
function seenBefore({ life: { disruption }, endedAt, endSeenAt }: Case): number {
  if (disruption === undefined) return Number.POSITIVE_INFINITY;
  if (disruption.seenAt === undefined || endSeenAt === undefined) return endedAt - disruption.at;
  return endSeenAt - disruption.seenAt;
}

/**
 * The first DisruptionTarget stood for longer than its writer needs to delete the pod: that may have failed, and somebody else
 * may have deleted it. For so many milliseconds; undefined where it did not. A kubelet writes it with the end.
 */
export function lapseOf(known: Case): number | undefined {
  const { disruption, deletion } = known.life;
  if (disruption === undefined || deletion === undefined || disruption.reason === 'TerminationByKubelet')
    return undefined;
  const byTime = deletion.requested - disruption.at;
  if (disruption.reason === 'EvictionByEvictionAPI') return byTime > EVICTS_WITHIN_MS ? byTime : undefined;
  // Two clocks wrote these times: where either says that it took long, it may have.
  const stood = Math.max(byTime, seenBefore(known));
  return stood > DELETES_WITHIN_MS ? stood : undefined;
}

/** An API server does both in one request, by one clock. Its times have a resolution of one second. */
const EVICTS_WITHIN_MS = 2 * SECOND_MS;
/** Controllers send some twenty requests a second, and may have hundreds of pods to delete. */
const DELETES_WITHIN_MS = 10 * SECOND_MS;

/** Its last state against its deletion; undefined where it lacks one of them. */
export function terminalOrder({ life, endSeenAt }: Case): SeenOrder | undefined {
  const { terminal, deletion } = life;
  if (terminal === undefined || deletion === undefined) return undefined;
  const order = orderOf(firstSeenIn(terminal.seenIn, life), firstSeenIn(deletion.seenIn, life));
  if (order === 'before' || order === 'after') return order;
  const isSeenFirst = endSeenAt !== undefined && deletion.seenAt !== undefined && endSeenAt < deletion.seenAt;
  return isSeenFirst && terminal.at === deletion.requested ? 'before' : order;
}

/** Its last state was seen before the first DisruptionTarget. */
export function isTerminalBeforeDisruption({ terminal, disruption, ...life }: PodLife): boolean {
  if (terminal === undefined || disruption === undefined) return false;
  return orderOf(firstSeenIn(terminal.seenIn, life), firstSeenIn(disruption.seenIn, life)) === 'before';
}

function orderOf(a: FirstSeen, b: FirstSeen): SeenOrder {
  const order = compareFirstSeen(a, b);
  if (order !== 0) return order < 0 ? 'before' : 'after';
  return a.listed === true || b.listed === true ? 'unknown' : 'together';
}
