// What of a scheduler's words about a preemption is a reason of an end, and who it names.
import { at } from '../../engines/testing/record-builders.ts';
import { aCase, aLife, aPod, because, disrupted, END, event, evidence, object, POD } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const preempted = (message: string, seconds = END) => event(POD, 'default-scheduler', 'Preempted', seconds, message);
const IN_MEMORY = 'Preempted by pod 1234 on node worker-2 (in kube-scheduler memory).';

verdictTable('preemption', {
  'the event names the preemptor': [
    aCase(disrupted('PreemptionByScheduler'), {
      pod: [
        evidence(POD, 'event', END, {
          by: 'default-scheduler',
          reason: 'Preempted',
          message: 'Preempted by pod uid-big-1 on node worker-2',
          related: object('Pod', 'big-1'),
        }),
      ],
    }),
    {
      cause: 'Preempted',
      certainty: 'certain',
      sentence: 'was preempted by shop/big-1.',
      actor: 'shop/big-1',
      cites: 1,
    },
  ],
  // Schedulers send the event also for a pod that waits to be bound: they put that back into their queue, and delete nothing.
  'a pod that was to be bound and was preempted before is not ended by that: who deletes it later does': [
    aCase(aLife({ pod: aPod('cart-1', { node: '' }), scheduled: undefined }), {
      pod: [event(POD, 'default-scheduler', 'Preempted', END - 8, 'Preempted by pod uid-big-1 on node worker-2')],
    }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'the same pod once it is bound to another node': [
    aCase(aLife({ scheduled: at(END - 5) }), {
      pod: [event(POD, 'default-scheduler', 'Preempted', END - 8, 'Preempted by pod uid-big-1 on node worker-3')],
    }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'the event of a cluster from before 1.26, which has no condition': [
    aCase(aLife(), {
      pod: [event(POD, 'default-scheduler', 'Preempted', END, 'Preempted by pod uid-big-1 on node worker-2')],
    }),
    { cause: 'Preempted', certainty: 'certain', actor: 'pod uid-big-1' },
  ],
  'an event without a condition, and the audit log has who deleted it first': [
    aCase(aLife(), {
      pod: [
        evidence(POD, 'audited', END, { reason: 'delete', by: 'alice' }),
        event(POD, 'default-scheduler', 'Preempted', END + 1, 'Preempted by pod uid-big-1 on node worker-2'),
      ],
    }),
    { cause: 'DeletedOnRequest', certainty: 'certain', actor: 'alice' },
  ],
  'without the event the condition is enough': [
    aCase(disrupted('PreemptionByKubeScheduler')),
    { cause: 'Preempted', certainty: 'certain', sentence: 'was preempted by a pod of a higher priority.', cites: 0 },
  ],
  'an event without a related object has the UID in its message': [
    aCase(disrupted('PreemptionByScheduler'), {
      pod: [event(POD, 'default-scheduler', 'Preempted', END, 'Preempted by pod 1234-5678 on node worker-2')],
    }),
    { actor: 'pod 1234-5678' },
  ],
});

verdictTable('a preemption in the memory of the scheduler, which deletes nothing', {
  'a person deletes the pod three seconds later': [
    aCase(aLife({ scheduled: at(END - 20) }), { pod: [preempted(IN_MEMORY, END - 3)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'it is preempted by another pod soon after: that one is named': [
    aCase(disrupted('PreemptionByScheduler'), {
      pod: [preempted(IN_MEMORY, END - 3), preempted('Preempted by pod 5678 on node worker-2')],
    }),
    { cause: 'Preempted', certainty: 'certain', sentence: 'was preempted by pod 5678.', cites: 1 },
  ],
});

verdictTable('a group of pods that preempts', {
  'the event has its UID': [
    aCase(disrupted('PreemptionByScheduler'), {
      pod: [preempted('Preempted by podgroup uid-of-group on node cluster')],
    }),
    { certainty: 'certain', sentence: 'was preempted by podgroup uid-of-group.', actor: 'podgroup uid-of-group' },
  ],
  'the event names it': [
    aCase(disrupted('PreemptionByScheduler'), {
      pod: [
        evidence(POD, 'event', END, {
          ...{ by: 'default-scheduler', reason: 'Preempted', related: object('PodGroup', 'train') },
          message: 'Preempted by podgroup uid-of-group on node cluster',
        }),
      ],
    }),
    { sentence: 'was preempted by podgroup shop/train.', actor: 'podgroup shop/train' },
  ],
  'without the event the condition says that it was a group': [
    aCase(
      aLife({
        disruption: because(
          'PreemptionByScheduler',
          END,
          'default-scheduler: preempting to accommodate a higher priority podgroup',
        ),
      }),
    ),
    { certainty: 'certain', sentence: 'was preempted by a group of pods of a higher priority.' },
  ],
});
