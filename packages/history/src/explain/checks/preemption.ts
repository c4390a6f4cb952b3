// The scheduler made room for a pod of a higher priority.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { isDisruptedBy } from '../first-disruption.ts';
import { events, isAroundEnd } from '../traces.ts';
import { certain } from '../verdict.ts';

export function preemption(known: Case): Verdict | undefined {
  const event = events(known.pod, 'Preempted').find((one) => isAroundEnd(known, one));
  // Up to 1.26 the condition had another name.
  if (!isDisruptedBy(known, 'PreemptionByScheduler', 'PreemptionByKubeScheduler')) {
    if (event === undefined || known.life.disruption !== undefined) return undefined;
  }
  const evidence = event === undefined ? [] : [event];
  const preemptor = event === undefined ? undefined : preemptorOf(event);
  return certain('Preempted', `was preempted by ${preemptor ?? 'a pod of a higher priority'}.`, evidence, preemptor);
}

function preemptorOf(event: Evidence): string | undefined {
  const { related } = event;
  if (related !== undefined && related.name !== '') {
    return related.namespace === '' ? related.name : `${related.namespace}/${related.name}`;
  }
  const uid = preemptorUid(event);
  return uid === undefined ? undefined : `pod ${uid}`;
}

/** "Preempted by pod UID on node worker-2" */
export function preemptorUid({ message }: Evidence): string | undefined {
  return /^Preempted by (?:a )?pod (\S+)/.exec(message)?.[1];
}
