// A DisruptionTarget whose writer did not delete the pod then: whoever writes one deletes the pod at once, unless that fails.
import { at } from '../engines/testing/record-builders.ts';
import type { PodLife } from '../model/pod-life.ts';
import type { Case } from './case.ts';
import { deleted, OLD, ofOld, rolled, shrunk, sibling } from './testing/cart-builders.ts';
import {
  aCase,
  aLife,
  aPod,
  because,
  disrupted,
  END,
  event,
  evidence,
  NODE,
  object,
  POD,
} from './testing/case-builders.ts';
import { verdictTable } from './testing/verdict-table.ts';

const EVICTION = 'EvictionByEvictionAPI';
const TAINT = 'DeletionByTaintManager';
const version = (resourceVersion: string) => ({ epoch: 1, resourceVersion });
/** Condition first, by their versions; so many seconds before the deletion, by its time and where it was seen. */
const before = (reason: string, seconds: number, seenSeconds = seconds, more: Partial<PodLife> = {}) =>
  aLife({
    disruption: { ...because(reason, END - seconds), seenAt: at(END + 0.2 - seenSeconds), seenIn: version('50') },
    deletion: { requested: at(END), graceSeconds: 30, seenIn: version('100') },
    ...more,
  });
const caseOf = (life: PodLife, more: Partial<Case> = {}) =>
  aCase(life, { endVersion: version('100'), endSeenAt: at(END + 0.2), ...more });
const asked = (reason: string, by: string) => ({ pod: [evidence(POD, 'audited', END, { reason, by })] });
const cordoned = evidence(NODE, 'cordoned', END);
const tainted = (reason: string, seconds: number) => evidence(NODE, 'tainted', seconds, { reason });
/** Before the end by its version. */
const maintenance = (seconds: number) => ({
  node: [{ ...evidence(NODE, 'tainted', seconds, { reason: 'maintenance:NoExecute' }), resourceVersion: '40' }],
});

verdictTable('an eviction that failed when its condition was written', {
  'a minute later its ReplicaSet removed it, which leaves alone what is being deleted': [
    caseOf(before(EVICTION, 60, 60, rolled), {
      owner: [shrunk(OLD, END - 0.3, 'generation 3, 2 replicas desired, 4 before'), deleted],
      siblings: [sibling('cart-2', 5, ofOld)],
    }),
    { cause: 'ScaledDown' },
  ],
  'a minute later a person deleted it, as the audit log says': [
    caseOf(before(EVICTION, 60), asked('delete', 'jane')),
    { cause: 'DeletedOnRequest', certainty: 'certain', sentence: 'was deleted by jane.' },
  ],
  'a minute later it was deleted, and nothing says by whom': [
    caseOf(before(EVICTION, 60)),
    {
      ...{ cause: 'Evicted', certainty: 'inferred' },
      sentence:
        'was evicted through the Eviction API; by whom is not known, unless somebody else deleted it: that was 60 s later.',
    },
  ],
  'a drain that tries again after five seconds, as the audit log says': [
    caseOf(before(EVICTION, 5), asked('evict', 'jane')),
    { cause: 'Evicted', certainty: 'certain', sentence: 'was evicted by jane.' },
  ],
  'the API server that writes the condition deletes the pod in the same second or the next': [
    caseOf(before(EVICTION, 1)),
    { cause: 'Evicted', certainty: 'certain' },
  ],
});

verdictTable('controllers that write a condition and delete the pod then', {
  'one that deletes many pods takes its turns': [
    caseOf(before(TAINT, 6), maintenance(END - 8)),
    {
      ...{ cause: 'Taint', certainty: 'certain' },
      sentence: 'was deleted because of the taint maintenance:NoExecute of worker-2.',
    },
  ],
  'one whose clock is three minutes behind: both were seen at once': [
    caseOf(before(TAINT, 180, 0.1), maintenance(END - 1)),
    {
      ...{ cause: 'Taint', certainty: 'inferred' },
      sentence:
        'was deleted because of the taint maintenance:NoExecute of worker-2, unless somebody else deleted it: that was 180 s later.',
    },
  ],
  'one whose clock is a minute ahead: the condition was seen a minute before': [
    caseOf(before(TAINT, 0, 60), maintenance(END - 61)),
    { cause: 'Taint', certainty: 'inferred' },
  ],
  'a condition that was seen three minutes before is none of its reasons': [
    caseOf(before(TAINT, 180), maintenance(END - 1)),
    { cause: 'DeletedOnRequest' },
  ],
});

