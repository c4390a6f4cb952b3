// Pods that a kubelet did not take, by their status: they never ran, or ran until their kubelet was started again.
import { at } from '../../engines/testing/record-builders.ts';
import type { PodLife } from '../../model/pod-life.ts';
import { aCase, END, event, NODE, POD, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

/** A kubelet did not admit it, and it never ran. */
const notAdmitted = (reason: string, message: string, more: Partial<PodLife> = {}) =>
  terminated('Failed', reason, message, { ready: undefined, ...more });

verdictTable('rejected pods', {
  'a pod that its kubelet did not take': [
    aCase(notAdmitted('OutOfcpu', 'Pod was rejected: Node did not have enough resource: cpu')),
    { cause: 'Rejected', certainty: 'certain', sentence: 'was rejected by the kubelet of worker-2: OutOfcpu.' },
  ],
  'one that had run, whose kubelet was started again on a node with other labels': [
    aCase(terminated('Failed', 'NodeAffinity', 'Pod was rejected: Predicate NodeAffinity failed', { ready: at(3) }), {
      node: [event(NODE, 'kubelet', 'Starting', END - 900_000), event(NODE, 'kubelet', 'Starting', END - 3)],
      pod: [event(POD, 'kubelet', 'NodeAffinity', END - 1)],
    }),
    {
      ...{ cause: 'Rejected', certainty: 'certain', cites: 2 },
      sentence: 'had run, and was rejected by the kubelet of worker-2 when that was started again: NodeAffinity.',
    },
  ],
  'one whose init container ran, or whose network was up': [
    aCase(notAdmitted('OutOfcpu', 'Pod was rejected: Node did not have enough resource: cpu', { networkUp: at(2) })),
    {
      cause: 'Rejected',
      sentence: 'had run, and was rejected by the kubelet of worker-2 when that was started again: OutOfcpu.',
    },
  ],
  'one that had run, and whose volumes its node cannot attach any more': [
    aCase(terminated('Failed', 'VolumeAttachmentLimitExceeded', 'Pod was rejected: volume attachment limit exceeded')),
    {
      cause: 'Rejected',
      sentence: 'had run, and was rejected by the kubelet of worker-2: VolumeAttachmentLimitExceeded.',
    },
  ],
  'a reason that nobody knows, and a message that says it': [
    aCase(notAdmitted('NewReason', 'Pod was rejected: for a new reason')),
    { cause: 'Rejected' },
  ],
  'NodeShutdown means that it was not taken': [
    aCase(notAdmitted('NodeShutdown', 'Pod was rejected as the node is shutting down.')),
    { cause: 'Rejected', sentence: 'was rejected by the kubelet of worker-2: NodeShutdown.' },
  ],
  NodeAffinity: [aCase(notAdmitted('NodeAffinity', 'Predicate NodeAffinity failed')), { cause: 'Rejected' }],
});
