// Who evicted a pod, by what autoscalers and the descheduler say and take back.
import { at } from '../../engines/testing/record-builders.ts';
import type { Evidence } from '../../model/evidence.ts';
import { aCase, aLife, because, disrupted, END, event, evidence, NODE, POD } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const EVICTION = 'EvictionByEvictionAPI';
const TAINT = 'ToBeDeletedByClusterAutoscaler=1:NoSchedule';
const said = (seconds: number) =>
  event(POD, 'cluster-autoscaler', 'ScaleDown', seconds, 'deleting pod for node scale down');
const tainted = (seconds: number, reason = TAINT) => evidence(NODE, 'tainted', seconds, { reason });
const untainted = (seconds: number) => evidence(NODE, 'untainted', seconds, { reason: TAINT });
const cordoned = (seconds: number) => evidence(NODE, 'cordoned', seconds);
const uncordoned = (seconds: number) => evidence(NODE, 'uncordoned', seconds);

verdictTable('the Eviction API', {
  'an eviction from a cordoned node is a drain': [
    aCase(disrupted(EVICTION), { node: [cordoned(900)] }),
    { cause: 'Evicted', certainty: 'inferred', sentence: 'was evicted: worker-2 was drained.', cites: 1 },
  ],
  'a cordon that was taken back before is no drain': [
    aCase(disrupted(EVICTION), { node: [cordoned(800), uncordoned(900)] }),
    {
      cause: 'Evicted',
      certainty: 'certain',
      sentence: 'was evicted through the Eviction API; by whom is not known.',
      cites: 0,
    },
  ],
  'a cordon that is taken back right after the eviction was a drain': [
    aCase(disrupted(EVICTION), { node: [cordoned(900), uncordoned(END + 2)] }),
    { cause: 'Evicted', sentence: 'was evicted: worker-2 was drained.', cites: 1 },
  ],
  'a cordon after the eviction is no drain': [
    aCase(disrupted(EVICTION), { node: [cordoned(END + 60)] }),
    { cause: 'Evicted', sentence: 'was evicted through the Eviction API; by whom is not known.' },
  ],
  'without events an autoscaler may have done it: the sentence says that they were not watched': [
    aCase(disrupted(EVICTION), { unwatched: ['events'] }),
    { sentence: 'was evicted through the Eviction API; by whom is not known (events were not watched then).' },
  ],
  "the cluster-autoscaler's event wins over the cordon": [
    aCase(disrupted(EVICTION), {
      pod: [said(999)],
      node: [cordoned(900)],
    }),
    { certainty: 'certain', sentence: 'was evicted by cluster-autoscaler.', actor: 'cluster-autoscaler', cites: 1 },
  ],
  'the cluster-autoscaler that comes when the pod ends already: who asked first did it': [
    aCase(disrupted(EVICTION), {
      pod: [evidence(POD, 'audited', END, { reason: 'evict', by: 'alice' }), said(END + 60)],
    }),
    { certainty: 'certain', sentence: 'was evicted by alice.', actor: 'alice', cites: 1 },
  ],
  'the same without an audit log: nobody knows who asked first': [
    aCase(disrupted(EVICTION), {
      pod: [said(END + 60)],
    }),
    { sentence: 'was evicted through the Eviction API; by whom is not known.', actor: undefined },
  ],
  'a person who drains a node that the cluster-autoscaler had given up': [
    aCase(disrupted(EVICTION), {
      pod: [said(END - 14 * 60), evidence(POD, 'audited', END, { reason: 'evict', by: 'alice' })],
      node: [evidence(NODE, 'cordoned', 995)],
    }),
    { certainty: 'certain', sentence: 'was evicted by alice: worker-2 was drained.', actor: 'alice' },
  ],
  'the cluster-autoscaler that waited for budgets, and its own request': [
    aCase(disrupted(EVICTION), {
      pod: [
        said(END - 14 * 60),
        evidence(POD, 'audited', END, {
          ...{ reason: 'evict', by: 'system:serviceaccount:kube-system:cluster-autoscaler' },
        }),
      ],
    }),
    { certainty: 'certain', actor: 'cluster-autoscaler' },
  ],
  'the cluster-autoscaler that may have given up, and nothing else that says who asked': [
    aCase(disrupted(EVICTION), {
      pod: [said(END - 14 * 60)],
      node: [tainted(END - 14 * 60), untainted(END - 12 * 60), cordoned(995)],
    }),
    { certainty: 'inferred', actor: 'cluster-autoscaler' },
  ],
  'the cluster-autoscaler that still tries after a quarter of an hour': [
    aCase(disrupted(EVICTION), {
      pod: [said(END - 14 * 60)],
      node: [tainted(END - 14 * 60)],
    }),
    { certainty: 'certain', actor: 'cluster-autoscaler' },
  ],
  "the cluster-autoscaler's taint on the node says who empties it": [
    aCase(disrupted(EVICTION), { node: [tainted(990, 'ToBeDeletedByClusterAutoscaler=1700000000:NoSchedule')] }),
    { certainty: 'inferred', actor: 'cluster-autoscaler', cites: 1 },
  ],
  'a taint of an autoscaler that was taken back says nothing': [
    aCase(disrupted(EVICTION), {
      node: [tainted(800), untainted(900)],
    }),
    { actor: undefined },
  ],
  "karpenter's Evicted is an eviction by karpenter": [
    aCase(disrupted(EVICTION), { pod: [event(POD, 'karpenter', 'Evicted', 999, 'Evicted pod: Underutilized')] }),
    { certainty: 'certain', sentence: 'was evicted by karpenter.', actor: 'karpenter' },
  ],
  "the kubelet's Evicted is not karpenter's": [
    aCase(disrupted(EVICTION), { pod: [event(POD, 'kubelet', 'Evicted', 999, 'The node was low on resource')] }),
    { cause: 'Evicted', actor: undefined },
  ],
  "karpenter's taint on the node says who empties it": [
    aCase(disrupted(EVICTION), { node: [tainted(990, 'karpenter.sh/disrupted:NoSchedule')] }),
    { certainty: 'inferred', actor: 'karpenter' },
  ],
  'the vertical pod autoscaler says so itself': [
    aCase(disrupted(EVICTION), { pod: [event(POD, 'vpa-updater', 'EvictedByVPA', 1000)] }),
    { certainty: 'certain', actor: 'vertical-pod-autoscaler' },
  ],
  'the descheduler says so itself': [
    aCase(disrupted(EVICTION), { pod: [event(POD, 'sigs.k8s.io/descheduler', 'Descheduled', 1000)] }),
    { actor: 'descheduler' },
  ],
  'the audit log names who drained the node': [
    aCase(disrupted(EVICTION), {
      pod: [evidence(POD, 'audited', END, { reason: 'evict', by: 'alice' })],
      node: [cordoned(900)],
    }),
    { certainty: 'certain', sentence: 'was evicted by alice: worker-2 was drained.', actor: 'alice', cites: 2 },
  ],
  'the kubelet, which finishes every deletion, is not who evicted it': [
    aCase(disrupted(EVICTION), {
      pod: [
        evidence(POD, 'audited', END, { reason: 'evict', by: 'alice' }),
        evidence(POD, 'audited', END + 5, { reason: 'delete', by: 'system:node:worker-2' }),
      ],
    }),
    { actor: 'alice' },
  ],
  'a condition whose deletion never came is not the cause of a deletion an hour later': [
    aCase(disrupted(EVICTION, {}, END - 3600)),
    { cause: 'DeletedOnRequest' },
  ],
  'a condition that was written when it was already being deleted is not the cause': [
    aCase(disrupted('DeletionByPodGC', {}, END + 60)),
    { cause: 'DeletedOnRequest' },
  ],
  'a completed pod that a drain evicts later had completed': [
    aCase(
      aLife({
        terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END) },
        deletion: { requested: at(END + 600), graceSeconds: 0 },
        disruption: because(EVICTION, END + 600),
      }),
      { node: [cordoned(END + 500)] },
    ),
    { cause: 'Completed' },
  ],
});

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
    }),
    { certainty: 'certain', actor: 'descheduler', sentence: 'was evicted by descheduler.' },
  ],
  'others may use the same reasons': [
    aCase(disrupted(EVICTION), { pod: [event(POD, 'somebody', 'LowNodeUtilization', END)] }),
    { actor: undefined },
  ],
});

