// The audit log names a part of Kubernetes that deletes pods for one reason only. That says the cause also where nobody saw
// the DisruptionTarget that it writes first: the end was not watched, or its version writes none.
import type { Evidence } from '../../model/evidence.ts';
import { firstDeletion } from '../audited.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { isOf } from '../first-disruption.ts';
import { isTerminalFirst } from '../terminal.ts';
import { CLOCK_SLACK_MS, isSeenToEnd } from '../traces.ts';
import { certain } from '../verdict.ts';
import { byTaints } from './taint.ts';

export function deletedByController(known: Case): Verdict | undefined {
  const request = firstDeletion(known);
  if (request === undefined || isTerminalFirst(known)) return undefined;
  if (isOf('PreemptionByScheduler', request))
    return certain('Preempted', 'was preempted by a pod of a higher priority.', [request]);
  if (isOf('DeletionByDeviceTaintManager', request))
    return certain('DeviceTaint', 'was deleted because a device that it used was tainted.', [request]);
  return isOf('DeletionByTaintManager', request) ? byTaints(asOf(known, request), request) : undefined;
}

/** Where nobody saw the end, the request says when it was: what was put on its node later is not why. */
function asOf(known: Case, request: Evidence): Case {
  if (isSeenToEnd(known.life)) return known;
  const node = known.node.filter(({ at }) => at <= request.at + CLOCK_SLACK_MS);
  return { ...known, node, endedAt: request.at };
}
