// A pod of a Job: it did its work, or the Job ended it because of its own deadline, its own end, or a suspension.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Cause, Verdict } from '../cause.ts';
import { hasMadeMore, lastOfPods, othersWentOn } from '../job-pods.ts';
import { ownerDeletion } from '../owner-deletion.ts';
import { scaledDown } from '../scaling.ts';
import { isTerminalBeforeDisruption, terminalOrder } from '../seen-order.ts';
import { isEndOfUnreachable, isTerminalFirst } from '../terminal.ts';
import { CLOCK_SLACK_MS, events, isBeforeEnd, isWrittenLater, MINUTE_MS, ofKind, SECOND_MS } from '../traces.ts';
import { certain, doubted, inferred } from '../verdict.ts';
import { kubeletWords } from './kubelet-termination.ts';
import { bootAfter } from './reboot.ts';

interface Said {
  readonly reasons: readonly string[];
  readonly cause: Cause;
  readonly words: string;
}

/** What the Job itself says, and what it means for the pods that were still running. */
export const SAID: readonly Said[] = [
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
  if (!isDone || !isFirst) return undefined;
  // Its node says when it ended, and the API server when it was deleted: that is no order where their clocks may differ, and
  // none at all where versions say the contrary, unless nobody reached the node meanwhile.
  const isClearlyBefore = (later: number) =>
    terminal.at < later - CLOCK_SLACK_MS && (terminalOrder(known) !== 'after' || isEndOfUnreachable(known));
  const isSure =
    (deletion === undefined || terminalOrder(known) === 'before' || isClearlyBefore(deletion.requested)) &&
    (disruption === undefined || isTerminalBeforeDisruption(known.life) || isClearlyBefore(disruption.at));
  const boot = bootAfter(known);
  const done = certain('JobCompleted', `completed its work for Job ${owner.name}.`, boot === undefined ? [] : [boot]);
  const verdict = isSure ? done : doubted(done, 'unless it ended well because it was deleted');
  return boot === undefined ? verdict : doubted(verdict, `unless it ended because ${known.life.pod.node} was rebooted`);
}

export function job(known: Case): Verdict | undefined {
  const { life } = known;
  if (life.owner?.kind !== 'Job' || isTerminalFirst(known)) return undefined;
  const deletion = ownerDeletion(known);
  if (deletion.by === 'others') return undefined;
  const isNamed = deletion.by === 'owner';
  const evidence = isNamed ? deletion.evidence : [];
  const said = lastWord(known, evidence);
  if (said !== undefined && !wentOn(known, said)) return endedByJob(known, said, { isNamed, evidence });
  return isNamed ? tooMany(known, said, evidence) : undefined;
}

function endedByJob(
  known: Case,
  { cause, words, evidence: word }: Word,
  { isNamed, evidence }: { readonly isNamed: boolean; readonly evidence: readonly Evidence[] },
): Verdict {
  const sentence = `was ended by Job ${known.life.owner?.name}, which ${words}`;
  if (!isNamed) return inferred(cause, `${sentence}.`, [word]);
  const cited = [...evidence, word];
  const changes = cause === 'Suspended' ? [] : changesBefore(known);
  if (changes.length === 0 && !known.unwatched.includes('jobs')) return certain(cause, `${sentence}.`, cited);
  // It may have wanted no pods at all for a while: then none of them went on that would show it.
  return inferred(cause, `${sentence}, or had fewer pods to run before that.`, [...cited, ...changes]);
}

/** It removed the pod, and had not ended then, as far as is known. */
function tooMany(known: Case, said: Word | undefined, evidence: readonly Evidence[]): Verdict {
  const sentence = `was removed by Job ${known.life.owner?.name}, which had`;
  if (said !== undefined) {
    const more = `${sentence} more pods than it wanted: it went on, and only later ${said.words}.`;
    return inferred('ScaledDown', more, [...evidence, said.evidence]);
  }
  if (othersWentOn(known)) {
    const changes = changesBefore(known);
    if (changes.length > 0) return scaledDown(known, 'certain', [...evidence, ...changes]);
    // Who was deleted by somebody, and ends well all the same, leaves less to be done than there are pods.
    return inferred('ScaledDown', `${sentence} more pods than it wanted.`, evidence);
  }
  // Silence is no proof: an Event may be lost, and a Job with many pods has sent more than its client lets through.
  const end = isDoneReporting(known)
    ? ' more pods than it wanted, or had ended and reported nothing of that.'
    : ' too many pods or had ended: what it reports of that comes later.';
  return inferred('ScaledDown', sentence + end, evidence);
}

/** A Job reports that it ended when the last of its pods has ended. */
function isDoneReporting(known: Case): boolean {
  const { knownUntil } = known;
  const last = lastOfPods(known) + REPORTED_WITHIN_MS;
  return last < Number.POSITIVE_INFINITY && (knownUntil === undefined || knownUntil > last);
}

interface Word extends Said {
  readonly evidence: Evidence;
}

/** It deletes its pods first, and says why when they have ended; that it is suspended, at once. */
function lastWord(known: Case, named: readonly Evidence[]): Word | undefined {
  const { endedAt, life, owner } = known;
  // By the clock of the controller, where it said that it deleted the pod.
  const begun = events(named, 'SuccessfulDelete')[0]?.at ?? endedAt;
  const from = begun - Math.min(endedAt - life.created, MINUTE_MS);
  const until = lastOfPods(known) + REPORTED_WITHIN_MS + Math.max(0, begun - endedAt);
  const said = SAID.flatMap((one) =>
    events(owner, ...one.reasons)
      .filter(({ at }) => at >= from && at <= (one.cause === 'Suspended' ? begun + SENT_WITHIN_MS : until))
      .map((evidence) => ({ ...one, evidence })),
  ).sort((a, b) => a.evidence.at - b.evidence.at);
  // One that was suspended and goes on may end for another reason soon.
  return said.find(({ evidence }) => evidence.at >= begun - CLOCK_SLACK_MS) ?? said.at(-1);
}

/** An Event waits in a queue of its controller. */
const SENT_WITHIN_MS = 10 * SECOND_MS;
const REPORTED_WITHIN_MS = MINUTE_MS;

/** It said this of later: it had not ended, nor was suspended, when it removed this pod. */
function wentOn(known: Case, { cause }: Word): boolean {
  if (othersWentOn(known)) return true;
  // One that has ended makes no more pods.
  return cause !== 'Suspended' && hasMadeMore(known);
}

/** Of the Job, not long before it removed the pod and after it made it. */
function changesBefore(known: Case): Evidence[] {
  const { endedAt, life, owner } = known;
  const from = Math.max(life.created, endedAt - CHANGED_WITHIN_MS);
  return ofKind(owner, 'revision').filter(
    (one) => one.at > from && isBeforeEnd(known, one) && !isWrittenLater(known, one),
  );
}

const CHANGED_WITHIN_MS = MINUTE_MS;
