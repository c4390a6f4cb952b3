// Who deleted a pod: requests that overlap, programs that say so themselves, and reasons that nobody knows.
import { at } from '../../engines/testing/record-builders.ts';
import { OLD, ofOld, owned, rolled, shrunk, sibling } from '../testing/cart-builders.ts';
import {
  aCase,
  aLife,
  because,
  disrupted,
  END,
  event,
  evidence,
  NODE,
  object,
  POD,
  terminated,
} from '../testing/case-builders.ts';
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

verdictTable('a deletion without a trace, or with one in the audit log', {
  'a deletion without any trace is a request': [
    aCase(aLife()),
    {
      cause: 'DeletedOnRequest',
      certainty: 'inferred',
      sentence: 'was deleted, and no trace says why or by whom.',
      actor: undefined,
      cites: 0,
    },
  ],
  'nothing at all, of a controller that is no part of Kubernetes: it is named': [
    aCase(aLife({ owner: object('StrimziPodSet', 'kafka') })),
    {
      ...{ cause: 'DeletedOnRequest', certainty: 'inferred', actor: undefined },
      sentence: 'was deleted, and no trace says why or by whom, perhaps by its StrimziPodSet kafka.',
    },
  ],
  'the audit log knows who': [
    aCase(aLife(), {
      pod: [
        evidence(POD, 'audited', END, { reason: 'delete', by: 'alice' }),
        evidence(POD, 'audited', END + 5, { reason: 'delete', by: 'system:node:worker-2' }),
      ],
    }),
    { cause: 'DeletedOnRequest', certainty: 'certain', sentence: 'was deleted by alice.', actor: 'alice', cites: 1 },
  ],
  'only the finisher is in the log: nobody knows who': [
    aCase(aLife(), { pod: [evidence(POD, 'audited', END + 5, { reason: 'delete', by: 'system:node:worker-2' })] }),
    { cause: 'DeletedOnRequest', certainty: 'inferred', actor: undefined },
  ],
  'events that nobody watched say nothing about a pod without an owner': [
    aCase(aLife(), { unwatched: ['events'] }),
    { cause: 'DeletedOnRequest' },
  ],
  'who deletes it by force while it is going is not who began': [
    aCase(aLife(), {
      pod: [
        evidence(POD, 'audited', END, { reason: 'delete', by: 'alice' }),
        evidence(POD, 'audited', END + 3, { reason: 'delete', by: 'bob' }),
      ],
    }),
    { actor: 'alice' },
  ],
  'who deletes it by force after a drain is not who evicted it': [
    aCase(aLife(), { pod: [evidence(POD, 'audited', END + 20, { reason: 'delete', by: 'bob' })] }),
    { certainty: 'inferred', actor: undefined },
  ],
  'who deleted the pod that had the name before is not who deleted this one': [
    aCase(aLife({ created: at(END - 2) }), {
      pod: [evidence({ ...POD, uid: '' }, 'audited', END - 4, { reason: 'delete', by: 'alice' })],
    }),
    { certainty: 'inferred', actor: undefined },
  ],
});

verdictTable('static pods', {
  'the manifest or its mirror': [
    aCase(aLife({ isMirror: true, owner: object('Node', 'worker-2') }), { unwatched: ['events'] }),
    {
      cause: 'DeletedOnRequest',
      certainty: 'inferred',
      sentence: 'was deleted: its manifest on worker-2 was removed or changed, or only its mirror was deleted.',
    },
  ],
});

const away = { deletion: undefined, gone: at(END + 600), source: 'inferred' } as const;