/** A condition that the pod showed only after its deletion had been seen, in the same second. */
const late = (reason: string) =>
  aLife({
    disruption: { ...because(reason, END), seenAt: at(END + 0.6) },
    deletion: { requested: at(END), graceSeconds: 30 },
  });
const REPLICA_SET = object('ReplicaSet', 'cart-7f9');
const SEEN = { endSeenAt: at(END + 0.2) };

verdictTable('a second reason after a deletion', {
  'an eviction of a pod that was being deleted is not why it ended': [
    aCase(late(EVICTION), { ...SEEN, node: [cordoned] }),
    { cause: 'DeletedOnRequest' },
  ],
  'nor is a taint, though its event says that it marked the pod': [
    aCase(late(TAINT), {
      ...SEEN,
      node: [tainted('broken=yes:NoExecute', END + 0.4)],
      pod: [event(POD, 'taint-eviction-controller', 'TaintManagerEviction', END + 0.5, 'Marking for deletion Pod a/b')],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'nor is a node that is declared out of service, and collects the pod': [
    aCase(late(TAINT), { ...SEEN, node: [tainted('node.kubernetes.io/out-of-service=x:NoExecute', END + 0.4)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'a taint that came right after the one that ended it is not the cause': [
    aCase(disrupted(TAINT), {
      ...SEEN,
      node: [
        tainted('node.kubernetes.io/unreachable:NoExecute', END - 1),
        tainted('node.kubernetes.io/out-of-service=x:NoExecute', END + 0.4),
      ],
    }),
    { cause: 'NodeUnreachable' },
  ],
  'a taint that was seen late is better than none': [
    aCase(disrupted(TAINT), { ...SEEN, node: [tainted('broken=yes:NoExecute', END + 0.4)] }),
    { cause: 'Taint', sentence: 'was deleted because of the taint broken=yes:NoExecute of worker-2.' },
  ],
  'a pod that its ReplicaSet removed, and that was evicted within the same sighting': [
    aCase(
      { ...late(EVICTION), owner: REPLICA_SET },
      {
        endSeenAt: at(END + 0.6),
        owner: [event(REPLICA_SET, 'replicaset-controller', 'SuccessfulDelete', END, 'Deleted pod: cart-1')],
      },
    ),
    { cause: 'ScaledDown' },
  ],
  "the same with the audit log, whose first request was the ReplicaSet's": [
    aCase(
      { ...late(EVICTION), owner: REPLICA_SET },
      {
        endSeenAt: at(END + 0.6),
        pod: [
          evidence(POD, 'audited', END, {
            reason: 'delete',
            by: 'system:serviceaccount:kube-system:replicaset-controller',
          }),
          evidence(POD, 'audited', END + 0.1, { reason: 'evict', by: 'admin' }),
        ],
      },
    ),
    { cause: 'ScaledDown' },
  ],
  'a condition whose reason is a word that every object has, in the audit log, too': [
    aCase(
      { ...late('constructor'), owner: REPLICA_SET },
      { endSeenAt: at(END + 0.6), pod: [evidence(POD, 'audited', END, { reason: 'delete', by: 'alice' })] },
    ),
    { cause: 'DeletedOnRequest' },
  ],
  'a condition that is seen with the deletion came before it': [
    aCase(late(EVICTION), { endSeenAt: at(END + 0.6) }),
    { cause: 'Evicted' },
  ],
});

/** A deletion and a condition within one delivery: only their versions differ. */
const inVersions = (reason: string, disruption: string, deletion: string) =>
  aLife({
    disruption: { ...because(reason, END), seenIn: { epoch: 1, resourceVersion: disruption } },
    deletion: { requested: at(END), graceSeconds: 30, seenIn: { epoch: 1, resourceVersion: deletion } },
  });
const askedAt = (reason: string, by: string, seconds: number) => evidence(POD, 'audited', seconds, { reason, by });
const COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';
const TAINTER = 'system:serviceaccount:kube-system:node-controller';
const CART = { owner: REPLICA_SET, pod: aPod('cart-1', { workload: undefined }) };
const listedAtOnce = (reason: string) => {
  const seenIn = { epoch: 1, resourceVersion: '99', listed: true } as const;
  const deletion = { requested: at(END), graceSeconds: 30, seenIn };
  return aLife({ disruption: { ...because(reason, END), seenIn }, deletion });
};

verdictTable('what the audit log adds to the order of versions', {
  'who deleted it evicted nobody: the garbage collector came first, and an eviction right after': [
    aCase(
      { ...inVersions(EVICTION, '100', '99'), ...CART },
      {
        pod: [askedAt('delete', COLLECTOR, END + 0.1), askedAt('evict', 'admin', END + 0.2)],
        owner: [evidence(REPLICA_SET, 'terminating', END - 1)],
      },
    ),
    { cause: 'OwnerDeleted', certainty: 'certain', sentence: 'was deleted with ReplicaSet cart-7f9.' },
  ],
  'an eviction that was received first and written later is not why it ended': [
    aCase(inVersions(EVICTION, '100', '99'), {
      pod: [askedAt('evict', 'admin', END + 0.1), askedAt('delete', 'alice', END + 0.2)],
    }),
    { cause: 'DeletedOnRequest', certainty: 'certain', actor: 'alice' },
  ],
  'an eviction that was written first was by whom evicted it, whoever asked for a deletion before': [
    aCase(inVersions(EVICTION, '99', '100'), {
      pod: [askedAt('delete', 'alice', END + 0.1), askedAt('evict', 'admin', END + 0.2)],
    }),
    { cause: 'Evicted', certainty: 'certain', actor: 'admin' },
  ],
  'an eviction that the log lacks was not by whom deleted it': [
    aCase(inVersions(EVICTION, '99', '100'), { pod: [askedAt('delete', COLLECTOR, END + 0.1)] }),
    { cause: 'Evicted', actor: undefined, sentence: 'was evicted through the Eviction API; by whom is not known.' },
  ],
  'an eviction of a pod whose first condition was of a taint, and came after the deletion': [
    aCase(inVersions(TAINT, '100', '99'), {
      pod: [askedAt('evict', 'admin', END + 0.1), askedAt('delete', 'alice', END + 0.2)],
    }),
    { cause: 'DeletedOnRequest', actor: 'alice' },
  ],
  'a listing showed both at once, and the eviction was asked for first': [
    aCase(listedAtOnce(EVICTION), { pod: [askedAt('evict', 'admin', END), askedAt('delete', 'alice', END + 0.5)] }),
    { cause: 'Evicted', certainty: 'certain', actor: 'admin' },
  ],
  'a listing showed both at once, and the deletion was asked for first': [
    aCase(listedAtOnce(EVICTION), { pod: [askedAt('delete', 'alice', END), askedAt('evict', 'admin', END + 0.5)] }),
    { cause: 'DeletedOnRequest', certainty: 'certain', actor: 'alice' },
  ],
  'a listing showed both at once, and the log has no eviction at all': [
    aCase(listedAtOnce(EVICTION), { pod: [askedAt('delete', 'alice', END)] }),
    { cause: 'Evicted', certainty: 'inferred', actor: undefined },
  ],
  'a listing showed a taint and a deletion at once, and the deletion was asked for first': [
    aCase(listedAtOnce(TAINT), { pod: [askedAt('delete', 'alice', END), askedAt('delete', TAINTER, END + 0.5)] }),
    { cause: 'DeletedOnRequest', actor: 'alice' },
  ],
  'a listing showed a taint and a deletion at once, and the taint was first': [
    aCase(listedAtOnce(TAINT), { pod: [askedAt('delete', TAINTER, END), askedAt('delete', 'alice', END + 0.5)] }),
    { cause: 'Taint', certainty: 'certain' },
  ],
  'a listing showed both at once, and its ReplicaSet reported that it removed it': [
    aCase(
      { ...listedAtOnce(TAINT), ...CART },
      { owner: [event(REPLICA_SET, 'replicaset-controller', 'SuccessfulDelete', END, 'Deleted pod: cart-1')] },
    ),
    { cause: 'ScaledDown' },
  ],
});
