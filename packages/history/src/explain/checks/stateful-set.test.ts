// What a StatefulSet did: revision, phase and ordinal tell its deletions apart.
import { at } from '../../engines/testing/record-builders.ts';
import type { PodLife } from '../../model/pod-life.ts';
import { sibling } from '../testing/cart-builders.ts';
import { aCase, aLife, aPod, END, event, object, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

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
