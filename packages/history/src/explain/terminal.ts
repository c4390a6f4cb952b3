// Whether a pod ended by itself or by its kubelet's word, before anybody deleted it, and what its status says of it.
import type { PodLife } from '../model/pod-life.ts';
import type { Case } from './case.ts';
import { terminalOrder } from './seen-order.ts';
import { SECOND_MS } from './traces.ts';

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
 * A reason in its status, if it was there before anybody deleted it. A kubelet that had decided to end the pod writes it
 * down when that is done, and somebody may have deleted it meanwhile.
 */
export function statusReason(known: Case): NonNullable<PodLife['terminal']> | undefined {
  const { terminal, deletion } = known.life;
  if (terminal === undefined || (terminal.reason === '' && terminal.message === '')) return undefined;
  if (deletion === undefined || terminalOrder(known) === 'before') return terminal;
  return terminal.at <= deletion.requested + 2 * SECOND_MS ? terminal : undefined;
}
