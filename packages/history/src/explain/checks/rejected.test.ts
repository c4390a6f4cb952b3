// Pods that a kubelet did not take, by their status.
import { aCase, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

verdictTable('rejected pods', {
  'a pod that its kubelet did not take': [
    aCase(terminated('Failed', 'OutOfcpu', 'Pod was rejected: Node did not have enough resource: cpu')),
    { cause: 'Rejected', certainty: 'certain', sentence: 'was rejected by the kubelet of worker-2: OutOfcpu.' },
  ],
  'a reason that nobody knows, and a message that says it': [
    aCase(terminated('Failed', 'NewReason', 'Pod was rejected: for a new reason')),
    { cause: 'Rejected' },
  ],
  'NodeShutdown means that it was not taken': [
    aCase(terminated('Failed', 'NodeShutdown', 'Pod was rejected as the node is shutting down.')),
    { cause: 'Rejected', sentence: 'was rejected by the kubelet of worker-2: NodeShutdown.' },
  ],
  NodeAffinity: [aCase(terminated('Failed', 'NodeAffinity', 'Predicate NodeAffinity failed')), { cause: 'Rejected' }],
});
