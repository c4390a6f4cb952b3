// Who evicted a pod, by what autoscalers and the descheduler say and take back.
import { aCase, disrupted, END, event, evidence, NODE, POD } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const EVICTION = 'EvictionByEvictionAPI';
const TAINT = { reason: 'ToBeDeletedByClusterAutoscaler=1:NoSchedule' };
const said = (seconds: number) =>
  event(POD, 'cluster-autoscaler', 'ScaleDown', seconds, 'deleting pod for node scale down');
const tainted = (seconds: number) => evidence(NODE, 'tainted', seconds, TAINT);
const untainted = (seconds: number) => evidence(NODE, 'untainted', seconds, TAINT);
const cordoned = (seconds: number) => evidence(NODE, 'cordoned', seconds);

verdictTable('an autoscaler that said what it would do', {
  'it gave up and took its taint back, and then a person drained the node': [
    aCase(disrupted(EVICTION), {
      pod: [said(END - 124)],
      node: [tainted(END - 126), untainted(END - 10), cordoned(END - 5)],
    }),
    {
      ...{ cause: 'Evicted', certainty: 'inferred', cites: 2 },
      sentence: 'was evicted: worker-2 was drained, by cluster-autoscaler or by somebody else.',
    },
  ],
  'it took its taint back ten seconds before': [
    aCase(disrupted(EVICTION), { pod: [said(END - 60)], node: [tainted(END - 62), untainted(END - 10)] }),
    {
      ...{ certainty: 'inferred', actor: 'cluster-autoscaler' },
      sentence: 'was evicted by cluster-autoscaler, or by somebody else after that had given up.',
    },
  ],
  'it takes its taint back when the pod is ending: that is done': [
    aCase(disrupted(EVICTION), { pod: [said(END - 60)], node: [tainted(END - 62), untainted(END + 20)] }),
    { certainty: 'certain', actor: 'cluster-autoscaler', sentence: 'was evicted by cluster-autoscaler.' },
  ],
  'the node is cordoned meanwhile: a drain may have come first': [
    aCase(disrupted(EVICTION), { pod: [said(END - 60)], node: [tainted(END - 62), cordoned(END - 5)] }),
    { certainty: 'inferred', actor: 'cluster-autoscaler' },
  ],
});

verdictTable('the descheduler', {
  'the reason is its strategy, as it has been since 2022': [
    aCase(disrupted(EVICTION), {
      pod: [
        event(
          POD,
          'sigs.k8s.io.descheduler',
          'LowNodeUtilization',
          END,
          'pod eviction from worker-2 node by sigs.k8s.io/descheduler',
        ),
      ],
      node: [cordoned(900)],
    }),
    { certainty: 'certain', actor: 'descheduler', sentence: 'was evicted by descheduler.' },
  ],
  'others may use the same reasons': [
    aCase(disrupted(EVICTION), { pod: [event(POD, 'somebody', 'LowNodeUtilization', END)] }),
    { actor: undefined },
  ],
});
