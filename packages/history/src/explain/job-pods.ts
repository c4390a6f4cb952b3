// What the other pods of a Job say of the end of one: whether it went on then, and when it had none left to wait for. Called by
// the check of Jobs. The rules are those of the Job controller of Kubernetes.
import { compareFirstSeen, firstSeenIn } from '../model/first-seen.ts';
import type { PodLife } from '../model/pod-life.ts';
import type { Case } from './case.ts';
import { CLOCK_SLACK_MS, endOf, isSeenToEnd, MINUTE_MS, SECOND_MS } from './traces.ts';

/**
 * One that ends, or is suspended, deletes all of its active pods in one go (`deleteActivePods` of the Job controller): where
 * another pod went on, it had not ended.
 */
export function othersWentOn(known: Case): boolean {
  const { endedAt, knownUntil, siblings } = known;
  const by = deletedBy(known);
  if (knownUntil !== undefined && knownUntil <= by) return false;
  return siblings.some((one) => {
    if (!isOfSameJob(known, one) || one.created > endedAt - CLOCK_SLACK_MS || !isSeenToEndOrLives(one)) return false;
    const end = endOf(one);
    return (end === undefined || end > by) && !isTerminalBefore(known, one);
  });
}

/** Clients send some 20 requests a second. */
const DELETED_WITHIN_MS = 10 * SECOND_MS;
const DELETED_EACH_MS = SECOND_MS / 10;

/** Until when it had deleted all of them, if it deleted this one with the others. */
function deletedBy({ endedAt, siblings }: Case): number {
  return endedAt + DELETED_WITHIN_MS + siblings.length * DELETED_EACH_MS;
}

/** When a container ended is of the clock of its node. */
function isTerminalBefore({ endVersion }: Case, one: PodLife): boolean {
  const { terminal } = one;
  if (terminal === undefined || endVersion === undefined) return false;
  return compareFirstSeen(firstSeenIn(terminal.seenIn, one), endVersion) < 0;
}

/** Of one that was found to be gone nobody knows when it began to end. */
function isSeenToEndOrLives(one: PodLife): boolean {
  return one.gone === undefined || isSeenToEnd(one);
}

function isOfSameJob({ life }: Case, { owner }: PodLife): boolean {
  return owner?.uid === life.owner?.uid;
}

/** A pod of it that was made after this one was removed. */
export function hasMadeMore(known: Case): boolean {
  return known.siblings.some((one) => isOfSameJob(known, one) && one.created > known.endedAt + CLOCK_SLACK_MS);
}

/**
 * When the last of the pods had ended that were ending with this one: Jobs are finished when none of them is terminating. Never,
 * while one of them is. Versions up to 1.30 did not wait for them.
 */
export function lastOfPods(known: Case): number {
  const { endedAt, life, siblings } = known;
  const ends = [life, ...siblings.filter((one) => isOfSameJob(known, one) && isEndingWith(known, one))].map(
    ({ gone, terminal }) => gone ?? terminal?.at ?? Number.POSITIVE_INFINITY,
  );
  return Math.max(endedAt + MINUTE_MS, ...ends);
}

function isEndingWith(known: Case, { deletion }: PodLife): boolean {
  return deletion !== undefined && deletion.requested <= deletedBy(known);
}
