// Which of the taints of a node deleted a pod: what it tolerates is not recorded, and the watch of nodes may be behind.
import { at } from '../../engines/testing/record-builders.ts';
import type { Case } from '../case.ts';
import { aCase, aLife, aPod, disrupted, END, evidence, NODE, object } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const TAINT = 'DeletionByTaintManager';
const tainted = (reason: string, seconds: number, version = '50') => ({
  ...evidence(NODE, 'tainted', seconds, { reason }),
  resourceVersion: version,
});
const untainted = (reason: string, seconds: number, version = '50') => ({
  ...evidence(NODE, 'untainted', seconds, { reason }),
  resourceVersion: version,
});
const tainting = (...node: Case['node']) =>
  aCase(disrupted(TAINT), { endVersion: { epoch: 1, resourceVersion: '105' }, endSeenAt: at(END + 0.2), node });

verdictTable('a watch of nodes that is behind', {
  'a taint that it showed seven seconds late, and one that has stood since before the pod came': [
    tainting(tainted('dedicated=db:NoExecute', 0, '10'), tainted('maintenance:NoExecute', END + 7, '100')),
    {
      ...{ cause: 'Taint', certainty: 'inferred', cites: 2 },
      sentence: 'was deleted because of one of the taints of worker-2: dedicated=db:NoExecute, maintenance:NoExecute.',
    },
  ],
  'a taint that it showed half a second late': [
    tainting(tainted('maintenance:NoExecute', END + 0.5, '100')),
    {
      ...{ cause: 'Taint', certainty: 'certain' },
      sentence: 'was deleted because of the taint maintenance:NoExecute of worker-2.',
    },
  ],
  'that a taint was taken back before, which it showed seven seconds late': [
    tainting(tainted('a=b:NoExecute', END - 60, '90'), untainted('a=b:NoExecute', END + 7, '100')),
    { cause: 'Taint', sentence: 'was deleted because of a taint of worker-2.' },
  ],
});

verdictTable('the only taint that stands', {
  'it stood when the pod was scheduled, which tolerates it then': [
    tainting(tainted('dedicated=db:NoExecute', 0)),
    {
      ...{ cause: 'Taint', certainty: 'inferred' },
      sentence: 'was deleted because of the taint dedicated=db:NoExecute of worker-2, or of one that was not seen.',
    },
  ],
  'it was put on minutes before, and no other time is known for which pods tolerate it': [
    tainting(tainted('maintenance:NoExecute', END - 200)),
    { cause: 'Taint', certainty: 'inferred' },
  ],
  'it was put on some seconds before: a controller that deletes many pods takes its turns': [
    tainting(tainted('maintenance:NoExecute', END - 20)),
    { cause: 'Taint', certainty: 'certain' },
  ],
  'a recorder that had just started listed it, and it may have stood for long': [
    tainting({ ...tainted('dedicated=db:NoExecute', END - 3), source: 'list' }),
    { cause: 'Taint', certainty: 'inferred' },
  ],
  'the same with the time when it was put on': [
    tainting({ ...tainted('maintenance:NoExecute', END - 3), source: 'list', observedAt: at(END - 1) }),
    { cause: 'Taint', certainty: 'certain' },
  ],
  'the node has not been reached for as long as the pod tolerates that': [
    tainting(tainted('node.kubernetes.io/unreachable:NoExecute', END - 30)),
    { cause: 'NodeUnreachable', certainty: 'certain' },
  ],
  'the node has not been reached for an hour': [
    tainting(tainted('node.kubernetes.io/unreachable:NoExecute', END - 3600)),
    { cause: 'NodeUnreachable', certainty: 'inferred' },
  ],
  'the node has not been reached, and pods of DaemonSets tolerate that for ever': [
    aCase(
      disrupted(TAINT, {
        owner: object('DaemonSet', 'agent'),
        pod: aPod('agent-a', { workload: { kind: 'DaemonSet', name: 'agent', inferred: false } }),
      }),
      { node: [tainted('node.kubernetes.io/unreachable:NoExecute', END - 300)] },
    ),
    { cause: 'NodeUnreachable', certainty: 'inferred' },
  ],
  'an hour of toleration is over': [
    aCase(aLife({ ...disrupted(TAINT), created: at(-7200), scheduled: at(-7199) }), {
      node: [tainted('maintenance:NoExecute', END - 3600)],
    }),
    { cause: 'Taint', certainty: 'inferred' },
  ],
});
