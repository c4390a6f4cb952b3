// It ran longer than its own activeDeadlineSeconds. That of its Job is shown by the Job: job.ts.
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { firstDisruption } from '../first-disruption.ts';
import { isClearlyFirst, statusReason } from '../terminal.ts';
import { events, isAroundEnd } from '../traces.ts';
import { certain, doubted } from '../verdict.ts';

export function deadline(known: Case): Verdict | undefined {
  const status = statusReason(known);
  if (status?.reason !== 'DeadlineExceeded' || firstDisruption(known) !== undefined) return undefined;
  const evidence = events(known.pod, 'DeadlineExceeded').filter((one) => isAroundEnd(known, one));
  const verdict = certain('Deadline', 'ended because it ran longer than its active deadline.', evidence);
  return isClearlyFirst(known, [status.at], evidence)
    ? verdict
    : doubted(verdict, 'unless somebody had deleted it before');
}
