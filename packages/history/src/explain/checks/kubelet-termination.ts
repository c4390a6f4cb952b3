// The kubelet ended it: its node was short of something, a critical pod needed its place, or the node shut down. The
// condition is one for all; the status says which. A limit of the pod's own storage has no condition. Where the containers
// end well when they are asked to, kubelets write `Succeeded` and nothing else into the status: then the message of the
// condition says which, or the kubelet's event.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { firstDisruption, isDisruptedBy } from '../first-disruption.ts';
import { disruptionOrder } from '../seen-order.ts';
import { isClearlyFirst, statusReason } from '../terminal.ts';
import { events, isAroundEnd, isBeforeEnd, MINUTE_MS, ofKind } from '../traces.ts';
import { certain, doubted } from '../verdict.ts';

/** A shortage of the node, in the words of every version. */
const LOW = /^The node (was low|had condition)/i;
/** As long as graces are in practice. */
const DECIDED_BEFORE_MS = 15 * MINUTE_MS;

export function kubeletTermination(known: Case): Verdict | undefined {
  const words = kubeletWords(known);
  const verdict = words && verdictOf(known, words);
  if (words === undefined || verdict === undefined || isDecidedFirst(known, words.reason)) return verdict;
  return doubted(verdict, 'unless somebody had deleted it before');
}

function verdictOf(known: Case, words: Words): Verdict | undefined {
  const { node } = known.life.pod;
  switch (words.reason) {
    case 'Evicted':
      if (!isDisruptedBy(known, 'TerminationByKubelet') && isStorageLimit(words.message)) {
        const sentence = `was evicted: it exceeded ${storageLimit(words.message)}.`;
        return certain('StorageLimit', sentence, kubeletEvents(known, 'Evicted'));
      }
      return certain('NodePressure', `was evicted: ${node} was short of ${shortage(known, words.message)}.`, [
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

interface Words {
  readonly reason: string;
  readonly message: string;
}

const REASONS = new Set(['Evicted', 'Preempting', 'Terminated', 'Shutdown']);

/** What the kubelet said when it ended the pod, in its status, its condition or an event; undefined if it did not end it. */
export function kubeletWords(known: Case): Words | undefined {
  const disruption = firstDisruption(known);
  const isByKubelet = isDisruptedBy(known, 'TerminationByKubelet');
  // Another first reason is the cause, whatever the kubelet wrote later.
  if (disruption !== undefined && !isByKubelet) return undefined;
  const status = statusReason(known);
  if (status !== undefined && REASONS.has(status.reason)) return status;
  return (isByKubelet && ofCondition(disruption?.message ?? '')) || decision(known);
}

function ofCondition(message: string): Words | undefined {
  if (/preempted by kubelet/i.test(message)) return { reason: 'Preempting', message };
  if (/node shutdown/i.test(message)) return { reason: 'Terminated', message };
  return LOW.test(message) ? { reason: 'Evicted', message } : undefined;
}

/** It is sent before the containers are asked to end; they have their whole grace then. Who deletes it meanwhile is late. */
function decision(known: Case): Words | undefined {
  const requested = known.life.deletion?.requested ?? Number.POSITIVE_INFINITY;
  return events(known.pod, 'Evicted', 'Preempting').find(
    (one) => one.by === 'kubelet' && one.at < requested && isBeforeEnd(known, one, DECIDED_BEFORE_MS),
  );
}

/** Nobody had deleted it when its kubelet decided: by the order in which that was written, or clearly by their clocks. */
function isDecidedFirst(known: Case, reason: string): boolean {
  const { disruption } = known.life;
  const isByKubelet = isDisruptedBy(known, 'TerminationByKubelet');
  if (isByKubelet && disruptionOrder(known) !== 'unknown') return true;
  const status = statusReason(known);
  const decided = [
    ...(isByKubelet && disruption !== undefined ? [disruption.at] : []),
    ...(status?.reason === reason ? [status.at] : []),
  ];
  const isOfPod = reason === 'Evicted' || reason === 'Preempting';
  return isClearlyFirst(known, decided, isOfPod ? kubeletEvents(known, reason) : shutdowns(known));
}

function storageLimit(message: string): string {
  const volume = /EmptyDir volume "([^"]+)"/i.exec(message)?.[1];
  return volume === undefined ? 'its limit of local storage' : `the limit of its volume ${volume}`;
}

/** Of the pod, of a container, or of an emptyDir; a shortage of the node is worded otherwise. */
function isStorageLimit(message: string): boolean {
  return !LOW.test(message) && /exceed/i.test(message);
}

function shortage({ node }: Case, message: string): string {
  const resource = /low on resource: ([\w.-]+?)\.?(?:\s|$)/i.exec(message)?.[1];
  if (resource !== undefined) return resource;
  const condition =
    /\[(\w+)\]/.exec(message)?.[1] ??
    ofKind(node, 'condition').findLast(({ reason }) => /Pressure=True$/.test(reason))?.reason;
  return condition?.replace(/Pressure(=True)?$/, '').toLowerCase() ?? 'a resource';
}

function pressure(known: Case): Evidence[] {
  return ofKind(known.node, 'condition').filter(
    (one) => /Pressure=True$/.test(one.reason) && isBeforeEnd(known, one, 15 * MINUTE_MS),
  );
}

/** Others use the same word: karpenter's `Evicted` is not the kubelet's. */
function kubeletEvents(known: Case, reason: string): Evidence[] {
  return events(known.pod, reason).filter(
    (one) => one.by === 'kubelet' && (isAroundEnd(known, one) || isBeforeEnd(known, one, DECIDED_BEFORE_MS)),
  );
}

function shutdowns(known: Case): Evidence[] {
  return events(known.node, 'Shutdown').filter((one) => isBeforeEnd(known, one, 15 * MINUTE_MS));
}
