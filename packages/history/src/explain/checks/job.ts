// A pod of a Job: it did its work, or the Job ended it because of its own deadline, its own end, or a suspension.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Cause, Verdict } from '../cause.ts';
import { ownerDeletion } from '../owner-deletion.ts';
import { scaledDown } from '../scaling.ts';
import { isTerminalBeforeDisruption, terminalOrder } from '../seen-order.ts';
import { isTerminalFirst } from '../terminal.ts';
import { events, isBetween, MINUTE_MS, ofKind, SECOND_MS } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';
import { kubeletWords } from './kubelet-termination.ts';

/** What the Job itself says, and what it means for the pods that were still running. */
const SAID: readonly { readonly reasons: readonly string[]; readonly cause: Cause; readonly words: string }[] = [
  { reasons: ['DeadlineExceeded'], cause: 'JobDeadline', words: 'ran longer than its active deadline' },
  { reasons: ['Suspended'], cause: 'Suspended', words: 'was suspended' },
  { reasons: ['Completed'], cause: 'JobCompleted', words: 'was complete' },
  {
    reasons: ['BackoffLimitExceeded', 'PodFailurePolicy', 'FailedIndexes', 'MaxFailedIndexesExceeded'],
    cause: 'JobCompleted',
    words: 'had failed',
  },
];

/**
 * Its containers are not started again once they have ended well: whatever deleted it later, and though its kubelet could
 * not say so before, it was done. That comes before every other reason, but for a kubelet that asked them to end.
 */
export function jobCompleted(known: Case): Verdict | undefined {
  const { owner, terminal, deletion, disruption } = known.life;
  if (owner?.kind !== 'Job' || terminal?.phase !== 'Succeeded' || kubeletWords(known) !== undefined) return undefined;
  const isDone = deletion === undefined || terminal.at < deletion.requested || terminalOrder(known) === 'before';
  const isFirst = disruption === undefined || terminal.at < disruption.at || isTerminalBeforeDisruption(known.life);
  return isDone && isFirst ? certain('JobCompleted', `completed its work for Job ${owner.name}.`) : undefined;
}

export function job(known: Case): Verdict | undefined {
  const { life } = known;
  if (life.owner?.kind !== 'Job' || isTerminalFirst(known)) return undefined;
  const name = `Job ${life.owner.name}`;
  const deletion = ownerDeletion(known);
  if (deletion.by === 'others') return undefined;
  const said = lastWord(known);
  if (said !== undefined) {
    const { cause, words, evidence } = said;
    const sentence = `was ended by ${name}, which ${words}.`;
    if (deletion.by === 'owner') return certain(cause, sentence, [...deletion.evidence, evidence]);
    return inferred(cause, sentence, [evidence]);
  }
  if (deletion.by !== 'owner') return undefined;
  if (isDoneReporting(known)) return scaledDown(known, 'certain', deletion.evidence);
  const sentence = `was removed by ${name}, which had too many pods or had ended: what it reports of that comes later.`;
  return inferred('ScaledDown', sentence, deletion.evidence);
}

/**
 * A Job reports that it ended when its pods are gone. It cannot where it is gone itself by then, or where its namespace
 * takes no more Events.
 */
function isDoneReporting({ life: { gone }, owner, namespace }: Case): boolean {
  if (gone === undefined) return false;
  const isGoing = ({ at }: Evidence) => at <= gone + SENT_WITHIN_MS;
  return !ofKind([...owner, ...namespace], 'terminating', 'deleted').some(isGoing);
}

/** An Event waits in a queue of its controller. */
const SENT_WITHIN_MS = 10 * SECOND_MS;

/** It deletes its pods first, and says why when they are gone. */
function lastWord(known: Case) {
  const { endedAt, life, owner } = known;
  const until = Math.max(life.gone ?? 0, endedAt + MINUTE_MS) + MINUTE_MS;
  const isThen = (one: Evidence) => isBetween(one, endedAt - MINUTE_MS, until);
  for (const { reasons, cause, words } of SAID) {
    const evidence = events(owner, ...reasons).find(isThen);
    if (evidence !== undefined) return { cause, words, evidence };
  }
  return undefined;
}
