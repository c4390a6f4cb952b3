// The scheduler made room for a pod of a higher priority, or for a group of them.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { isAskedByOthers, isDisruptedBy } from '../first-disruption.ts';
import { events, isAroundEnd } from '../traces.ts';
import { certain } from '../verdict.ts';

export function preemption(known: Case): Verdict | undefined {
  const event = events(known.pod, 'Preempted').find((one) => isAroundEnd(known, one) && !isInMemory(one));
  // Up to 1.26 the condition had another name, and before 1.25 there was none.
  if (!isDisruptedBy(known, 'PreemptionByScheduler', 'PreemptionByKubeScheduler')) {
    if (event === undefined || known.life.disruption !== undefined) return undefined;
    if (isOfWaiting(known, event) || isAskedByOthers(known, 'PreemptionByScheduler')) return undefined;
  }
  const evidence = event === undefined ? [] : [event];
  const preemptor = event === undefined ? undefined : preemptorOf(event);
  const group = /higher priority podgroup/.test(known.life.disruption?.message ?? '') ? 'a group of pods' : 'a pod';
  return certain('Preempted', `was preempted by ${preemptor ?? `${group} of a higher priority`}.`, evidence, preemptor);
}

/** The victim was not bound yet: it goes back into the queue of the scheduler, and nothing is deleted. */
function isInMemory({ message }: Evidence): boolean {
  return message.includes('in kube-scheduler memory');
}

/** A pod that waits to be bound goes back into the queue of the scheduler, which sends the same event and deletes nothing. */
function isOfWaiting({ life }: Case, event: Evidence): boolean {
  return life.pod.node === '' || (life.scheduled !== undefined && life.scheduled > event.at);
}

function preemptorOf(event: Evidence): string | undefined {
  const { related } = event;
  if (related !== undefined && related.name !== '') {
    const name = related.namespace === '' ? related.name : `${related.namespace}/${related.name}`;
    return related.kind === 'PodGroup' ? `podgroup ${name}` : name;
  }
  const [, kind, uid] = PREEMPTED_BY.exec(event.message) ?? [];
  return uid === undefined ? undefined : `${kind} ${uid}`;
}

const PREEMPTED_BY = /^Preempted by (?:a )?(pod|podgroup) (\S+)/;

/** "Preempted by pod UID on node worker-2"; of a group there is no life. */
export function preemptorUid({ message }: Evidence): string | undefined {
  const [, kind, uid] = PREEMPTED_BY.exec(message) ?? [];
  return kind === 'pod' ? uid : undefined;
}
