// What of a scheduler's words about a preemption is a reason of an end, and who it names.
import { at } from '../../engines/testing/record-builders.ts';
import { aCase, aLife, because, disrupted, END, event, evidence, object, POD } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const preempted = (message: string, seconds = END) => event(POD, 'default-scheduler', 'Preempted', seconds, message);
const IN_MEMORY = 'Preempted by pod 1234 on node worker-2 (in kube-scheduler memory).';

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
