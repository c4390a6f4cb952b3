// A pod of a Job that ended while nobody was watching. Most of those had ended by the time somebody deleted them: a Job
// that is done is cleaned up, and its pods with it.
import { firstDeletion } from '../audited.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { namingEvents } from '../owner-deletion.ts';
import { CLOCK_SLACK_MS, events, isBetween, isSeenToEnd, latestEnd } from '../traces.ts';
import { inferred } from '../verdict.ts';
import { SAID } from './job.ts';

export function unseenJob(known: Case): Verdict | undefined {
  const { life, owner, endedAt } = known;
  if (!mayHaveEnded(known)) return undefined;
  const until = firstDeletion(known)?.at ?? latestEnd(known);
  const [first] = SAID.flatMap(({ reasons, cause, words }) =>
    events(owner, ...reasons)
      .filter((one) => isBetween(one, endedAt - CLOCK_SLACK_MS, until))
      .map((evidence) => ({ cause, words, evidence })),
  ).sort((a, b) => a.evidence.at - b.evidence.at);
  if (first === undefined) return undefined;
  const sentence = `ended while nobody was watching: Job ${life.owner?.name} ${first.words} in that time.`;
  return inferred(first.cause, sentence, [first.evidence]);
}

/** Who deleted a pod that may have ended by itself before is not certain to be why. */
export function asFarAsWatched(known: Case, verdict: Verdict): Verdict {
  // The scheduler makes room of pods that still use some.
  if (verdict.cause === 'Preempted' || !mayHaveEnded(known)) return verdict;
  return { ...verdict, certainty: 'inferred' };
}

/** A pod that its Job names was running when the Job deleted it. */
function mayHaveEnded(known: Case): boolean {
  const { life } = known;
  return life.owner?.kind === 'Job' && !isSeenToEnd(life) && namingEvents(known).length === 0;
}
