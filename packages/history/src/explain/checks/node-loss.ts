// Its node went. Pods of a deleted Node are collected, with a condition that says so. Without one it is inferred, and
// only where nobody saw a request to delete the pod.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { isDisruptedBy } from '../first-disruption.ts';
import { isTerminalFirst, statusReason } from '../terminal.ts';
import { isBeforeEnd, isSeenToEnd, MINUTE_MS, ofKind, standingAtEnd } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

/** The collector of pods waits 40 s for a Node to come back, and looks around every 20 s. */
const COLLECTED_WITHIN_MS = 15 * MINUTE_MS;

export function nodeGone(known: Case): Verdict | undefined {
  if (!isDisruptedBy(known, 'DeletionByPodGC')) return undefined;
  const { node } = known.life.pod;
  const deleted = deletions(known);
  // A pod may name a node that never was, and a node that was deleted may have been so before anybody watched.
  const why = deleted.length > 0 ? `Node ${node} was deleted` : `there was no Node ${node}`;
  return certain('NodeGone', `ended because ${why}.`, deleted);
}

export function nodeLoss(known: Case): Verdict | undefined {
  const { life } = known;
  const { node } = life.pod;
  if (node === '' || life.disruption !== undefined) return undefined;
  if (statusReason(known)?.reason === 'NodeLost') {
    return certain('NodeUnreachable', `was deleted because ${node} was unreachable.`, unreachable(known));
  }
  const outOfService = outOfServiceTaint(known);
  if (outOfService !== undefined) {
    const sentence = `ended because ${node} was declared out of service, or was deleted on request while it was.`;
    return inferred('OutOfService', sentence, [outOfService]);
  }
  if (isSeenToEnd(life)) return undefined;
  const gone = deletions(known);
  if (gone.length > 0) return inferred('NodeGone', `ended because Node ${node} was deleted.`, gone);
  const lost = unreachable(known);
  if (lost.length > 0) return inferred('NodeUnreachable', `was deleted because ${node} was unreachable.`, lost);
  return undefined;
}

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/**
 * The collector of pods acts only where the node is not ready, and on no pod that ended by itself: the taint is taken away by
 * hand, and may stay for long when the node is back.
 */
function outOfServiceTaint(known: Case): Evidence | undefined {
  if (isTerminalFirst(known)) return undefined;
  const isReady = ({ reason }: Evidence) => reason === 'Ready=True';
  const conditions = ofKind(known.node, 'condition').filter(({ reason }) => reason.startsWith('Ready='));
  if (standingAtEnd(known, conditions, (one) => !isReady(one)) === undefined) return undefined;
  return standingAtEnd(
    known,
    ofKind(known.node, 'tainted', 'untainted').filter(({ reason }) => reason.startsWith(OUT_OF_SERVICE)),
    ({ what }) => what === 'tainted',
  );
}

function deletions(known: Case): Evidence[] {
  const gone = standingAtEnd(known, ofKind(known.node, 'created', 'deleted'), ({ what }) => what === 'deleted');
  return gone !== undefined && isBeforeEnd(known, gone, COLLECTED_WITHIN_MS) ? [gone] : [];
}

/** It was so when the pod ended. */
function unreachable(known: Case): Evidence[] {
  const lost = standingAtEnd(
    known,
    ofKind(known.node, 'condition').filter(({ reason }) => reason.startsWith('Ready=')),
    ({ reason }) => reason === 'Ready=Unknown',
  );
  return lost === undefined ? [] : [lost];
}
