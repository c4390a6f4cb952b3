// Whether a pod ended by itself or by its kubelet's word, before anybody deleted it, and what its status says of it.
import type { Evidence } from '../model/evidence.ts';
import { compareFirstSeen } from '../model/first-seen.ts';
import type { FirstSeen, PodLife } from '../model/pod-life.ts';
import type { Case } from './case.ts';
import { terminalOrder } from './seen-order.ts';
import { CLOCK_SLACK_MS, ofKind, SECOND_MS } from './traces.ts';

/**
 * It ended by itself or by its kubelet's word, and whatever deleted it came later. A container that had ended before and
 * was waiting for its next start makes no end: then the deletion was what began first.
 */
export function isTerminalFirst(known: Case): boolean {
  const { life, endedAt } = known;
  const { terminal, deletion } = life;
  if (terminal === undefined) return false;
  if (deletion === undefined || terminalOrder(known) === 'before') return true;
  return terminal.at < deletion.requested && endedAt < deletion.requested;
}

/**
 * Nobody had deleted it when it ended or its kubelet decided that. `decided`: when that was, by the clock of its node, which is
 * not that of the API server and may be minutes off: where its last state was written after its deletion, these are no order.
 * Then the Event is, which a kubelet sends when it decides.
 */
export function isClearlyFirst(known: Case, decided: readonly number[], sent: readonly Evidence[] = []): boolean {
  const { deletion } = known.life;
  const order = terminalOrder(known);
  if (deletion === undefined || order === 'before') return true;
  if (sent.some((event) => isSentBeforeDeletion(known, event))) return true;
  const times = [...decided, ...sent.map(({ at }) => at)];
  return order !== 'after' && times.some((at) => at < deletion.requested - CLOCK_SLACK_MS);
}

/** By the order in which both were written, or by when the recorder saw them. */
function isSentBeforeDeletion({ life, endSeenAt, endVersion }: Case, event: Evidence): boolean {
  const { deletion } = life;
  if (deletion === undefined) return false;
  const seenIn: FirstSeen | undefined = deletion.seenIn ?? endVersion;
  // A listing shows a deletion later than it was.
  if (seenIn !== undefined && seenIn.listed !== true && seenIn.epoch === event.epoch)
    return compareFirstSeen(event, seenIn) < 0;
  return event.observedAt < (endSeenAt ?? deletion.requested) - CLOCK_SLACK_MS;
}

/** Nobody reached its node since, so that its kubelet could not say that it had ended. */
export function isEndOfUnreachable({ life, node, endedAt }: Case): boolean {
  const ready = ofKind(node, 'condition').filter(({ reason, at }) => reason.startsWith('Ready=') && at <= endedAt);
  const lost = ready.at(-1);
  return lost?.reason === 'Ready=Unknown' && life.terminal !== undefined && life.terminal.at <= lost.at;
}

/**
 * A reason in its status, if it was there before anybody deleted it. A kubelet that had decided to end the pod writes it
 * down when that is done, and somebody may have deleted it meanwhile.
 */
export function statusReason(known: Case): NonNullable<PodLife['terminal']> | undefined {
  const { terminal, deletion } = known.life;
  if (terminal === undefined || (terminal.reason === '' && terminal.message === '')) return undefined;
  if (deletion === undefined || terminalOrder(known) === 'before') return terminal;
  return terminal.at <= deletion.requested + 2 * SECOND_MS ? terminal : undefined;
}
