// What a ReplicaSet did: the same event means a rollout, a restart or a scale-down, and is often lost.
import { at } from '../../engines/testing/record-builders.ts';
import {
  CART,
  deleted,
  NEW,
  numbered,
  OLD,
  ofOld,
  owned,
  rolled,
  scaling,
  shrunk,
  sibling,
} from '../testing/cart-builders.ts';
import { aCase, aLife, aPod, disrupted, END, event, evidence, object, POD } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const NEXT = object('ReplicaSet', 'cart-next');
const SCALED = shrunk(OLD, 999.7, 'generation 3, 2 replicas desired, 4 before');
const ROLLED = shrunk(OLD, 999.7, 'generation 3, 2 replicas desired, 2 before');
/** What Argo Rollouts owns: its ReplicaSets have no number of replicas that are desired. */
const FOREIGN = {
  pod: aPod('cart-1', { workload: { kind: 'ReplicaSet', name: 'cart-old', inferred: false } }),
  owner: OLD,
};
const OWNED = { ...evidence(OLD, 'owned', 0, { reason: '4' }), related: object('Rollout', 'cart') };

verdictTable('ReplicaSets', {
  'a ReplicaSet of another controller than a Deployment, of which another one grows': [
    aCase(aLife(FOREIGN), {
      owner: [OWNED, shrunk(OLD, 999.7, 'generation 5'), deleted],
      workload: [{ ...evidence(NEW, 'owned', 980, { reason: '1' }), related: object('Rollout', 'cart') }],
      siblings: [
        sibling('cart-2', 985, {
          pod: aPod('cart-2', { workload: { kind: 'ReplicaSet', name: 'cart-new', inferred: false } }),
          revision: undefined,
        }),
      ],
    }),
    {
      ...{ cause: 'Rollout', certainty: 'inferred' },
      sentence: 'ended in a rollout of Rollout cart, or when it was scaled down.',
    },
  ],
  'a ReplicaSet of another controller than a Deployment, of which no other one is known': [
    aCase(aLife(FOREIGN), { owner: [OWNED, shrunk(OLD, 999.7, 'generation 5'), deleted] }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred' },
      sentence: 'was removed by ReplicaSet cart-old of Rollout cart, which was scaled down or rolled out.',
    },
  ],
  'a ReplicaSet of its own that was changed': [
    aCase(aLife(FOREIGN), { owner: [shrunk(OLD, 999.7, 'generation 5'), deleted] }),
    { cause: 'ScaledDown', certainty: 'certain', sentence: 'was removed when ReplicaSet cart-old was scaled down.' },
  ],
  'a rollout that is stuck, and nobody watched ReplicaSets: it may have been scaled down': [
    aCase(aLife(rolled), {
      unwatched: ['replicasets'],
      owner: [deleted],
      workload: [scaling(END, 'Scaled down replica set cart-old from 4 to 3')],
      siblings: [sibling('cart-0', 0, ofOld), sibling('cart-2', END - 900)],
    }),
    {
      ...{ cause: 'Rollout', certainty: 'inferred' },
      sentence: 'ended in a rollout of Deployment cart to revision new, or when it was scaled down.',
    },
  ],
  'a pod that its ReplicaSet takes back five minutes after a scale-down was done': [
    aCase(aLife(rolled), {
      owner: [shrunk(OLD, END - 300, 'generation 3, 2 replicas desired, 3 before'), deleted],
      siblings: [
        sibling('cart-0', 5, ofOld),
        sibling('cart-2', 5, ofOld),
        sibling('cart-3', 5, {
          ...ofOld,
          deletion: { requested: at(END - 300), graceSeconds: 30 },
          gone: at(END - 295),
        }),
      ],
    }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred' },
      sentence: 'was removed by ReplicaSet cart-old, which had more pods than it wanted.',
    },
  ],
  'the same while a rollout is stuck': [
    aCase(aLife(rolled), {
      owner: [shrunk(OLD, END - 300, 'generation 3, 2 replicas desired, 3 before'), deleted],
      siblings: [sibling('cart-0', 5, ofOld), sibling('cart-2', END - 900)],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'a scale-down of many pods, which took half a minute': [
    aCase(aLife(rolled), {
      owner: [shrunk(OLD, END - 30, 'generation 3, 2 replicas desired, 900 before'), deleted],
      siblings: [-28, -21, -14, -7].map((seconds) =>
        sibling(`cart-old${seconds}`, 5, { ...ofOld, deletion: { requested: at(END + seconds), graceSeconds: 30 } }),
      ),
    }),
    { cause: 'ScaledDown', certainty: 'certain' },
  ],
  'a restart, and an image that is set two seconds later: the pods are replaced for the second': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '4', 0), ROLLED, deleted],
      workload: [numbered(NEXT, '5', 978), numbered(NEW, '6', 980)],
      siblings: [
        sibling('cart-5', 978.5, {
          ...{ owner: NEXT, revision: 'next', restartedAt: '2026-11-09T00:16:18Z' },
          ...{ deletion: { requested: at(981), graceSeconds: 30 }, gone: at(983) },
        }),
        sibling('cart-2', 985, { restartedAt: '2026-11-09T00:16:18Z' }),
      ],
    }),
    { cause: 'Rollout', certainty: 'certain', sentence: 'ended in a rollout of Deployment cart to revision 6.' },
  ],
  'the same where no pod of the restart was seen: one or the other': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '4', 0), ROLLED, deleted],
      workload: [numbered(NEXT, '5', 978), numbered(NEW, '6', 980)],
      siblings: [sibling('cart-2', 985, { restartedAt: '2026-11-09T00:16:18Z' })],
    }),
    {
      ...{ cause: 'Restarted', certainty: 'inferred' },
      sentence: 'ended in a restart of Deployment cart to revision 6, or in a rollout that came after one.',
    },
  ],
  'a restart of a Deployment whose rollout is stuck': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '4', 0), ROLLED, deleted],
      workload: [numbered(NEXT, '5', 478), numbered(NEW, '6', 980)],
      siblings: [
        sibling('cart-5', 478.5, { owner: NEXT, revision: 'next' }),
        sibling('cart-2', 985, { restartedAt: '2026-11-09T00:16:18Z' }),
      ],
    }),
    { cause: 'Restarted', certainty: 'certain' },
  ],
  'a rollout whose new pods cannot be made, and a watch of ReplicaSets that is two seconds behind': [
    aCase(aLife(rolled), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [
        numbered(OLD, '1', 10),
        deleted,
        { ...shrunk(OLD, END + 2, 'generation 2, 2 replicas desired, 2 before'), reason: '1', resourceVersion: '104' },
      ],
      workload: [numbered(CART, '2', END + 7)],
    }),
    { cause: 'Rollout', certainty: 'inferred' },
  ],
  'a newer ReplicaSet that grows makes it a rollout': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '4', 0), ROLLED, deleted],
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
  'the same of a ReplicaSet that nobody saw shrink: its Deployment may have been scaled down meanwhile': [
    aCase(aLife(rolled), {
      owner: [numbered(OLD, '4', 0), deleted],
      workload: [numbered(NEW, '5', 980)],
      siblings: [sibling('cart-2', 985)],
    }),
    {
      ...{ cause: 'Rollout', certainty: 'inferred' },
      sentence: 'ended in a rollout of Deployment cart to revision 5, or when it was scaled down.',
    },
  ],
  'without a growing newer ReplicaSet the same event is a scale-down': [
    aCase(aLife(rolled), { owner: [SCALED, deleted], siblings: [sibling('cart-2', 5, ofOld)] }),
    {
      cause: 'ScaledDown',
      certainty: 'certain',
      sentence: 'was removed when Deployment cart was scaled down.',
      actor: undefined,
      cites: 1,
    },
  ],
  'an Event of a controller manager whose clock is a minute behind names the pod all the same': [
    aCase(aLife(rolled), {
      owner: [SCALED, { ...deleted, at: at(END - 60) }],
      workload: [scaling(END - 60, 'Scaled down replica set cart-old from 4 to 2')],
      siblings: [sibling('cart-2', 5, ofOld)],
    }),
    { cause: 'ScaledDown', certainty: 'certain' },
  ],
  'the same with a pod that lived for ten seconds': [
    aCase(aLife({ ...rolled, created: at(END - 10) }), { owner: [SCALED, { ...deleted, at: at(END - 60) }] }),
    { cause: 'ScaledDown', certainty: 'certain' },
  ],
  'a pod that its ReplicaSet took over, with one too many then, was removed without a scale-down': [
    aCase(aLife({ owner: OLD, created: at(END - 1), pod: aPod('cart-1', { workload: undefined }) }), {
      owner: [shrunk(OLD, 100, 'generation 2'), deleted],
    }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred', cites: 1 },
      sentence: 'was removed by ReplicaSet cart-old, which had more pods than it wanted.',
    },
  ],
  'the same right after it was created': [
    aCase(aLife({ ...rolled, created: at(END - 1) }), {
      owner: [{ ...numbered(OLD, '1', 990), message: 'generation 1, 2 replicas desired' }, deleted],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'one that was changed for a rollout, and was not scaled': [
    aCase(aLife(rolled), { owner: [shrunk(OLD, 999.7, 'generation 3, 2 replicas desired, 2 before'), deleted] }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'one whose Deployment scales nothing: it has no number of replicas that are desired': [
    aCase(aLife(rolled), { owner: [shrunk(OLD, 999.7, 'generation 3'), deleted] }),
    { cause: 'ScaledDown', certainty: 'certain', cites: 1 },
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
      owner: [numbered(OLD, '5', 0), { ...ROLLED, reason: '5' }, deleted],
      workload: [numbered(NEW, '4', -900), numbered(NEW, '6', 980)],
      siblings: [
        sibling('cart-0', -900, { deletion: { requested: at(10), graceSeconds: 30 } }),
        sibling('cart-2', 985),
      ],
    }),
    { cause: 'Rollout', sentence: 'ended in a rollout of Deployment cart to revision 6.' },
  ],
  'a rollout that is undone half a minute later was a rollout to the number from before that': [
    aCase(aLife(rolled), {
      owner: [
        numbered(OLD, '4', 0),
        shrunk(OLD, 999.7, 'generation 2, 2 replicas desired, 2 before'),
        deleted,
        numbered(OLD, '6', END + 30),
      ],
      workload: [numbered(NEW, '5', 980), numbered(CART, '5', 980), numbered(CART, '6', END + 30)],
      siblings: [sibling('cart-2', 985), sibling('cart-3', END + 31, ofOld)],
    }),
    { cause: 'Rollout', certainty: 'certain', sentence: 'ended in a rollout of Deployment cart to revision 5.' },
  ],
  'a rollout that another one follows within a second was a rollout to the revision of that time': [
    aCase(aLife(rolled), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [{ ...numbered(OLD, '4', 0), resourceVersion: '10' }, { ...ROLLED, resourceVersion: '100' }, deleted],
      workload: [
        { ...evidence(NEW, 'created', END), resourceVersion: '90' },
        { ...numbered(NEW, '5', END), resourceVersion: '90' },
        { ...evidence(NEXT, 'created', END + 1), resourceVersion: '130' },
        { ...numbered(NEXT, '6', END + 1), resourceVersion: '130' },
      ],
      siblings: [sibling('cart-2', END), sibling('cart-3', END + 1, { owner: NEXT, revision: 'next' })],
    }),
    { cause: 'Rollout', certainty: 'certain', sentence: 'ended in a rollout of Deployment cart to revision 5.' },
  ],
  'a rollout that is undone, and that once more, was a rollout to the first number': [
    aCase(aLife(rolled), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [
        { ...numbered(OLD, '4', 0), resourceVersion: '10' },
        { ...ROLLED, resourceVersion: '100' },
        deleted,
        { ...numbered(OLD, '6', END + 20), resourceVersion: '130' },
      ],
      workload: [
        { ...numbered(NEW, '5', 980), resourceVersion: '90' },
        { ...numbered(NEW, '7', END + 30), resourceVersion: '140' },
      ],
      siblings: [sibling('cart-2', 985), sibling('cart-3', END + 21, ofOld)],
    }),
    { cause: 'Rollout', certainty: 'certain', sentence: 'ended in a rollout of Deployment cart to revision 5.' },
  ],
  'a rollout without a surge ends the old pod first': [
    aCase(aLife(rolled), {
      owner: [ROLLED, deleted],
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
      owner: [ROLLED, deleted],
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
  // Its ReplicaSet has seen both numbers, or the last one only: it removes as many pods as are too many by then.
  'a rollout that goes on right after a scale-down: one or the other': [
    aCase(aLife(rolled), {
      owner: [
        numbered(OLD, '4', 0),
        shrunk(OLD, 999.2, 'generation 3, 2 replicas desired, 4 before'),
        shrunk(OLD, 999.7, 'generation 4, 2 replicas desired, 2 before'),
        deleted,
      ],
      workload: [numbered(NEW, '5', 980)],
      siblings: [sibling('cart-2', 985)],
    }),
    {
      ...{ cause: 'Rollout', certainty: 'inferred', cites: 3 },
      sentence: 'ended in a rollout of Deployment cart to revision 5, or when it was scaled down right before.',
    },
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
      sentence: 'ended in a rollout of Deployment cart to revision 5, of which no new pod was seen.',
    },
  ],
  'a rollout that is undone before the old pods ended: they are of the newest revision then': [
    aCase(aLife({ ...rolled, owner: NEW, revision: 'new', created: at(900) }), {
      owner: [
        numbered(NEW, '5', 900),
        { ...shrunk(NEW, 999.7, 'generation 2, 1 replicas desired, 1 before'), reason: '5' },
        { ...deleted, about: NEW },
      ],
      workload: [numbered(OLD, '4', -900), numbered(OLD, '6', 999.5), numbered(CART, '6', 999.8)],
      siblings: [sibling('cart-0', -800, ofOld)],
    }),
    {
      cause: 'Rollout',
      certainty: 'inferred',
      sentence: 'ended in a rollout of Deployment cart to revision 6, of which no new pod was seen.',
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
  'a scale-down of a Deployment whose quota is used up, which has sent its Events about that': [
    aCase(aLife(rolled), {
      owner: [
        { ...event(OLD, 'replicaset-controller', 'FailedCreate', END - 60, 'exceeded quota'), count: 32 },
        SCALED,
      ],
      workload: [scaling(END, 'Scaled down replica set cart-old from 4 to 2')],
    }),
    { cause: 'ScaledDown', certainty: 'inferred', cites: 1 },
  ],
  'the same that was not scaled down: a pod that nobody replaces was deleted': [
    aCase(aLife(rolled), {
      owner: [{ ...event(OLD, 'replicaset-controller', 'FailedCreate', END - 60, 'exceeded quota'), count: 32 }],
      workload: [scaling(END - 300, 'Scaled up replica set cart-old from 2 to 4')],
    }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
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
      owner: [SCALED],
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

const AWAY = { deletion: undefined, gone: at(END + 600), source: 'inferred' } as const;
const deletedMeanwhile = event(OLD, 'replicaset-controller', 'SuccessfulDelete', END + 300, 'Deleted pod: cart-1');

verdictTable('a pod whose end nobody watched', {
  'an event of its owner from meanwhile names it': [
    aCase(aLife({ ...owned, ...AWAY }), { owner: [deletedMeanwhile] }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'and that it was changed meanwhile': [
    aCase(aLife({ ...owned, ...AWAY }), {
      owner: [evidence(OLD, 'revision', END + 299, { reason: '4', message: 'generation 2' }), deletedMeanwhile],
    }),
    { cause: 'ScaledDown', certainty: 'certain' },
  ],
  'controllers that share one account: nobody replaces a pod that was one too many': [
    aCase(aLife(owned), {
      pod: [evidence(POD, 'audited', END, { reason: 'delete', by: 'system:kube-controller-manager' })],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
});