const byVpa = (seconds: number) => event(POD, 'vpa-updater', 'EvictedByVPA', seconds);
const byDescheduler = (seconds: number) => event(POD, 'sigs.k8s.io/descheduler', 'LowNodeUtilization', seconds);
const asked = (seconds: number, by: string, answered = seconds) => ({
  ...evidence(POD, 'audited', seconds, { reason: 'evict', by }),
  observedAt: at(answered),
});
const evicted = (pod: readonly Evidence[], node: readonly Evidence[] = []) => aCase(disrupted(EVICTION), { pod, node });
const VPA_ACCOUNT = 'system:serviceaccount:kube-system:vpa-updater';

verdictTable('two evictions of one pod: the first that was taken is the cause', {
  'the autoscaler of resources and the descheduler within seconds': [
    evicted([byVpa(END + 1), byDescheduler(END + 3)]),
    {
      ...{ cause: 'Evicted', certainty: 'inferred', actor: 'vertical-pod-autoscaler', cites: 2 },
      sentence: 'was evicted by vertical-pod-autoscaler or by descheduler: each reported it around then.',
    },
  ],
  'the same in the other order': [
    evicted([byDescheduler(END), byVpa(END + 3)]),
    {
      ...{ certainty: 'inferred', actor: 'descheduler' },
      sentence: 'was evicted by descheduler or by vertical-pod-autoscaler: each reported it around then.',
    },
  ],
  'the second clearly later': [
    evicted([byDescheduler(END), byVpa(END + 8)]),
    { certainty: 'certain', actor: 'descheduler', sentence: 'was evicted by descheduler.', cites: 1 },
  ],
  'one that had announced it long before, and had given up': [
    evicted([said(END - 600), byVpa(END)]),
    { certainty: 'certain', actor: 'vertical-pod-autoscaler', cites: 1 },
  ],
  'one that had announced it, and goes on trying': [
    evicted([said(END - 60), byVpa(END)], [tainted(END - 62)]),
    {
      ...{ certainty: 'inferred', actor: 'vertical-pod-autoscaler', cites: 2 },
      sentence: 'was evicted by vertical-pod-autoscaler or by cluster-autoscaler: each reported it around then.',
    },
  ],
  'two that had announced it, of which one had given up': [
    evicted([event(POD, 'karpenter', 'Disrupted', END - 500), said(END - 60)], [tainted(END - 62)]),
    { certainty: 'certain', actor: 'cluster-autoscaler', cites: 1 },
  ],
  'a drain, and the descheduler some seconds later': [
    evicted([byDescheduler(END + 4)], [cordoned(END - 3)]),
    {
      ...{ certainty: 'inferred', actor: undefined, cites: 2 },
      sentence: 'was evicted: worker-2 was drained, or by descheduler, which reported it a little later.',
    },
  ],
  'a drain, and the descheduler in the same second: times do not tell which was first': [
    evicted([byDescheduler(END)], [cordoned(END - 0.3)]),
    {
      ...{ certainty: 'inferred', actor: undefined, cites: 2 },
      sentence: 'was evicted: worker-2 was drained, or by descheduler, which reported it then.',
    },
  ],
  'the same, and the cordon was seen after the second of the Event had begun': [
    evicted([byDescheduler(END)], [cordoned(END + 0.3)]),
    {
      ...{ certainty: 'inferred', actor: undefined, cites: 2 },
      sentence: 'was evicted: worker-2 was drained, or by descheduler, which reported it then.',
    },
  ],
  'a drain that budgets held up, and the autoscaler of resources': [
    evicted([byVpa(END + 1)], [cordoned(END - 600)]),
    { sentence: 'was evicted: worker-2 was drained, or by vertical-pod-autoscaler, which reported it then.' },
  ],
  'a node that was cordoned an hour ago, and the descheduler': [
    evicted([byDescheduler(END + 1)], [cordoned(END - 3600)]),
    { certainty: 'certain', actor: 'descheduler', sentence: 'was evicted by descheduler.' },
  ],
  'the audit log has the descheduler first, and then the drain': [
    evicted(
      [asked(END, 'system:serviceaccount:kube-system:descheduler'), byDescheduler(END), asked(END + 0.4, 'jane')],
      [cordoned(END - 0.3)],
    ),
    { certainty: 'certain', actor: 'descheduler', sentence: 'was evicted by descheduler.' },
  ],
  'the audit log has the drain first, and then the descheduler': [
    evicted(
      [asked(END, 'jane'), asked(END + 0.4, 'system:serviceaccount:kube-system:descheduler'), byDescheduler(END)],
      [cordoned(END - 0.3)],
    ),
    { certainty: 'certain', actor: 'jane', sentence: 'was evicted by jane: worker-2 was drained.' },
  ],
  'two that say so, and the audit log names one of them': [
    evicted([byDescheduler(END), asked(END, VPA_ACCOUNT), byVpa(END + 1)]),
    { certainty: 'certain', actor: 'vertical-pod-autoscaler', sentence: 'was evicted by vertical-pod-autoscaler.' },
  ],
  'the audit log has a drain first, and then one that says so': [
    evicted([asked(END, 'jane'), asked(END + 1, VPA_ACCOUNT), byVpa(END + 2)], [cordoned(END - 3)]),
    { certainty: 'certain', actor: 'jane', sentence: 'was evicted by jane: worker-2 was drained.' },
  ],
  'two that say so, and the audit log has another name': [
    evicted([asked(END, 'jane'), byVpa(END + 1), byDescheduler(END + 1)]),
    { certainty: 'certain', actor: 'jane', sentence: 'was evicted by jane.' },
  ],
  'one that says so, whose account may have any name': [
    evicted([asked(END, 'system:serviceaccount:tools:evicting'), byVpa(END + 1)]),
    { certainty: 'certain', actor: 'vertical-pod-autoscaler' },
  ],
  'the audit log has both, and one was received before the other was answered': [
    evicted([asked(END, 'jane', END + 0.4), asked(END + 0.1, VPA_ACCOUNT, END + 0.5), byVpa(END + 1)]),
    {
      ...{ certainty: 'inferred', cites: 2 },
      sentence: `was evicted by jane or ${VPA_ACCOUNT}, who asked for it at the same time.`,
    },
  ],
});
