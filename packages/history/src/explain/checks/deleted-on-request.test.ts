// Who deleted a pod: requests that overlap, programs that say so themselves, and reasons that nobody knows.
import { at } from '../../engines/testing/record-builders.ts';
import { OLD, ofOld, rolled, shrunk, sibling } from '../testing/cart-builders.ts';
import { aCase, aLife, because, disrupted, END, event, evidence, NODE, POD } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const REPLICA_SETS = 'system:serviceaccount:kube-system:replicaset-controller';
const COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';
const request = (by: string, received: number, answered: number) => ({
  ...evidence(POD, 'audited', received, { reason: 'delete', by }),
  ...{ source: 'audit' as const, observedAt: at(answered) },
});
/** It waits in a slow webhook until others have done the same. */
const jane = request('jane', END - 1.5, END + 2.5);
const deletion = { requested: at(END), graceSeconds: 30 };
const deleted = event(OLD, 'replicaset-controller', 'SuccessfulDelete', END, 'Deleted pod: cart-1');

verdictTable('requests that overlap', {
  'one waits in a webhook for three seconds, and another is done meanwhile': [
    aCase(aLife({ deletion }), { pod: [jane, request('bob', END + 0.1, END + 0.2)] }),
    {
      ...{ cause: 'DeletedOnRequest', certainty: 'inferred', actor: 'bob', cites: 2 },
      sentence: 'was deleted by bob or jane, who asked for it at the same time.',
    },
  ],
  'one is received when the other has been answered': [
    aCase(aLife({ deletion }), { pod: [request('bob', END + 0.1, END + 0.2), request('jane', END + 0.3, END + 2)] }),
    { certainty: 'certain', actor: 'bob', cites: 1 },
  ],
  'one that began the end had waited in a webhook for half a minute': [
    aCase(aLife({ deletion }), { pod: [request('jane', END - 29, END + 0.2)] }),
    { certainty: 'certain', actor: 'jane', cites: 1 },
  ],
  'the collector of garbage asks meanwhile, and no owner of it is going': [
    aCase(aLife({ deletion }), { pod: [jane, request(COLLECTOR, END + 0.1, END + 0.2)] }),
    {
      ...{ cause: 'DeletedOnRequest', certainty: 'inferred' },
      sentence: 'was deleted by generic-garbage-collector or jane, who asked for it at the same time.',
    },
  ],
  'its ReplicaSet removes it meanwhile, and leaves alone what is being deleted': [
    aCase(aLife({ ...rolled, deletion }), {
      pod: [jane, request(REPLICA_SETS, END + 0.1, END + 0.2)],
      owner: [shrunk(OLD, END - 0.3, 'generation 3, 2 replicas desired, 4 before'), deleted],
      siblings: [sibling('cart-2', 5, ofOld)],
    }),
    { cause: 'ScaledDown' },
  ],
});

const DISRUPTED =
  'Deleting the pod to accommodate the terminationTime 2026-11-09 00:16:40 +0000 UTC of the node. This bypasses the PDB of the pod';

verdictTable('karpenter, which deletes what no eviction gets through when the time of its node is up', {
  'it says so when the pod begins to end': [
    aCase(aLife(), {
      pod: [event(POD, 'karpenter', 'Disrupted', END, DISRUPTED)],
      node: [evidence(NODE, 'tainted', END - 100, { reason: 'karpenter.sh/disrupted:NoSchedule' })],
    }),
    {
      ...{ cause: 'DeletedOnRequest', certainty: 'inferred', actor: 'karpenter', cites: 1 },
      sentence: 'was deleted by karpenter, which reported that it did.',
    },
  ],
  'it says so a minute after the pod began to end: it only shortens its time': [
    aCase(aLife(), { pod: [event(POD, 'karpenter', 'Disrupted', END + 60, DISRUPTED)] }),
    { cause: 'DeletedOnRequest', actor: undefined },
  ],
  'the audit log has another user': [
    aCase(aLife(), { pod: [event(POD, 'karpenter', 'Disrupted', END, DISRUPTED), request('jane', END, END + 0.1)] }),
    { certainty: 'certain', actor: 'jane' },
  ],
});

verdictTable('a DisruptionTarget of a writer that is not known', {
  'it is named': [
    aCase(disrupted('EvictedByKueue', {}, END - 1)),
    {
      ...{ cause: 'DeletedOnRequest', certainty: 'inferred' },
      sentence: 'was deleted, after it was given the reason EvictedByKueue.',
    },
  ],
  'a reason that is no word is not': [
    aCase(disrupted('a. b\nc')),
    { sentence: 'was deleted, and no trace says why or by whom.' },
  ],
  'it came after the deletion': [
    aCase(aLife({ disruption: { ...because('EvictedByKueue', END), seenAt: at(END + 0.6) } }), {
      endSeenAt: at(END + 0.2),
    }),
    { sentence: 'was deleted, and no trace says why or by whom.' },
  ],
});
