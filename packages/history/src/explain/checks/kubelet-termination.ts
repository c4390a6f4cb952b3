// The kubelet ended it: its node was short of something, a critical pod needed its place, or the node shut down. The
// condition is one for all; the status says which. A limit of the pod's own storage has no condition.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import {
  events,
  firstDisruption,
  isAroundEnd,
  isBeforeEnd,
  isDisruptedBy,
  MINUTE_MS,
  ofKind,
  statusReason,
} from '../traces.ts';
import { certain } from '../verdict.ts';

export function kubeletTermination(known: Case): Verdict | undefined {
  const { node } = known.life.pod;
  const status = statusReason(known);
  const isByKubelet = isDisruptedBy(known, 'TerminationByKubelet');
  // Another first reason is the cause, whatever the kubelet wrote later.
  if (status === undefined || (firstDisruption(known) !== undefined && !isByKubelet)) return undefined;
  switch (status.reason) {
    case 'Evicted':
      if (!isByKubelet && isStorageLimit(status.message)) return storageLimit(known, status.message);
      return certain('NodePressure', `was evicted: ${node} was short of ${shortage(known, status.message)}.`, [
        ...pressure(known),
        ...kubeletEvents(known, 'Evicted'),
      ]);
    case 'Preempting':
      return certain(
        'KubeletPreemption',
        `was ended by the kubelet of ${node} to make room for a critical pod.`,
        kubeletEvents(known, 'Preempting'),
      );
    case 'Terminated':
    // Before 1.22.
    case 'Shutdown':
      return certain('NodeShutdown', `ended because ${node} was shut down.`, shutdowns(known));
    default:
      return undefined;
  }
}

function storageLimit(known: Case, message: string): Verdict {
  const volume = /EmptyDir volume "([^"]+)"/i.exec(message)?.[1];
  const what = volume === undefined ? 'its limit of local storage' : `the limit of its volume ${volume}`;
  return certain('StorageLimit', `was evicted: it exceeded ${what}.`, kubeletEvents(known, 'Evicted'));
}

/** Of the pod, of a container, or of an emptyDir; a shortage of the node is worded otherwise. */
function isStorageLimit(message: string): boolean {
  return !/^The node (was low|had condition)/i.test(message) && /exceed/i.test(message);
}

function shortage({ node }: Case, message: string): string {
  const named = /low on resource: ([\w.-]+?)\.?(?:\s|$)/i.exec(message)?.[1] ?? /\[(\w+)\]/.exec(message)?.[1];
  if (named !== undefined) return named;
  const condition = ofKind(node, 'condition').findLast(({ reason }) => /Pressure=True$/.test(reason));
  return condition === undefined ? 'a resource' : condition.reason.replace('Pressure=True', '').toLowerCase();
}

function pressure(known: Case): Evidence[] {
  return ofKind(known.node, 'condition').filter(
    (one) => /Pressure=True$/.test(one.reason) && isBeforeEnd(known, one, 15 * MINUTE_MS),
  );
}

/** Others use the same word: karpenter's `Evicted` is not the kubelet's. */
function kubeletEvents(known: Case, reason: string): Evidence[] {
  return events(known.pod, reason).filter((one) => one.by === 'kubelet' && isAroundEnd(known, one));
}

function shutdowns(known: Case): Evidence[] {
  return events(known.node, 'Shutdown').filter((one) => isBeforeEnd(known, one, 15 * MINUTE_MS));
}
