// It ran longer than its own activeDeadlineSeconds. That of its Job is shown by the Job: job.ts.
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { firstDisruption } from '../first-disruption.ts';
import { statusReason } from '../terminal.ts';
import { events, isAroundEnd } from '../traces.ts';
import { certain } from '../verdict.ts';

export function deadline(known: Case): Verdict | undefined {
  if (statusReason(known)?.reason !== 'DeadlineExceeded' || firstDisruption(known) !== undefined) return undefined;
  const evidence = events(known.pod, 'DeadlineExceeded').filter((one) => isAroundEnd(known, one));
  return certain('Deadline', 'ended because it ran longer than its active deadline.', evidence);
}
