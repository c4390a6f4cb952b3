// How checks read a case: what lies in time around the end, which evidence names the pod, what came first. Pure.
import type { Evidence, EvidenceKind } from '../model/evidence.ts';
import type { PodLife } from '../model/pod-life.ts';
import { compareVersions } from '../model/version-order.ts';
import type { Case } from './case.ts';

export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;

/** Times in objects have a resolution of one second, and come from other clocks. */
export const CLOCK_SLACK_MS = 5000;

/** A DisruptionTarget that no deletion follows is reset after two minutes: then it is not why the pod ended. */
export const DISRUPTION_LASTS_MS = 2 * MINUTE_MS + CLOCK_SLACK_MS;

/** An event about a deletion is sent right after it; what it says may still have waited in a queue. */
const EVENT_BEFORE_MS = 10 * SECOND_MS;
const EVENT_AFTER_MS = 2 * MINUTE_MS;

/** Somebody watched when it ended: a request, a last state, or at least that it went. Else a listing lacked it. */
export function isSeenToEnd({ deletion, terminal, gone, source }: PodLife): boolean {
  return deletion !== undefined || terminal !== undefined || (gone !== undefined && source === 'watch');
}

/** Until when it had begun to end at the latest. Where nobody saw it go: when it was found to be gone. */
export function latestEnd({ life, endedAt }: Case): number {
  return isSeenToEnd(life) ? endedAt : Math.max(endedAt, life.gone ?? endedAt);
}

/** When it began to end, by what it showed itself; undefined while it lives. */
export function endOf({ terminal, deletion, gone }: PodLife): number | undefined {
  const ends = [terminal?.at, deletion?.requested, gone].filter((at) => at !== undefined);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

export function events(evidence: readonly Evidence[], ...reasons: readonly string[]): Evidence[] {
  return evidence.filter(({ what, reason }) => what === 'event' && reasons.includes(reason));
}

export function ofKind(evidence: readonly Evidence[], ...kinds: readonly EvidenceKind[]): Evidence[] {
  return evidence.filter(({ what }) => kinds.includes(what));
}

export function isBetween({ at }: Evidence, from: number, to: number): boolean {
  return at >= from && at <= to;
}

/** So near to the end that it may be about it. */
export function isAroundEnd(known: Case, evidence: Evidence): boolean {
  return isBetween(evidence, known.endedAt - EVENT_BEFORE_MS, latestEnd(known) + EVENT_AFTER_MS);
}

export function isBeforeEnd(known: Case, { at }: Evidence, withinMs = Number.POSITIVE_INFINITY): boolean {
  return at <= latestEnd(known) + CLOCK_SLACK_MS && at >= known.endedAt - withinMs;
}

/**
 * It happened after the pod had begun to end, by the order in which the API server wrote both; false where that is not
 * known. Of an Event that is when it was sent, and says nothing.
 */
export function isWrittenLater(known: Case, evidence: Evidence): boolean {
  return writtenOrder(known, evidence) > 0;
}

/** By the same order, before: then a watch that is behind makes no difference. */
export function isWrittenBefore(known: Case, evidence: Evidence): boolean {
  return writtenOrder(known, evidence) < 0;
}

/** 0: not known. */
function writtenOrder({ endVersion }: Case, { what, source, epoch, resourceVersion }: Evidence): number {
  if (endVersion === undefined || source !== 'watch' || what === 'event' || epoch !== endVersion.epoch) return 0;
  const isNumber = /^\d+$/.test(resourceVersion) && /^\d+$/.test(endVersion.resourceVersion);
  return isNumber ? compareVersions(resourceVersion, endVersion.resourceVersion) : 0;
}

/** The pod's name as a word: "Deleted pod: web-1" does not name web-10. */
export function namesPod(event: Evidence, { life }: Case): boolean {
  return namesOne(event, life.pod.name);
}

/** The same of another pod. */
export function namesOne({ message }: Evidence, name: string): boolean {
  return message.split(/[\s"',:;]+/).includes(name);
}

/** The last of its kinds before the end. For pairs: whether the node was cordoned then, or not any more. */
export function lastBeforeEnd(known: Case, evidence: readonly Evidence[]): Evidence | undefined {
  return evidence.filter((one) => isWrittenBefore(known, one) || isBeforeEnd(known, one)).at(-1);
}

/**
 * Of what is done and undone, what stood when the pod ended, or was done within the slack of clocks. Invariant: what is
 * undone right after the end stood at the end. What versions say comes before times: a watch may be behind.
 */
export function standingAtEnd(
  known: Case,
  history: readonly Evidence[],
  isDone: (one: Evidence) => boolean,
): Evidence | undefined {
  const isBefore = (one: Evidence) => isWrittenBefore(known, one) || one.at <= known.endedAt;
  const near = history.filter(
    (one) => (isWrittenBefore(known, one) || isBeforeEnd(known, one)) && !isWrittenLater(known, one),
  );
  const last = near.filter(isBefore).at(-1);
  const later = near.filter((one) => !isBefore(one) && isDone(one)).at(-1);
  return later ?? (last !== undefined && isDone(last) ? last : undefined);
}
