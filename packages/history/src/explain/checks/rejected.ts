// The kubelet did not take it: it never ran there. That is decided and written at once: who was to be deleted before had
// ended before.
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { firstDisruption } from '../first-disruption.ts';
import { terminalOrder } from '../seen-order.ts';
import { statusReason } from '../terminal.ts';
import { isAroundEnd } from '../traces.ts';
import { certain } from '../verdict.ts';

const REASONS = new Set([
  ...['NodeAffinity', 'NodeShutdown', 'UnexpectedAdmissionError', 'TopologyAffinityError', 'NodeName', 'NodePorts'],
  ...['AppArmor', 'SysctlForbidden', 'PodFeatureUnsupported', 'UnsupportedFieldValue', 'InvalidNodeInfo'],
  ...['PodLevelResourcesNotAdmittedReason', 'OutOfpods'],
]);
const BEGINNING = 'Pod was rejected';

export function rejected(known: Case): Verdict | undefined {
  const status = statusReason(known);
  if (status === undefined || firstDisruption(known) !== undefined || terminalOrder(known) === 'after')
    return undefined;
  const { reason, message } = status;
  if (!REASONS.has(reason) && !/^OutOf[a-z]/.test(reason) && !message.startsWith(BEGINNING)) return undefined;
  const { node } = known.life.pod;
  const evidence = known.pod.filter(
    (one) => one.what === 'event' && one.by === 'kubelet' && one.reason === reason && isAroundEnd(known, one),
  );
  return certain(
    'Rejected',
    `was rejected by the kubelet of ${node}: ${reason === '' ? 'admission' : reason}.`,
    evidence,
  );
}
