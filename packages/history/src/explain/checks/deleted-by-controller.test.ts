// Controllers whose name in the audit log is a cause, also where the end was found by a listing ten minutes later.
import { at } from '../../engines/testing/record-builders.ts';
import type { PodLife } from '../../model/pod-life.ts';
import { owned, rolled } from '../testing/cart-builders.ts';
import { aCase, aLife, END, evidence, NODE, POD } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const missed = (more: Partial<PodLife> = {}) =>
  aLife({ ...rolled, deletion: undefined, gone: at(END + 600), source: 'inferred', ...more });
const controller = (name: string) => `system:serviceaccount:kube-system:${name}`;
const askedBy = (by: string, seconds = END + 300) => evidence(POD, 'audited', seconds, { reason: 'delete', by });

verdictTable('a controller of the audit log that deletes for one reason', {
  'the scheduler': [
    aCase(missed(), { pod: [askedBy('system:kube-scheduler')] }),
    { cause: 'Preempted', certainty: 'certain', sentence: 'was preempted by a pod of a higher priority.', cites: 1 },
  ],
  'the scheduler of a version that writes no condition': [
    aCase(aLife(rolled), { pod: [askedBy('system:kube-scheduler', END)] }),
    { cause: 'Preempted', certainty: 'certain' },
  ],
  'the manager of taints': [
    aCase(missed(), {
      pod: [askedBy(controller('taint-eviction-controller'))],
      node: [evidence(NODE, 'tainted', END + 299, { reason: 'maintenance:NoExecute' })],
    }),
    {
      ...{ cause: 'Taint', certainty: 'certain', cites: 2 },
      sentence: 'was deleted because of the taint maintenance:NoExecute of worker-2.',
    },
  ],
  'the manager of taints does not act for a taint that comes later': [
    aCase(missed(), {
      pod: [askedBy(controller('taint-eviction-controller'))],
      node: [
        evidence(NODE, 'tainted', END + 299, { reason: 'maintenance:NoExecute' }),
        evidence(NODE, 'tainted', END + 500, { reason: 'node.kubernetes.io/unreachable:NoExecute' }),
      ],
    }),
    { cause: 'Taint', sentence: 'was deleted because of the taint maintenance:NoExecute of worker-2.' },
  ],
  'the manager of device taints': [
    aCase(missed(), { pod: [askedBy(controller('device-taint-eviction-controller'))] }),
    { cause: 'DeviceTaint', certainty: 'certain' },
  ],
  'its ReplicaSet': [aCase(missed(), { pod: [askedBy(controller('replicaset-controller'))] }), { cause: 'ScaledDown' }],
  'one that has no cause of its own is named': [
    aCase(missed(), { pod: [askedBy(controller('cronjob-controller'))] }),
    { cause: 'DeletedOnRequest', sentence: 'was deleted by cronjob-controller.' },
  ],
});

verdictTable('the collector of garbage in the audit log', {
  'the garbage collector without its owner in the store': [
    aCase(aLife(owned), {
      pod: [
        evidence(POD, 'audited', END, {
          reason: 'delete',
          by: 'system:serviceaccount:kube-system:generic-garbage-collector',
        }),
      ],
    }),
    { cause: 'OwnerDeleted', certainty: 'certain', sentence: 'was deleted with ReplicaSet cart-old.' },
  ],
});
