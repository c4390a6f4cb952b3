// What a StatefulSet did: revision, phase and ordinal tell its deletions apart.
import { at } from '../../engines/testing/record-builders.ts';
import type { PodLife } from '../../model/pod-life.ts';
import { sibling } from '../testing/cart-builders.ts';
import { aCase, aLife, aPod, END, event, evidence, object, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const SET = object('StatefulSet', 'db');
const member = { pod: aPod('db-2', { workload: { kind: 'StatefulSet', name: 'db', inferred: false } }), owner: SET };
const statefulLife = (more: Partial<PodLife> = {}) => aLife({ ...member, revision: 'db-1', ...more });
const setDeleted = (seconds = END) =>
  event(SET, 'statefulset-controller', 'SuccessfulDelete', seconds, 'delete Pod db-2 in StatefulSet db successful');
const nextOf = (seconds: number, more: Partial<PodLife> = {}) =>
  sibling('db-2', seconds, { pod: { ...member.pod, uid: 'uid-db-2-next' }, owner: SET, revision: 'db-1', ...more });
/** Pods of lower numbers that live on. */
const lower = [0, 1].map((ordinal) =>
  nextOf(0, { pod: aPod(`db-${ordinal}`, { uid: `uid-db-${ordinal}`, workload: member.pod.workload }) }),
);
const setChanged = (generation: number, seconds: number, resourceVersion: string) => ({
  ...evidence(SET, 'revision', seconds, { reason: `${generation}`, message: `generation ${generation}` }),
  resourceVersion,
});

verdictTable('StatefulSets', {
  'scaled down, and half a minute later scaled up with a new template': [
    aCase(statefulLife(), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [setChanged(2, END - 0.2, '100'), setDeleted(), setChanged(3, END + 30, '130')],
      siblings: [nextOf(END + 30.5, { revision: 'db-2' })],
    }),
    {
      ...{ cause: 'StatefulSetUpdate', certainty: 'inferred', cites: 3 },
      sentence:
        'ended in an update of StatefulSet db to revision db-2, or was removed before that to have fewer pods for a while.',
    },
  ],
  'one that is changed only after the end, and no other pod is of the new revision before': [
    aCase(statefulLife(), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [setDeleted(), setChanged(3, END + 30, '130')],
      siblings: [...lower, nextOf(END + 30.5, { revision: 'db-2' })],
    }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred', cites: 2 },
      sentence: 'was removed by StatefulSet db, and made again of revision db-2, which came later.',
    },
  ],
  'an update that has been going on for long, and one more change': [
    aCase(statefulLife(), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [setDeleted(), setChanged(4, END + 3, '130')],
      siblings: [
        nextOf(END - 700, { pod: aPod('db-3', { workload: member.pod.workload }), revision: 'db-2' }),
        nextOf(END + 6, { revision: 'db-2' }),
      ],
    }),
    { cause: 'StatefulSetUpdate', certainty: 'inferred' },
  ],
  'an update whose next waits for a lower number that is away for five minutes, asked meanwhile': [
    aCase(statefulLife(), {
      knownUntil: at(END + 290),
      owner: [setChanged(2, END - 0.2, '100'), setDeleted()],
      siblings: [
        nextOf(0, { pod: aPod('db-1', { uid: 'uid-db-1', workload: member.pod.workload }) }),
        nextOf(0, {
          pod: aPod('db-0', { uid: 'uid-db-0', workload: member.pod.workload }),
          deletion: { requested: at(END - 1), graceSeconds: 600 },
        }),
      ],
    }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred' },
      sentence:
        'was removed by StatefulSet db, to have fewer pods or to make it again: pods of lower numbers come before it.',
    },
  ],
  'two that are scaled down, the lower one as soon as this one is gone: an update would have made this one again first':
    [
      aCase(statefulLife(), {
        owner: [
          setDeleted(),
          event(
            SET,
            'statefulset-controller',
            'SuccessfulDelete',
            END + 5,
            'delete Pod db-1 in StatefulSet db successful',
          ),
        ],
        siblings: [
          lower[0]!,
          { ...lower[1]!, deletion: { requested: at(END + 5), graceSeconds: 30 }, gone: at(END + 9) },
        ],
      }),
      { cause: 'ScaledDown', certainty: 'certain' },
    ],
  'the same where somebody else deleted the lower one': [
    aCase(statefulLife(), {
      owner: [setDeleted()],
      siblings: [
        lower[0]!,
        { ...lower[1]!, deletion: { requested: at(END + 5), graceSeconds: 30 }, gone: at(END + 9) },
      ],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'the same where the lower number is not ready': [
    aCase(statefulLife(), {
      owner: [setDeleted()],
      siblings: [...lower.slice(1), { ...lower[0]!, ready: undefined }],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'the same where nobody saw the pods of lower numbers': [
    aCase(statefulLife(), { owner: [setDeleted()] }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'a restart, and an image that is set right after it: one or the other': [
    aCase(statefulLife(), {
      owner: [
        evidence(SET, 'revision', END - 4, { reason: '2', message: 'generation 2' }),
        evidence(SET, 'revision', END - 2, { reason: '3', message: 'generation 3' }),
        setDeleted(),
      ],
      siblings: [nextOf(1006, { revision: 'db-3', restartedAt: '2026-11-09T00:16:00Z' })],
    }),
    {
      ...{ cause: 'Restarted', certainty: 'inferred' },
      sentence: 'ended in a restart of StatefulSet db to revision db-3, or in an update that came after one.',
    },
  ],
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
  'an event about the pod that had the name before says nothing about this one': [
    aCase(statefulLife({ created: at(END - 4) }), { owner: [setDeleted(END - 6)] }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'an event that comes late, while the next pod of its name lives on': [
    aCase(statefulLife(), {
      owner: [setDeleted(END + 60)],
      siblings: [nextOf(1006, { revision: 'db-2' })],
    }),
    { cause: 'StatefulSetUpdate', certainty: 'certain' },
  ],
  'an event in the second of the next pod, which had ended by then, is about that one': [
    aCase(statefulLife({ gone: at(END), resourceVersion: '106' }), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [
        { ...setDeleted(END), resourceVersion: '120' },
        { ...setDeleted(END + 0.1), resourceVersion: '121', count: 2 },
      ],
      siblings: [
        nextOf(END, { pod: { ...member.pod, uid: 'uid-third' }, revision: 'db-2', resourceVersion: '125' }),
        nextOf(END, {
          resourceVersion: '118',
          deletion: { requested: at(END), graceSeconds: 5, seenIn: { epoch: 1, resourceVersion: '117' } },
        }),
      ],
    }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'one that is changed before the end and again before the next of the same revision had fewer pods for a while': [
    aCase(statefulLife(), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [
        { ...evidence(SET, 'revision', END - 1, { reason: '2' }), resourceVersion: '100' },
        setDeleted(),
        { ...evidence(SET, 'revision', END + 8, { reason: '3' }), resourceVersion: '110' },
      ],
      siblings: [nextOf(END + 6)],
    }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred', cites: 3 },
      sentence: 'was removed by StatefulSet db, to have fewer pods for a while, or for an update that was taken back.',
    },
  ],
  'the same where another pod has another revision: an update was taken back': [
    aCase(statefulLife(), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [
        { ...evidence(SET, 'revision', END - 10, { reason: '2' }), resourceVersion: '100' },
        setDeleted(),
        { ...evidence(SET, 'revision', END + 2, { reason: '3' }), resourceVersion: '110' },
      ],
      siblings: [
        nextOf(END - 4, { pod: aPod('db-3', { workload: member.pod.workload }), revision: 'db-2' }),
        nextOf(END + 6),
      ],
    }),
    {
      ...{ cause: 'StatefulSetUpdate', certainty: 'inferred', cites: 3 },
      sentence: 'ended in an update of StatefulSet db that was taken back.',
    },
  ],
  'one that is changed only after the end has made it again': [
    aCase(statefulLife(), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [setDeleted(), { ...evidence(SET, 'revision', END + 2, { reason: '3' }), resourceVersion: '110' }],
      siblings: [nextOf(END + 6)],
    }),
    { cause: 'StatefulSetRecreated', certainty: 'inferred', cites: 1 },
  ],
  'the same with who scaled it down in the audit log is certain': [
    aCase(statefulLife(), {
      owner: [
        setDeleted(),
        evidence(SET, 'audited', END - 0.2, { reason: 'scale', by: 'jane', message: 'to 2 replicas' }),
        evidence(SET, 'audited', END + 1, { reason: 'scale', by: 'jane', message: 'to 3 replicas' }),
      ],
      pod: [
        evidence(object('Pod', 'db-2'), 'audited', END + 0.1, {
          ...{ reason: 'delete', by: 'system:serviceaccount:kube-system:statefulset-controller' },
        }),
      ],
      siblings: [nextOf(END + 6)],
    }),
    {
      ...{ cause: 'ScaledDown', certainty: 'certain', actor: 'jane' },
      sentence: 'was removed when StatefulSet db was scaled down by jane.',
    },
  ],
  'no successor is a scale-down': [
    aCase(statefulLife(), { owner: [setDeleted()], siblings: lower }),
    { cause: 'ScaledDown', certainty: 'certain', sentence: 'was removed when StatefulSet db was scaled down.' },
  ],
  'one that is not gone yet may be made again: its name is not free': [
    aCase(statefulLife({ gone: undefined }), { owner: [setDeleted()] }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred', cites: 1 },
      sentence: 'was removed by StatefulSet db, to have fewer pods or to make it again: that shows once it is gone.',
    },
  ],
  'one that is gone since a moment may be made again: its controller waits for lower numbers': [
    aCase(statefulLife(), { owner: [setDeleted()], knownUntil: at(END + 6) }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred', cites: 1 },
      sentence:
        'was removed by StatefulSet db, to have fewer pods or to make it again: that shows within a minute after it is gone.',
    },
  ],
  'a minute after it is gone its name stays free: a scale-down': [
    aCase(statefulLife(), { owner: [setDeleted()], siblings: lower, knownUntil: at(END + 66) }),
    { cause: 'ScaledDown', certainty: 'certain', sentence: 'was removed when StatefulSet db was scaled down.' },
  ],
  'a new revision whose pod is refused is no scale-down': [
    aCase(statefulLife(), {
      owner: [
        setDeleted(),
        event(
          SET,
          'statefulset-controller',
          'FailedCreate',
          END + 6,
          'create Pod db-2 in StatefulSet db failed error: pods "db-2" is forbidden: violates PodSecurity "baseline:latest"',
        ),
      ],
    }),
    {
      ...{ cause: 'StatefulSetUpdate', certainty: 'inferred', cites: 2 },
      sentence: 'was removed by StatefulSet db, which could not make it again.',
    },
  ],
  'a successor ten minutes later is another scaling': [
    aCase(statefulLife(), { owner: [setDeleted()], siblings: [nextOf(1600, { revision: 'db-2' })] }),
    { cause: 'ScaledDown' },
  ],
  // Pods are made again in their order: one of a lower number that is not ready is waited for.
  'another revision after some minutes: an update that had to wait, or two scalings': [
    aCase(statefulLife(), { owner: [setDeleted()], siblings: [nextOf(1185, { revision: 'db-2' })] }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred', cites: 1 },
      sentence:
        'was removed by StatefulSet db, to have fewer pods or to make it again: its next came more than a minute later.',
    },
  ],
  'the same revision after some minutes: scaled down, and up again': [
    aCase(statefulLife(), { owner: [setDeleted()], siblings: [...lower, nextOf(1185)] }),
    { cause: 'ScaledDown', certainty: 'certain', sentence: 'was removed when StatefulSet db was scaled down.' },
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
  'one whose controller has sent its Events about a pod that is refused: its silence is no proof': [
    aCase(statefulLife({ pod: aPod('db-1', { workload: member.pod.workload }) }), {
      owner: [
        event(SET, 'statefulset-controller', 'FailedCreate', END - 900, 'create Pod db-2 in StatefulSet db failed'),
        {
          ...event(SET, 'statefulset-controller', 'FailedCreate', END - 60, 'create Pod db-2 in StatefulSet db failed'),
          count: 64,
        },
        setChanged(2, END - 1, '100'),
      ],
      siblings: [
        nextOf(END + 6, {
          pod: aPod('db-1', { uid: 'uid-db-1-next', workload: member.pod.workload }),
          revision: 'db-2',
        }),
      ],
    }),
    {
      ...{ cause: 'StatefulSetUpdate', certainty: 'inferred' },
      sentence: 'ended in an update of StatefulSet db to revision db-2, or was deleted on request while that went on.',
    },
  ],
  'the highest one that is not made again, because all pods are refused, was not scaled down': [
    aCase(statefulLife(), {
      owner: [
        { ...event(SET, 'statefulset-controller', 'FailedCreate', END + 6, 'create Pod db-2 failed'), count: 16 },
      ],
    }),
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
