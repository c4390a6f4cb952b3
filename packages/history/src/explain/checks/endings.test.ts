// What is left when neither a condition nor an owner says why: who went before it, how its containers ended, nothing.
import { at } from '../../engines/testing/record-builders.ts';
import type { ContainerEnding } from '../../model/pod-life.ts';
import { aCase, aLife, aPod, END, event, evidence, NODE, object, POD, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const SHOP = object('Namespace', 'shop');
const SET = object('ReplicaSet', 'cart-old');
const CART = object('Deployment', 'cart');
const owned = { pod: aPod('cart-1', { workload: { kind: 'Deployment', name: 'cart', inferred: true } }), owner: SET };
const ending = (more: Partial<ContainerEnding> = {}): ContainerEnding => ({
  ...{ container: 'app', reason: 'Error', exitCode: 2, signal: 0, at: at(END) },
  ...more,
});

/** A listing was the first to show that it had failed, and that it was to be deleted. */
const listedAtOnce = (failed: number) => {
  const seenIn = { epoch: 1, resourceVersion: '9', listed: true as const };
  return aLife({
    terminal: { phase: 'Failed', reason: '', message: '', at: at(failed), seenIn },
    deletion: { requested: at(END), graceSeconds: 30, seenIn },
    endings: [ending({ exitCode: 143, at: at(failed) })],
  });
};

verdictTable('the status', {
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
  'its own deadline': [
    aCase(terminated('Failed', 'DeadlineExceeded', 'Pod was active on the node longer than the specified deadline')),
    { cause: 'Deadline', certainty: 'certain' },
  ],
  'NodeLost, as it was written up to 1.26': [aCase(terminated('Failed', 'NodeLost', '')), { cause: 'NodeUnreachable' }],
});

verdictTable('owners and namespaces', {
  'a namespace that is being deleted takes its pods along': [
    aCase(aLife(), { namespace: [evidence(SHOP, 'terminating', 999)] }),
    { cause: 'NamespaceDeleted', certainty: 'inferred', sentence: 'was deleted with namespace shop.', cites: 1 },
  ],
  'the namespace and not the owner that it took along': [
    aCase(aLife(owned), {
      owner: [evidence(SET, 'deleted', 999)],
      namespace: [evidence(SHOP, 'terminating', 998)],
    }),
    { cause: 'NamespaceDeleted' },
  ],
  'a namespace that was deleted later had nothing to do with it': [
    aCase(aLife(), { namespace: [evidence(SHOP, 'terminating', END + 60)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'a namespace that was deleted three seconds later: both times are of the API server': [
    aCase(aLife(), { namespace: [evidence(SHOP, 'terminating', END + 3), evidence(SHOP, 'deleted', END + 4)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'an owner that was to be deleted three seconds later': [
    aCase(aLife(owned), { owner: [evidence(SET, 'terminating', END + 3)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'an owner of which nobody saw more than that it was gone, by the clock of who watched': [
    aCase(aLife(owned), { owner: [evidence(SET, 'deleted', END + 3)] }),
    { cause: 'OwnerDeleted' },
  ],
  'a namespace of the same name that was deleted before': [
    aCase(aLife(), {
      namespace: [evidence({ ...SHOP, uid: 'old' }, 'deleted', 500), evidence(SHOP, 'created', 600)],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'the highest owner that went is named': [
    aCase(aLife(owned), {
      owner: [evidence(SET, 'deleted', 999)],
      workload: [evidence(CART, 'deleted', 998)],
    }),
    { cause: 'OwnerDeleted', certainty: 'inferred', sentence: 'was deleted with Deployment cart.', cites: 1 },
  ],
  'an owner that waits for its pods to go': [
    aCase(aLife(owned), { owner: [evidence(SET, 'terminating', 999)] }),
    { cause: 'OwnerDeleted', sentence: 'was deleted with ReplicaSet cart-old.' },
  ],
  'another ReplicaSet that was cleaned up is not its owner': [
    aCase(aLife(owned), {
      workload: [evidence(object('ReplicaSet', 'cart-older'), 'deleted', 999, { related: CART })],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'an owner that was deleted after the pod had ended': [
    aCase(aLife(owned), { owner: [evidence(SET, 'deleted', END + 60)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'the audit log knows that the garbage collector deleted it': [
    aCase(aLife(owned), {
      pod: [
        evidence(POD, 'audited', END, {
          reason: 'delete',
          by: 'system:serviceaccount:kube-system:generic-garbage-collector',
        }),
      ],
      owner: [evidence(SET, 'deleted', 999)],
    }),
    { cause: 'OwnerDeleted', certainty: 'certain', cites: 2 },
  ],
  'the audit log names a person who deleted it while the namespace was going': [
    aCase(aLife(), {
      pod: [evidence(POD, 'audited', END, { reason: 'delete', by: 'alice' })],
      namespace: [evidence(SHOP, 'terminating', 999)],
    }),
    { cause: 'DeletedOnRequest', actor: 'alice' },
  ],
});

const unseen = { deletion: undefined, gone: at(END), source: 'inferred' } as const;

verdictTable('nodes', {
  'a Node that went while nobody saw the pod go': [
    aCase(aLife(unseen), { node: [evidence(NODE, 'deleted', 940)] }),
    { cause: 'NodeGone', certainty: 'inferred' },
  ],
  'a node that nobody reached while nobody saw the pod go': [
    aCase(aLife(unseen), { node: [evidence(NODE, 'condition', 600, { reason: 'Ready=Unknown' })] }),
    { cause: 'NodeUnreachable', certainty: 'inferred' },
  ],
  'a person who deletes a pod of an unreachable node deleted it': [
    aCase(aLife(), { node: [evidence(NODE, 'condition', 600, { reason: 'Ready=Unknown' })] }),
    { cause: 'DeletedOnRequest' },
  ],
  'a node that was reached again': [
    aCase(aLife(unseen), {
      node: [
        evidence(NODE, 'condition', 600, { reason: 'Ready=Unknown' }),
        evidence(NODE, 'condition', 700, { reason: 'Ready=True' }),
      ],
    }),
    { cause: 'Unknown' },
  ],
  'a reboot that its containers did not survive': [
    aCase(terminated('Failed', '', '', { endings: [ending({ exitCode: 255, reason: 'Unknown', at: at(992) })] }), {
      node: [evidence(NODE, 'booted', 990)],
    }),
    { cause: 'Reboot', certainty: 'certain', sentence: 'ended because worker-2 was rebooted.', cites: 1 },
  ],
  'a crash a minute before a reboot is a crash': [
    aCase(terminated('Failed', '', '', { endings: [ending({ exitCode: 1 })] }), {
      node: [evidence(NODE, 'booted', END + 55)],
    }),
    { cause: 'Crashed' },
  ],
  'a crash some minutes after a reboot is a crash': [
    aCase(terminated('Failed', '', '', { endings: [ending()] }), { node: [evidence(NODE, 'booted', 700)] }),
    { cause: 'Crashed' },
  ],
  'a container that was out of memory a minute before a reboot': [
    aCase(terminated('Failed', '', '', { endings: [ending({ reason: 'OOMKilled', exitCode: 137 })] }), {
      node: [evidence(NODE, 'booted', END + 55)],
    }),
    { cause: 'OOMKilled', certainty: 'certain' },
  ],
  'a pod that came after the reboot was not ended by it': [
    aCase(terminated('Failed', '', '', { created: at(991), scheduled: at(992), endings: [ending()] }), {
      node: [evidence(NODE, 'booted', 990)],
    }),
    { cause: 'Crashed' },
  ],
});

verdictTable('containers', {
  'a container that used too much memory': [
    aCase(terminated('Failed', '', '', { endings: [ending({ reason: 'OOMKilled', exitCode: 137 })] })),
    { cause: 'OOMKilled', certainty: 'certain', sentence: 'failed: its container app ran out of memory.' },
  ],
  'a container that its kubelet lost: the exit code is made up': [
    aCase(
      terminated('Failed', '', '', {
        endings: [ending({ exitCode: 137, reason: 'ContainerStatusUnknown', signal: 0 })],
      }),
    ),
    {
      ...{ cause: 'Crashed', certainty: 'inferred' },
      sentence: 'failed: its container app was lost, and how it ended is not known.',
    },
  ],
  'a container that failed before another was lost': [
    aCase(
      terminated('Failed', '', '', {
        endings: [
          ending({ at: at(END - 30) }),
          ending({ container: 'sidecar', exitCode: 137, reason: 'ContainerStatusUnknown' }),
        ],
      }),
    ),
    { cause: 'Crashed', certainty: 'certain', sentence: 'failed: its container app ended with exit code 2.' },
  ],
  'a container that crashed': [
    aCase(terminated('Failed', '', '', { endings: [ending()] })),
    { cause: 'Crashed', certainty: 'certain' },
  ],
  'a sidecar that was out of memory long ago and was started again did not end the pod': [
    aCase(
      terminated('Failed', '', '', {
        endings: [
          ending({ container: 'sidecar', reason: 'OOMKilled', exitCode: 137, at: at(100), restarted: true }),
          ending({ exitCode: 1 }),
        ],
      }),
    ),
    { cause: 'Crashed', certainty: 'certain', sentence: 'failed: its container app ended with exit code 1.' },
  ],
  'the first container that failed, not those that were killed because of it': [
    aCase(
      terminated('Failed', '', '', {
        endings: [
          ending({ exitCode: 3, at: at(END - 30) }),
          ending({ container: 'sidecar', exitCode: 137, reason: 'OOMKilled' }),
        ],
      }),
    ),
    { cause: 'Crashed', certainty: 'certain', sentence: 'failed: its container app ended with exit code 3.' },
  ],
  'two containers that fail within a second: the one that was out of memory': [
    aCase(
      terminated('Failed', '', '', {
        endings: [ending(), ending({ container: 'cache', exitCode: 137, reason: 'OOMKilled' })],
      }),
    ),
    { cause: 'OOMKilled', sentence: 'failed: its container cache ran out of memory.' },
  ],
  'a container of which only an earlier end is known': [
    aCase(terminated('Failed', '', '', { endings: [ending({ at: at(900), restarted: true })] })),
    { cause: 'Crashed', certainty: 'inferred' },
  ],
  'a pod without a Job that completed': [
    aCase(terminated('Succeeded', '', '', { endings: [ending({ reason: 'Completed', exitCode: 0 })] })),
    { cause: 'Completed', certainty: 'certain' },
  ],
  'a container that was killed because the pod was deleted says nothing': [
    aCase(
      aLife({
        terminal: { phase: 'Failed', reason: '', message: '', at: at(END + 2) },
        endings: [ending({ exitCode: 137, reason: 'Error', at: at(END + 2) })],
      }),
    ),
    { cause: 'DeletedOnRequest' },
  ],
  'a container that ends well within the second of its deletion was deleted': [
    aCase(
      aLife({
        terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END) },
        endings: [ending({ exitCode: 0, reason: 'Completed' })],
      }),
    ),
    { cause: 'DeletedOnRequest' },
  ],
  'a listing that shows a failure and a deletion at once, two seconds apart by two clocks': [
    aCase(listedAtOnce(END - 2), { endedAt: at(END - 2) }),
    { cause: 'Crashed', certainty: 'inferred' },
  ],
  'the same a minute apart: clocks do not differ that much': [
    aCase(listedAtOnce(END - 60), { endedAt: at(END - 60) }),
    { cause: 'Crashed', certainty: 'certain' },
  ],
  'a container that waits for its next start when somebody deletes the pod says nothing': [
    aCase(
      aLife({
        terminal: { phase: 'Failed', reason: '', message: '', at: at(END - 200) },
        endings: [ending({ at: at(END - 200) })],
      }),
    ),
    { cause: 'DeletedOnRequest' },
  ],
  'a container that was out of memory once and was started again says nothing about a deletion': [
    aCase(aLife({ restarts: 1, endings: [ending({ reason: 'OOMKilled', exitCode: 137, at: at(100) })] })),
    { cause: 'DeletedOnRequest' },
  ],
});

verdictTable('what is left', {
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
  'a pod that was gone when the watch came back': [
    aCase(aLife(unseen)),
    { cause: 'Unknown', sentence: 'ended, and why is not known: it was gone when the watch came back.' },
  ],
  'a pod that was gone, and nobody had watched anything else': [
    aCase(aLife({ ...owned, ...unseen }), { unwatched: ['events', 'nodes'] }),
    {
      cause: 'Unknown',
      sentence: 'ended, and why is not known: it was gone when the watch came back, and events were not watched then.',
    },
  ],
  'a pod that failed and says nothing': [
    aCase(terminated('Failed')),
    { cause: 'Unknown', sentence: 'ended, and why is not known: it failed, and no container says why.' },
  ],
  'events that nobody watched say nothing about a pod without an owner': [
    aCase(aLife(), { unwatched: ['events'] }),
    { cause: 'DeletedOnRequest' },
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

const lives = { deletion: undefined, gone: undefined };

const away = { ...unseen, gone: at(END + 600) };

verdictTable('while nobody watched', {
  'a Node that went meanwhile took it along': [
    aCase(aLife(away), { node: [evidence(NODE, 'deleted', END + 300)] }),
    { cause: 'NodeGone', certainty: 'inferred' },
  ],
  'a Node that went after it was found to be gone did not': [
    aCase(aLife(away), { node: [evidence(NODE, 'deleted', END + 700)] }),
    { cause: 'Unknown' },
  ],
  'an event of its owner from meanwhile names it': [
    aCase(aLife({ ...owned, ...away }), {
      owner: [event(SET, 'replicaset-controller', 'SuccessfulDelete', END + 300, 'Deleted pod: cart-1')],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'and that it was changed meanwhile': [
    aCase(aLife({ ...owned, ...away }), {
      owner: [
        evidence(SET, 'revision', END + 299, { reason: '4', message: 'generation 2' }),
        event(SET, 'replicaset-controller', 'SuccessfulDelete', END + 300, 'Deleted pod: cart-1'),
      ],
    }),
    { cause: 'ScaledDown', certainty: 'certain' },
  ],
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

verdictTable('the audit log', {
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
  'controllers that share one account are nobody': [
    aCase(aLife(), {
      pod: [evidence(POD, 'audited', END, { reason: 'delete', by: 'system:kube-controller-manager' })],
      namespace: [evidence(SHOP, 'terminating', 999)],
    }),
    { cause: 'NamespaceDeleted', certainty: 'inferred', actor: undefined },
  ],
  'controllers that share one account: nobody replaces a pod that was one too many': [
    aCase(aLife(owned), {
      pod: [evidence(POD, 'audited', END, { reason: 'delete', by: 'system:kube-controller-manager' })],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
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

const metadata = (by: string, seconds: number, reason = 'delete') =>
  evidence(POD, 'audited', seconds, { reason, by, unconfirmed: true, id: `${by} ${seconds}` });
const seems = (who: string) => `was deleted, it seems by ${who}: the audit log does not tell a dry run apart.`;

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
    aCase(terminated('Failed', '', '', { endings: [ending()] }), { pod: [metadata('alice', END + 1)] }),
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

verdictTable('a pod that goes on', {
  'a new sandbox': [
    aCase(aLife(lives), { pod: [event(POD, 'kubelet', 'SandboxChanged', END)] }),
    { cause: 'SandboxReplaced', certainty: 'certain', cites: 1 },
  ],
  'a new sandbox of which no event was seen': [
    aCase(aLife(lives)),
    { cause: 'SandboxReplaced', certainty: 'inferred' },
  ],
  'a new sandbox because of a reboot': [
    aCase(aLife(lives), { node: [evidence(NODE, 'booted', END)] }),
    { cause: 'Reboot', certainty: 'certain' },
  ],
  'a new sandbox of a pod that came after the reboot': [
    aCase(aLife({ ...lives, created: at(700), scheduled: at(701) }), {
      node: [evidence(NODE, 'booted', 650)],
      pod: [event(POD, 'kubelet', 'SandboxChanged', END)],
    }),
    { cause: 'SandboxReplaced', certainty: 'certain', cites: 1 },
  ],
  'a new sandbox of a pod that is deleted some seconds later': [
    aCase(aLife({ deletion: { requested: at(END + 7), graceSeconds: 5 }, gone: at(END + 9) }), {
      pod: [event(POD, 'kubelet', 'SandboxChanged', END + 1)],
    }),
    { cause: 'SandboxReplaced', certainty: 'certain', cites: 1 },
  ],
  'a reboot that a pod survives, and is deleted some seconds later': [
    aCase(aLife({ deletion: { requested: at(END + 7), graceSeconds: 5 }, gone: at(END + 9) }), {
      pod: [event(POD, 'kubelet', 'SandboxChanged', END + 1)],
      node: [evidence(NODE, 'booted', END + 1)],
    }),
    { cause: 'Reboot', certainty: 'certain', cites: 2 },
  ],
  'a sandbox that changed before the pod was deleted is not why it was': [
    aCase(aLife(), { pod: [event(POD, 'kubelet', 'SandboxChanged', 990)] }),
    { cause: 'DeletedOnRequest' },
  ],
});
