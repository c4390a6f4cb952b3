// The kubelet did not admit it. That is decided and written at once: who was to be deleted before had ended before. A kubelet
// that was started again admits its pods once more, those that run, too: one that does not fit any more is ended, with the
// same words in its status.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { firstDisruption } from '../first-disruption.ts';
import { terminalOrder } from '../seen-order.ts';
import { statusReason } from '../terminal.ts';
import { events, isAroundEnd, isBeforeEnd, MINUTE_MS } from '../traces.ts';
import { certain } from '../verdict.ts';

const REASONS = new Set([
  ...['NodeAffinity', 'NodeShutdown', 'UnexpectedAdmissionError', 'TopologyAffinityError', 'NodeName', 'NodePorts'],
  ...['AppArmor', 'SysctlForbidden', 'PodFeatureUnsupported', 'UnsupportedFieldValue', 'InvalidNodeInfo'],
  ...['PodLevelResourcesNotAdmittedReason', 'OutOfpods'],
]);
const BEGINNING = 'Pod was rejected';
/** Since 1.34: while it waits for volumes, which a pod may do that is made again after its node was booted. */
const WITHOUT_ADMISSION = 'VolumeAttachmentLimitExceeded';

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
  const why = reason === '' ? 'admission' : reason;
  if (!hasRun(known)) return certain('Rejected', `was rejected by the kubelet of ${node}: ${why}.`, evidence);
  if (reason === WITHOUT_ADMISSION)
    return certain('Rejected', `had run, and was rejected by the kubelet of ${node}: ${why}.`, evidence);
  const sentence = `had run, and was rejected by the kubelet of ${node} when that was started again: ${why}.`;
  return certain('Rejected', sentence, [...kubeletStarts(known), ...evidence]);
}

/** Its network was up, or a container had ended: a kubelet rejects before it makes a sandbox. Its last state shows none of it. */
function hasRun({ life: { networkUp, ready, restarts, endings } }: Case): boolean {
  return networkUp !== undefined || ready !== undefined || restarts > 0 || endings.length > 0;
}

/** It is killed before its last state is written: within ten seconds by real kubelets, which give it one second and not its grace. */
const KILLED_WITHIN_MS = 15 * MINUTE_MS;

/** The last time before the end. */
function kubeletStarts(known: Case): Evidence[] {
  return events(known.node, 'Starting')
    .filter((one) => one.by === 'kubelet' && isBeforeEnd(known, one, KILLED_WITHIN_MS))
    .slice(-1);
}