verdictTable('a deletion while nobody watched', {
  'the audit log from meanwhile names who deleted it': [
    aCase(aLife(away), { pod: [evidence(POD, 'audited', END + 300, { reason: 'delete', by: 'alice' })] }),
    { cause: 'DeletedOnRequest', certainty: 'certain', actor: 'alice' },
  ],
  'the audit log from meanwhile names who evicted it': [
    aCase(aLife(away), { pod: [evidence(POD, 'audited', END + 300, { reason: 'evict', by: 'alice' })] }),
    { cause: 'Evicted', certainty: 'certain', sentence: 'was evicted by alice.', actor: 'alice' },
  ],
  'a pod that was seen to go, and said nothing, was deleted': [
    aCase(aLife({ deletion: undefined, gone: at(END) })),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
});

const metadata = (by: string, seconds: number, reason = 'delete') =>
  evidence(POD, 'audited', seconds, { reason, by, unconfirmed: true, id: `${by} ${seconds}` });
const seems = (who: string) => `was deleted, it seems by ${who}: the audit log does not tell a dry run apart.`;
const crashed = { container: 'app', reason: 'Error', exitCode: 2, signal: 0, at: at(END) };

verdictTable('an audit log that does not tell a dry run apart', {
  'the pod was seen to end then: it was no dry run': [
    aCase(aLife(), { pod: [metadata('alice', END)] }),
    { cause: 'DeletedOnRequest', certainty: 'certain', actor: 'alice', cites: 1 },
  ],
  'the pod was seen to end some seconds later: it was a dry run': [
    aCase(aLife(), { pod: [metadata('alice', END - 4)] }),
    { cause: 'DeletedOnRequest', certainty: 'inferred', actor: undefined, cites: 0 },
  ],
  'a dry run before the deletion by somebody else': [
    aCase(aLife(), {
      pod: [metadata('alice', END - 4), evidence(POD, 'audited', END, { reason: 'delete', by: 'bob' })],
    }),
    { certainty: 'certain', actor: 'bob', cites: 1 },
  ],
  'a dry run after the deletion by somebody else': [
    aCase(aLife(), {
      pod: [evidence(POD, 'audited', END, { reason: 'delete', by: 'bob' }), metadata('alice', END + 1)],
    }),
    { certainty: 'certain', actor: 'bob', cites: 1 },
  ],
  'two asked in the second of its end: one of them may have been a dry run': [
    aCase(aLife(), { pod: [metadata('alice', END), metadata('bob', END + 1)] }),
    { cause: 'DeletedOnRequest', certainty: 'inferred', actor: undefined, sentence: seems('alice or bob'), cites: 2 },
  ],
  'one may have been a dry run, the other was none': [
    aCase(aLife(), {
      pod: [metadata('alice', END), evidence(POD, 'audited', END + 1, { reason: 'delete', by: 'bob' })],
    }),
    { certainty: 'inferred', actor: undefined, sentence: seems('alice or bob') },
  ],
  'who removes a pod at once that had time left is the finisher: a simulated kubelet': [
    aCase(aLife({ gone: at(END + 1) }), { pod: [metadata('alice', END), metadata('kwok', END + 1)] }),
    { certainty: 'certain', actor: 'alice', cites: 1 },
  ],
  'two asked, and a simulated kubelet removed it': [
    aCase(aLife({ gone: at(END + 1) }), {
      pod: [metadata('alice', END - 1), metadata('bob', END), metadata('kwok', END + 1)],
    }),
    { certainty: 'inferred', actor: undefined, sentence: seems('alice or bob') },
  ],
  'two asked, and its kubelet removed it': [
    aCase(aLife({ gone: at(END + 1) }), {
      pod: [metadata('alice', END - 1), metadata('bob', END), metadata('system:node:worker-2', END + 1)],
    }),
    { certainty: 'inferred', actor: undefined, sentence: seems('alice or bob') },
  ],
  'two asked for a pod that has no time to end': [
    aCase(aLife({ gone: at(END + 1), deletion: { requested: at(END), graceSeconds: 0 } }), {
      pod: [metadata('alice', END), metadata('bob', END + 1)],
    }),
    { certainty: 'inferred', actor: undefined },
  ],
  'the same person twice': [
    aCase(aLife(), { pod: [metadata('alice', END), metadata('alice', END + 1)] }),
    { certainty: 'certain', actor: 'alice' },
  ],
  'nobody saw the pod end: it may have been a dry run': [
    aCase(aLife(away), { pod: [metadata('alice', END + 300)] }),
    { cause: 'DeletedOnRequest', certainty: 'inferred', actor: 'alice', sentence: seems('alice'), cites: 1 },
  ],
  'nobody saw the pod end, and the eviction may have been a dry run': [
    aCase(aLife(away), { pod: [metadata('alice', END + 300, 'evict')] }),
    { cause: 'DeletedOnRequest', certainty: 'inferred', actor: 'alice' },
  ],
  'nobody saw the pod end: a deletion that was none, before one that may have been a dry run': [
    aCase(aLife(away), {
      pod: [evidence(POD, 'audited', END + 200, { reason: 'delete', by: 'bob' }), metadata('alice', END + 300)],
    }),
    { certainty: 'certain', actor: 'bob' },
  ],
  'an eviction by a drain that was seen': [
    aCase(aLife({ disruption: { reason: 'EvictionByEvictionAPI', message: '', at: at(END) } }), {
      pod: [metadata('alice', END, 'evict')],
    }),
    { cause: 'Evicted', certainty: 'certain', actor: 'alice' },
  ],
  'a container that crashed a second before somebody tried a deletion': [
    aCase(terminated('Failed', '', '', { endings: [crashed] }), { pod: [metadata('alice', END + 1)] }),
    { cause: 'Crashed', certainty: 'certain', actor: undefined },
  ],
  'controllers do no dry runs': [
    aCase(aLife(owned), {
      pod: [metadata('system:serviceaccount:kube-system:generic-garbage-collector', END - 4)],
    }),
    { cause: 'OwnerDeleted', certainty: 'certain' },
  ],
});

const impersonated = (by: string) =>
  evidence(POD, 'audited', END, { reason: 'delete', by, impersonatedBy: 'alice', message: 'asked for by alice' });

verdictTable('requests in the name of another', {
  'who asks as a kubelet finishes nothing': [
    aCase(aLife(), { pod: [impersonated('system:node:worker-2')] }),
    {
      ...{ cause: 'DeletedOnRequest', certainty: 'certain', actor: 'alice as system:node:worker-2', cites: 1 },
      sentence: 'was deleted by alice as system:node:worker-2.',
    },
  ],
  'who asks as a controller is none': [
    aCase(aLife(owned), { pod: [impersonated('system:serviceaccount:kube-system:replicaset-controller')] }),
    {
      ...{ cause: 'DeletedOnRequest', certainty: 'certain' },
      actor: 'alice as system:serviceaccount:kube-system:replicaset-controller',
    },
  ],
  'who asks as all controllers is none of them': [
    aCase(aLife(owned), { pod: [impersonated('system:kube-controller-manager')] }),
    { cause: 'DeletedOnRequest', certainty: 'certain', actor: 'alice as system:kube-controller-manager' },
  ],
  'an account with the name of the collector in another namespace is anybody': [
    aCase(aLife(), {
      pod: [
        evidence(POD, 'audited', END, {
          ...{ reason: 'delete', by: 'system:serviceaccount:team-a-prod:pod-garbage-collector' },
        }),
      ],
    }),
    { cause: 'DeletedOnRequest', actor: 'system:serviceaccount:team-a-prod:pod-garbage-collector' },
  ],
});

verdictTable('an audit log of which a part was lost', {
  'who deleted it is not known, and that says so': [
    aCase(aLife(), { unwatched: ['audit'] }),
    {
      cause: 'DeletedOnRequest',
      certainty: 'inferred',
      sentence: 'was deleted, and no trace says why or by whom; a part of the audit log was lost then.',
    },
  ],
  'what else is known of it stays': [
    aCase(aLife({ disruption: { reason: 'EvictionByEvictionAPI', message: '', at: at(END) } }), {
      unwatched: ['audit'],
    }),
    { cause: 'Evicted', certainty: 'certain' },
  ],
});
