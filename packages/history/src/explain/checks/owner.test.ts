// What the owner did: the same event means a rollout, a restart or a scale-down, and is often lost.
import { at } from '../../engines/testing/record-builders.ts';
import type { PodLife } from '../../model/pod-life.ts';
import type { Workload } from '../../model/records.ts';
import {
  aCase,
  aLife,
  aPod,
  disrupted,
  END,
  event,
  evidence,
  object,
  POD,
  terminated,
} from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const DEPLOYMENT: Workload = { kind: 'Deployment', name: 'cart', inferred: true };
const CART = object('Deployment', 'cart');
const OLD = object('ReplicaSet', 'cart-old');
const NEW = object('ReplicaSet', 'cart-new');
const rolled = { pod: aPod('cart-1', { workload: DEPLOYMENT }), owner: OLD, revision: 'old' };
const deleted = event(OLD, 'replicaset-controller', 'SuccessfulDelete', END, 'Deleted pod: cart-1');
const numbered = (about: typeof OLD, reason: string, seconds: number) =>
  evidence(about, 'revision', seconds, { reason });

const scaling = (seconds: number, message: string) =>
  event(CART, 'deployment-controller', 'ScalingReplicaSet', seconds, message);
const HPA = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler';
const asked = (reason: string, by: string, seconds: number, message = '') =>
  evidence(CART, 'audited', seconds, { reason, by, message });
const rescaled = (seconds: number, message: string) =>
  event(object('HorizontalPodAutoscaler', 'cart'), 'horizontal-pod-autoscaler', 'SuccessfulRescale', seconds, message);
const shrunk = (about: typeof OLD, seconds: number, message: string) =>
  evidence(about, 'revision', seconds, { reason: '4', message });

/** Another pod of the workload that lives on. */
function sibling(name: string, seconds: number, more: Partial<PodLife> = {}): PodLife {
  return aLife({
    ...{ pod: aPod(name, { node: 'worker-3', workload: DEPLOYMENT }), owner: NEW, revision: 'new' },
    ...{ created: at(seconds), deletion: undefined, gone: undefined },
    ...more,
  });
}
const ofOld = { owner: OLD, revision: 'old' };

verdictTable('ReplicaSets', {
  'a newer ReplicaSet that grows makes it a rollout': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '4', 0), deleted],
      workload: [numbered(NEW, '5', 980)],
      siblings: [sibling('cart-2', 985)],
    }),
    {
      cause: 'Rollout',
      certainty: 'certain',
      sentence: 'ended in a rollout of Deployment cart to revision 5.',
      cites: 2,
    },
  ],
  'without a growing newer ReplicaSet the same event is a scale-down': [
    aCase(aLife(rolled), { owner: [deleted], siblings: [sibling('cart-2', 5, ofOld)] }),
    {
      cause: 'ScaledDown',
      certainty: 'certain',
      sentence: 'was removed when Deployment cart was scaled down.',
      actor: undefined,
      cites: 1,
    },
  ],
  'a scale-down after a rollout was complete is none of it': [
    aCase(aLife({ ...rolled, owner: NEW, revision: 'new' }), {
      owner: [{ ...deleted, about: NEW }],
      siblings: [
        sibling('cart-0', -500, { ...ofOld, deletion: { requested: at(900), graceSeconds: 30 } }),
        sibling('cart-2', 5),
      ],
    }),
    { cause: 'ScaledDown' },
  ],
  'an old pod that was made again in the middle of a rollout does not make its revision the newer one': [
    aCase(aLife({ ...rolled, owner: NEW, revision: 'new' }), {
      owner: [numbered(NEW, '5', 0), { ...deleted, about: NEW }],
      workload: [numbered(OLD, '4', -500)],
      siblings: [sibling('cart-2', 500, ofOld)],
    }),
    { cause: 'ScaledDown' },
  ],
  'an old pod that was made again is no rollout where nobody knows the numbers, and no event names the pod': [
    aCase(aLife({ ...rolled, owner: NEW, revision: 'new' }), {
      siblings: [
        sibling('cart-0', -500, { ...ofOld, deletion: { requested: at(400), graceSeconds: 30 } }),
        sibling('cart-2', 500, ofOld),
      ],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'a rollout that goes back to an old template is a rollout to its new number': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '5', 0), deleted],
      workload: [numbered(NEW, '4', -900), numbered(NEW, '6', 980)],
      siblings: [
        sibling('cart-0', -900, { deletion: { requested: at(10), graceSeconds: 30 } }),
        sibling('cart-2', 985),
      ],
    }),
    { cause: 'Rollout', sentence: 'ended in a rollout of Deployment cart to revision 6.' },
  ],
  'a rollout without a surge ends the old pod first': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [evidence(NEW, 'created', 999)],
      siblings: [sibling('cart-3', 5, ofOld), sibling('cart-2', 1006)],
    }),
    { cause: 'Rollout', certainty: 'certain' },
  ],
  'a Deployment that recreates ends all old pods first': [
    aCase(aLife(rolled), {
      owner: [deleted],
      siblings: [
        sibling('cart-3', 5, { ...ofOld, deletion: { requested: at(END), graceSeconds: 30 } }),
        sibling('cart-2', 1010),
      ],
    }),
    { cause: 'Rollout' },
  ],
  'a rollout half a minute after a scale-down did not cause it': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [evidence(NEW, 'owned', 0, { reason: '5', related: CART }), evidence(NEW, 'created', END + 30)],
      siblings: [sibling('cart-3', 5, ofOld), sibling('cart-2', END + 31)],
    }),
    { cause: 'ScaledDown' },
  ],
  'a template that differs by restartedAt is a restart': [
    aCase(aLife(rolled), {
      owner: [deleted],
      siblings: [sibling('cart-2', 985, { restartedAt: '2026-11-09T00:16:00Z' })],
    }),
    { cause: 'Restarted', certainty: 'certain', sentence: 'ended in a restart of Deployment cart to revision new.' },
  ],
  'a rollout of a Deployment that was restarted once is no restart': [
    aCase(aLife({ ...rolled, restartedAt: '2026-11-08T00:00:00Z' }), {
      owner: [deleted],
      siblings: [sibling('cart-2', 985, { restartedAt: '2026-11-08T00:00:00Z' })],
    }),
    { cause: 'Rollout' },
  ],
  'going back to before a restart is no restart': [
    aCase(aLife({ ...rolled, restartedAt: '2026-11-08T00:00:00Z' }), {
      owner: [deleted],
      siblings: [sibling('cart-2', 985, { restartedAt: '2026-11-01T00:00:00Z' })],
    }),
    { cause: 'Rollout' },
  ],
  'a HorizontalPodAutoscaler says that it scaled down': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [
        event(
          object('HorizontalPodAutoscaler', 'cart'),
          'horizontal-pod-autoscaler',
          'SuccessfulRescale',
          999,
          'New size: 2; reason: All metrics below target',
        ),
      ],
    }),
    {
      cause: 'ScaledDown',
      sentence: 'was removed when Deployment cart was scaled down by HorizontalPodAutoscaler cart.',
      actor: 'HorizontalPodAutoscaler cart',
      cites: 2,
    },
  ],
  'a HorizontalPodAutoscaler that scaled up did not scale down': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [
        event(
          object('HorizontalPodAutoscaler', 'cart'),
          'horizontal-pod-autoscaler',
          'SuccessfulRescale',
          970,
          'New size: 9; reason: cpu resource utilization (percentage of request) above target',
        ),
      ],
    }),
    { cause: 'ScaledDown', actor: undefined },
  ],
  'a person who scaled down is named by the audit log': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [evidence(CART, 'audited', 999, { reason: 'scale', by: 'alice' })],
    }),
    { cause: 'ScaledDown', actor: 'alice' },
  ],
  'a patch of its workload says nothing about replicas': [
    aCase(aLife(rolled), { owner: [deleted], workload: [asked('patch', 'argocd', 950), asked('update', 'bob', 990)] }),
    { cause: 'ScaledDown', actor: undefined, cites: 1 },
  ],
  'an autoscaler of another name is known by its audited request, whoever patched before': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [asked('patch', 'argocd', 950), asked('scale', HPA, 999, 'to 2 replicas; with x')],
    }),
    { cause: 'ScaledDown', actor: 'horizontal-pod-autoscaler', cites: 2 },
  ],
  'a person who scaled up before an autoscaler scaled down': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [asked('scale', 'alice', 960, 'to 10 replicas'), asked('scale', HPA, 999, 'to 2 replicas')],
    }),
    { cause: 'ScaledDown', actor: 'horizontal-pod-autoscaler' },
  ],
  'the last who scaled made it more: nobody knows who made it fewer': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [asked('scale', 'bob', 100, 'to 3 replicas'), asked('scale', 'alice', 960, 'to 10 replicas')],
    }),
    { cause: 'ScaledDown', actor: undefined, cites: 1 },
  ],
  'a request after which more pods came was an increase': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [asked('scale', 'alice', 960)],
      siblings: [sibling('cart-9', 961, ofOld)],
    }),
    { cause: 'ScaledDown', actor: undefined, cites: 1 },
  ],
  'a request after which its Deployment reported an increase': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [
        asked('scale', 'alice', 960, 'to 10 replicas'),
        scaling(961, 'Scaled up replica set cart-old from 3 to 10'),
      ],
    }),
    { cause: 'ScaledDown', actor: undefined, cites: 1 },
  ],
  'who asked for the same number again did not scale': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [asked('scale', 'alice', 990, 'to 2 replicas'), asked('scale', 'argocd', 999, 'to 2 replicas')],
    }),
    { cause: 'ScaledDown', actor: 'alice' },
  ],
  'a person who scaled down after an autoscaler had': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [rescaled(960, 'New size: 5; reason: All metrics below target'), asked('scale', 'alice', 999)],
    }),
    { cause: 'ScaledDown', actor: 'alice' },
  ],
  'a HorizontalPodAutoscaler with too few replicas did not scale down': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [rescaled(990, 'New size: 3; reason: Current number of replicas below Spec.MinReplicas')],
    }),
    { cause: 'ScaledDown', actor: undefined },
  ],
  'a HorizontalPodAutoscaler with too many replicas did': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [rescaled(990, 'New size: 2; reason: Current number of replicas above Spec.MaxReplicas')],
    }),
    { cause: 'ScaledDown', actor: 'HorizontalPodAutoscaler cart' },
  ],
  'another workload of the same name that was scaled': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [{ ...asked('scale', 'alice', 999), about: object('StatefulSet', 'cart') }],
    }),
    { cause: 'ScaledDown', actor: undefined },
  ],
  'a person who deletes it once more four seconds later did not begin it': [
    aCase(aLife(rolled), {
      owner: [deleted],
      pod: [evidence(POD, 'audited', END + 4, { reason: 'delete', by: 'bob' })],
    }),
    { cause: 'ScaledDown', certainty: 'certain', actor: undefined },
  ],
  'a person who asks within the second in which its ReplicaSet reports it': [
    aCase(aLife(rolled), {
      owner: [deleted],
      pod: [evidence(POD, 'audited', END + 1, { reason: 'delete', by: 'bob' })],
    }),
    {
      ...{ cause: 'DeletedOnRequest', certainty: 'inferred', actor: 'bob', cites: 2 },
      sentence: 'was deleted by bob, or by ReplicaSet cart-old, which reported that it did.',
    },
  ],
  'an event that names another pod with a longer name is not about this one': [
    aCase(aLife(rolled), {
      owner: [{ ...deleted, message: 'Deleted pod: cart-10' }],
      siblings: [sibling('cart-9', END + 1, ofOld)],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'a lost event: a newer revision that grows is inferred to be a rollout, and what else it may be is said': [
    aCase(aLife(rolled), { siblings: [sibling('cart-2', 985)] }),
    {
      cause: 'Rollout',
      certainty: 'inferred',
      sentence: 'ended in a rollout of Deployment cart to revision new, or was deleted on request while that went on.',
      cites: 0,
    },
  ],
  'a person who deletes an old pod in the middle of a rollout: its ReplicaSet would have said it': [
    aCase(aLife(rolled), {
      workload: [scaling(970, 'Scaled up replica set cart-new from 0 to 1')],
      siblings: [sibling('cart-2', 985)],
    }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'a namespace that is deleted right after takes the Events of its controllers along': [
    aCase(aLife(rolled), {
      workload: [scaling(970, 'Scaled up replica set cart-new from 0 to 1')],
      siblings: [sibling('cart-2', 985)],
      namespace: [evidence(object('Namespace', 'shop'), 'terminating', END + 2)],
    }),
    { cause: 'Rollout', certainty: 'inferred' },
  ],
  'nothing is created in a namespace that is being deleted: that no replacement came is no sign of fewer replicas': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '4', 0)],
      workload: [scaling(970, 'Scaled up replica set cart-old from 0 to 1')],
      namespace: [evidence(object('Namespace', 'shop'), 'terminating', END + 2)],
    }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'but that fewer were wanted is': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '4', 0), shrunk(OLD, 999.7, 'generation 3, 2 replicas desired, 4 before')],
      workload: [scaling(970, 'Scaled up replica set cart-old from 0 to 1')],
      namespace: [evidence(object('Namespace', 'shop'), 'terminating', END + 2)],
    }),
    { cause: 'ScaledDown', certainty: 'inferred', cites: 1 },
  ],
  'and not where they were wanted long before': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '4', 0), shrunk(OLD, 900, 'generation 3, 2 replicas desired, 4 before')],
      workload: [scaling(970, 'Scaled up replica set cart-old from 0 to 1')],
      namespace: [evidence(object('Namespace', 'shop'), 'terminating', END + 2)],
    }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'the same where its ReplicaSet named another pod then': [
    aCase(aLife(rolled), {
      owner: [{ ...deleted, message: 'Deleted pod: cart-9' }],
      siblings: [sibling('cart-2', 985), sibling('cart-9', 5, { ...ofOld, gone: at(END) })],
    }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'a ReplicaSet with many pods that came and went may not have said it': [
    aCase(aLife(rolled), {
      workload: [scaling(970, 'Scaled up replica set cart-new from 0 to 1')],
      siblings: [...Array.from({ length: 12 }, (_, i) => sibling(`cart-old-${i}`, 5, ofOld)), sibling('cart-2', 985)],
    }),
    { cause: 'Rollout', certainty: 'inferred' },
  ],
  'a Deployment that is scaled down in the middle of a rollout: the number that it wants is another one': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '4', 0), shrunk(OLD, 999.7, 'generation 3, 2 replicas desired, 4 before'), deleted],
      workload: [numbered(NEW, '5', 500)],
      siblings: [sibling('cart-2', 505)],
    }),
    { cause: 'ScaledDown', certainty: 'certain', cites: 2 },
  ],
  'a rollout that goes on after a scale-down': [
    aCase(aLife(rolled), {
      owner: [
        shrunk(OLD, 900, 'generation 3, 2 replicas desired, 4 before'),
        shrunk(OLD, 999.7, 'generation 4, 2 replicas desired, 2 before'),
        deleted,
      ],
      siblings: [sibling('cart-2', 505)],
    }),
    { cause: 'Rollout', certainty: 'certain' },
  ],
  'both within the second of the end': [
    aCase(aLife(rolled), {
      owner: [
        shrunk(OLD, END + 0.1, 'generation 3, 2 replicas desired, 4 before'),
        shrunk(OLD, END + 0.7, 'generation 4, 2 replicas desired, 2 before'),
        deleted,
      ],
      siblings: [sibling('cart-2', 505)],
    }),
    {
      cause: 'ScaledDown',
      certainty: 'inferred',
      sentence: 'was removed when Deployment cart was scaled down, or by the rollout that went on then.',
    },
  ],
  'both within the second of the end, and the order in which they were written is known': [
    aCase(aLife(rolled), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [
        { ...shrunk(OLD, END + 0.1, 'generation 3, 2 replicas desired, 4 before'), epoch: 1, resourceVersion: '99' },
        { ...shrunk(OLD, END + 0.7, 'generation 4, 2 replicas desired, 2 before'), epoch: 1, resourceVersion: '110' },
        deleted,
      ],
      siblings: [sibling('cart-2', 505)],
    }),
    { cause: 'ScaledDown', certainty: 'certain' },
  ],
  'a Deployment that was deleted right after the pod did not take it along': [
    aCase(aLife(rolled), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [{ ...evidence(OLD, 'deleted', END + 2), epoch: 1, resourceVersion: '120' }],
      workload: [{ ...evidence(CART, 'deleted', END + 1), epoch: 1, resourceVersion: '110' }],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'a rollout whose new pods cannot be made': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '4', 0), shrunk(OLD, 999.7, 'generation 3, 2 replicas desired, 2 before'), deleted],
      workload: [evidence(CART, 'revision', END + 6, { reason: '5' })],
    }),
    {
      cause: 'Rollout',
      certainty: 'inferred',
      sentence: 'ended in a rollout of Deployment cart to revision 5, which has no pods yet.',
    },
  ],
  'a Deployment that was deleted and left its ReplicaSet takes no pod along': [
    aCase(aLife(rolled), {
      owner: [evidence(OLD, 'owned', 0, { related: CART })],
      workload: [evidence(CART, 'deleted', 990)],
      siblings: [sibling('cart-9', END + 1, ofOld)],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'a Deployment that takes its ReplicaSet along takes its pods along': [
    aCase(aLife(rolled), {
      owner: [evidence(OLD, 'deleted', 999)],
      workload: [evidence(CART, 'deleted', 990)],
    }),
    { cause: 'OwnerDeleted', sentence: 'was deleted with Deployment cart.' },
  ],
  'a pod that its own ReplicaSet replaces was deleted by somebody else': [
    aCase(aLife(rolled), { siblings: [sibling('cart-2', 985), sibling('cart-9', END + 1, ofOld)] }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'lost among many events: a pod that nobody replaces was scaled down': [
    aCase(aLife(rolled), {
      owner: [
        {
          ...evidence(OLD, 'event', 990, { reason: 'SuccessfulDelete', message: '(combined from similar events): x' }),
          count: 20,
        },
      ],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'events that nobody watched: a pod that nobody replaces was scaled down': [
    aCase(aLife(rolled), { unwatched: ['events'] }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'events and owners that nobody watched: its owner may have been deleted': [
    aCase(aLife(rolled), { unwatched: ['events', 'deployments'] }),
    { cause: 'Unknown' },
  ],
  'the audit log names the controller where the event is lost': [
    aCase(aLife(rolled), {
      pod: [
        evidence(POD, 'audited', END, {
          reason: 'delete',
          by: 'system:serviceaccount:kube-system:replicaset-controller',
        }),
      ],
    }),
    { cause: 'ScaledDown', certainty: 'certain', cites: 1 },
  ],
  'the audit log names a person in the middle of a rollout': [
    aCase(aLife(rolled), {
      pod: [evidence(POD, 'audited', END, { reason: 'delete', by: 'alice' })],
      siblings: [sibling('cart-2', 985)],
    }),
    { cause: 'DeletedOnRequest', certainty: 'certain', sentence: 'was deleted by alice.', actor: 'alice' },
  ],
  'an eviction in the middle of a rollout is an eviction': [
    aCase(disrupted('EvictionByEvictionAPI', rolled), { siblings: [sibling('cart-2', 985)] }),
    { cause: 'Evicted' },
  ],
  'without events and ReplicaSets a deletion has no known cause': [
    aCase(aLife(rolled), {
      siblings: [sibling('cart-9', END + 1, ofOld)],
      unwatched: ['events', 'replicasets'],
    }),
    {
      cause: 'Unknown',
      sentence: 'ended, and why is not known: events and replicasets were not watched then.',
    },
  ],
});

const SET = object('StatefulSet', 'db');
const member = { pod: aPod('db-2', { workload: { kind: 'StatefulSet', name: 'db', inferred: false } }), owner: SET };
const statefulLife = (more: Partial<PodLife> = {}) => aLife({ ...member, revision: 'db-1', ...more });
const setDeleted = (seconds = END) =>
  event(SET, 'statefulset-controller', 'SuccessfulDelete', seconds, 'delete Pod db-2 in StatefulSet db successful');
const nextOf = (seconds: number, more: Partial<PodLife> = {}) =>
  sibling('db-2', seconds, { pod: { ...member.pod, uid: 'uid-db-2-next' }, owner: SET, revision: 'db-1', ...more });

verdictTable('StatefulSets', {
  'another revision of the same name is an update': [
    aCase(statefulLife(), { owner: [setDeleted()], siblings: [nextOf(1006, { revision: 'db-2' })] }),
    {
      cause: 'StatefulSetUpdate',
      certainty: 'certain',
      sentence: 'ended in an update of StatefulSet db to revision db-2.',
      cites: 1,
    },
  ],
  'another restartedAt is a restart': [
    aCase(statefulLife(), {
      owner: [setDeleted()],
      siblings: [nextOf(1006, { revision: 'db-2', restartedAt: '2026-11-09T00:16:00Z' })],
    }),
    { cause: 'Restarted' },
  ],
  'an event about the next pod of its name says nothing about this one': [
    aCase(statefulLife(), {
      owner: [setDeleted(END + 60)],
      siblings: [nextOf(1006, { revision: 'db-2', deletion: { requested: at(END + 60), graceSeconds: 30 } })],
    }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'an event that comes late, while the next pod of its name lives on': [
    aCase(statefulLife(), {
      owner: [setDeleted(END + 60)],
      siblings: [nextOf(1006, { revision: 'db-2' })],
    }),
    { cause: 'StatefulSetUpdate', certainty: 'certain' },
  ],
  'no successor is a scale-down': [
    aCase(statefulLife(), { owner: [setDeleted()] }),
    { cause: 'ScaledDown', certainty: 'certain', sentence: 'was removed when StatefulSet db was scaled down.' },
  ],
  'a successor ten minutes later is another scaling': [
    aCase(statefulLife(), { owner: [setDeleted()], siblings: [nextOf(1600, { revision: 'db-2' })] }),
    { cause: 'ScaledDown' },
  ],
  'a pod that had failed is created again': [
    aCase(
      terminated('Failed', '', '', {
        ...member,
        revision: 'db-1',
        deletion: { requested: at(END + 1), graceSeconds: 0 },
      }),
      { owner: [setDeleted(END + 1)], siblings: [nextOf(1002)] },
    ),
    { cause: 'StatefulSetRecreated', certainty: 'certain', cites: 1 },
  ],
  'a pod that its kubelet evicted was evicted, whoever created it again': [
    aCase(
      terminated('Failed', 'Evicted', 'The node was low on resource: memory.', {
        ...member,
        deletion: { requested: at(END + 1), graceSeconds: 0 },
      }),
      { owner: [setDeleted(END + 1)], siblings: [nextOf(1002)] },
    ),
    { cause: 'NodePressure' },
  ],
  'the event of the pod that had the name before is not about this one': [
    aCase(statefulLife(), { owner: [setDeleted(END - 300)], siblings: [nextOf(1006)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'a person who deletes one gets the same revision again': [
    aCase(statefulLife(), { siblings: [nextOf(1006)] }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'a lost event: another revision is inferred to be an update': [
    aCase(statefulLife(), { siblings: [nextOf(1006, { revision: 'db-2' })], unwatched: ['events'] }),
    {
      cause: 'StatefulSetUpdate',
      certainty: 'inferred',
      sentence: 'ended in an update of StatefulSet db to revision db-2, or was deleted on request while that went on.',
    },
  ],
  'a person who deletes one that is not updated by itself gets another revision': [
    aCase(statefulLife(), { siblings: [nextOf(1006, { revision: 'db-2' })] }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
});

const AGENT = object('DaemonSet', 'agent');
const agentPod = (name: string, node = 'worker-2') =>
  aPod(name, { node, workload: { kind: 'DaemonSet', name: 'agent', inferred: false } });
const agent = (more: Partial<PodLife> = {}) =>
  aLife({ pod: agentPod('agent-a'), owner: AGENT, revision: 'r1', ...more });
const nextAgent = (seconds: number, more: Partial<PodLife> = {}, node = 'worker-2') =>
  sibling('agent-b', seconds, { pod: agentPod('agent-b', node), owner: AGENT, revision: 'r1', ...more });
const agentDeleted = event(AGENT, 'daemonset-controller', 'SuccessfulDelete', END, 'Deleted pod: agent-a');

verdictTable('DaemonSets', {
  'another revision on the same node is an update': [
    aCase(agent(), { owner: [agentDeleted], siblings: [nextAgent(1006, { revision: 'r2' })] }),
    {
      cause: 'DaemonSetUpdate',
      certainty: 'certain',
      sentence: 'ended in an update of DaemonSet agent to revision r2.',
    },
  ],
  'a lost event: another revision on the same node is inferred to be an update': [
    aCase(agent(), { siblings: [nextAgent(1006, { revision: 'r2' })], unwatched: ['events'] }),
    { cause: 'DaemonSetUpdate', certainty: 'inferred' },
  ],
  'a person who deletes one that is not updated by itself gets another revision': [
    aCase(agent(), { siblings: [nextAgent(1006, { revision: 'r2' })] }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'the same revision on the same node was deleted by somebody': [
    aCase(agent(), { siblings: [nextAgent(1006)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'another restartedAt is a restart': [
    aCase(agent(), {
      owner: [agentDeleted],
      siblings: [nextAgent(1006, { revision: 'r2', restartedAt: '2026-11-09T00:16:00Z' })],
    }),
    { cause: 'Restarted' },
  ],
  'an update within the second in which the pod was created': [
    aCase(agent({ created: at(END) }), { owner: [agentDeleted], siblings: [nextAgent(END, { revision: 'r2' })] }),
    { cause: 'DaemonSetUpdate', certainty: 'certain' },
  ],
  'a node that the DaemonSet left with an update that others have': [
    aCase(agent(), { owner: [agentDeleted], siblings: [nextAgent(1003, { revision: 'r2' }, 'worker-3')] }),
    { cause: 'ScaledDown', sentence: 'was removed because DaemonSet agent does not run on worker-2 any more.' },
  ],
  'one that is still ending has no next pod on its node yet': [
    aCase(agent({ gone: undefined }), {
      owner: [agentDeleted],
      siblings: [nextAgent(990, { revision: 'r2' }, 'worker-3')],
    }),
    { cause: 'DaemonSetUpdate' },
  ],
  'a node that the DaemonSet left': [
    aCase(agent(), { owner: [agentDeleted] }),
    {
      cause: 'ScaledDown',
      certainty: 'inferred',
      sentence: 'was removed because DaemonSet agent does not run on worker-2 any more.',
    },
  ],
});

const JOB = object('Job', 'load');
const worker = { pod: aPod('load-x', { workload: { kind: 'Job', name: 'load', inferred: false } }), owner: JOB };
const jobDeleted = event(JOB, 'job-controller', 'SuccessfulDelete', END, 'Deleted pod: load-x');
const cleanedUp = (seen: number) => ({ requested: at(END), graceSeconds: 0, seenAt: at(seen) });
const jobSaid = (reason: string, seconds = END + 1) => event(JOB, 'job-controller', reason, seconds);

verdictTable('Jobs', {
  'a pod that succeeded did its work': [
    aCase(terminated('Succeeded', '', '', worker)),
    { cause: 'JobCompleted', certainty: 'certain', sentence: 'completed its work for Job load.' },
  ],
  'a pod that succeeded and was cleaned up later did its work': [
    aCase(terminated('Succeeded', '', '', { ...worker, deletion: { requested: at(END + 60), graceSeconds: 30 } }), {
      owner: [evidence(JOB, 'deleted', END + 59)],
    }),
    { cause: 'JobCompleted' },
  ],
  'a pod that was seen to succeed before it was seen to be deleted, within one second, did its work': [
    aCase(terminated('Succeeded', '', '', { ...worker, deletion: cleanedUp(END + 0.9) }), {
      endSeenAt: at(END + 0.2),
      owner: [jobSaid('Completed'), evidence(JOB, 'deleted', END + 0.9)],
    }),
    { cause: 'JobCompleted', certainty: 'certain' },
  ],
  'where both were seen at once the deletion may have been first': [
    aCase(terminated('Succeeded', '', '', { ...worker, deletion: cleanedUp(END + 0.2) }), {
      endSeenAt: at(END + 0.2),
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'the deadline of the Job': [
    aCase(aLife(worker), { owner: [jobDeleted, jobSaid('DeadlineExceeded')] }),
    { cause: 'JobDeadline', certainty: 'certain', cites: 2 },
  ],
  'the deadline of the pod is none of the Job': [
    aCase(
      terminated('Failed', 'DeadlineExceeded', 'Pod was active on the node longer than the specified deadline', worker),
    ),
    { cause: 'Deadline', certainty: 'certain' },
  ],
  'a suspension': [
    aCase(aLife(worker), { owner: [jobDeleted, jobSaid('Suspended')] }),
    { cause: 'Suspended', certainty: 'certain', sentence: 'was ended by Job load, which was suspended.' },
  ],
  'a suspension an hour before has nothing to do with it': [
    aCase(aLife(worker), { owner: [jobSaid('Suspended', END - 3600)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'a Job that was complete while a pod still ran': [
    aCase(aLife(worker), { owner: [jobDeleted, jobSaid('Completed')] }),
    { cause: 'JobCompleted' },
  ],
  'fewer pods at once': [aCase(aLife(worker), { owner: [jobDeleted] }), { cause: 'ScaledDown' }],
  'a pod that was done before its node was lost did its work, though its kubelet said so later': [
    aCase(
      disrupted('DeletionByTaintManager', {
        ...worker,
        terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END - 30) },
      }),
    ),
    { cause: 'JobCompleted' },
  ],
  'a pod that ends well because it was evicted was evicted': [
    aCase(
      disrupted('EvictionByEvictionAPI', {
        ...worker,
        terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END) },
      }),
    ),
    { cause: 'Evicted' },
  ],
  'a pod that crashed is no completed one': [
    aCase(
      terminated('Failed', '', '', {
        ...worker,
        endings: [{ container: 'app', reason: 'Error', exitCode: 1, signal: 0, at: at(END) }],
      }),
    ),
    { cause: 'Crashed', sentence: 'failed: its container app ended with exit code 1.' },
  ],
});
