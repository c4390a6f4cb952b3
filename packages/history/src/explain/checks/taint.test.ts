// Which of the taints of a node deleted a pod: what it tolerates is not recorded, and the watch of nodes may be behind.
import { at } from '../../engines/testing/record-builders.ts';
import type { Case } from '../case.ts';
import { aCase, aLife, aPod, disrupted, END, event, evidence, NODE, object, POD } from '../testing/case-builders.ts';
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

verdictTable('taints', {
  'a node that was unreachable, and is back right after': [
    aCase(disrupted(TAINT), {
      node: [
        tainted('node.kubernetes.io/unreachable:NoExecute', END - 1),
        untainted('node.kubernetes.io/unreachable:NoExecute', END + 2),
      ],
    }),
    { cause: 'NodeUnreachable', certainty: 'certain', sentence: 'was deleted because worker-2 was unreachable.' },
  ],
  "which taint it was is known by the node's history": [
    aCase(disrupted(TAINT), { node: [tainted('maintenance=now:NoExecute', 990)] }),
    {
      cause: 'Taint',
      certainty: 'certain',
      sentence: 'was deleted because of the taint maintenance=now:NoExecute of worker-2.',
      cites: 1,
    },
  ],
  'a taint that keeps pods away evicts none': [
    aCase(disrupted(TAINT), { node: [tainted('full=yes:NoSchedule', 990)] }),
    { cause: 'Taint', sentence: 'was deleted because of a taint of worker-2.', cites: 0 },
  ],
  'a taint that was taken back before is not the one': [
    aCase(disrupted(TAINT), { node: [tainted('a=b:NoExecute', 500), untainted('a=b:NoExecute', 600)] }),
    { sentence: 'was deleted because of a taint of worker-2.' },
  ],
  'the event without a UID is about this pod where it is about that time': [
    aCase(aLife(), {
      pod: [
        event(
          { ...POD, uid: '' },
          'taint-eviction-controller',
          'TaintManagerEviction',
          END,
          'Marking for deletion Pod shop/cart-1',
        ),
      ],
      node: [tainted('maintenance=now:NoExecute', 990)],
    }),
    { cause: 'Taint', certainty: 'certain', cites: 2 },
  ],
  'the event without a UID from an hour before was about another pod of the same name': [
    aCase(aLife(), {
      pod: [
        event({ ...POD, uid: '' }, 'taint-controller', 'TaintManagerEviction', END - 3600, 'Marking for deletion Pod'),
      ],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'the event without a UID from half a minute later is about the next pod of the same name': [
    aCase(aLife(), {
      pod: [
        event(
          { ...POD, uid: '' },
          'taint-eviction-controller',
          'TaintManagerEviction',
          END + 30,
          'Marking for deletion Pod shop/cart-1',
        ),
      ],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'the event without a UID from three seconds later is about the next pod, if that was there by then': [
    aCase(aLife(), {
      pod: [
        event(
          { ...POD, uid: '' },
          'taint-eviction-controller',
          'TaintManagerEviction',
          END + 3,
          'Marking for deletion Pod shop/cart-1',
        ),
      ],
      siblings: [aLife({ created: at(END + 1), deletion: undefined, gone: undefined })],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'a deletion that was cancelled is none': [
    aCase(aLife(), {
      pod: [event({ ...POD, uid: '' }, 'taint-controller', 'TaintManagerEviction', END, 'Cancelling deletion of Pod')],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'the taint of an unreachable node is the unreachable node': [
    aCase(disrupted(TAINT), {
      node: [
        evidence(NODE, 'condition', 650, { reason: 'Ready=Unknown', message: 'NodeStatusUnknown' }),
        tainted('node.kubernetes.io/unreachable:NoExecute', 655),
      ],
    }),
    {
      cause: 'NodeUnreachable',
      certainty: 'certain',
      sentence: 'was deleted because worker-2 was unreachable.',
      cites: 2,
    },
  ],
  'a node that is not ready is no unreachable one': [
    aCase(disrupted(TAINT), { node: [tainted('node.kubernetes.io/not-ready:NoExecute', 655)] }),
    { cause: 'Taint' },
  ],
  'the out-of-service taint is a cause of its own': [
    aCase(disrupted(TAINT), { node: [tainted('node.kubernetes.io/out-of-service=nodeshutdown:NoExecute', 999)] }),
    { cause: 'OutOfService', certainty: 'certain' },
  ],
  'out of service after the pod was deleted for an unreachable node changes nothing': [
    aCase(disrupted(TAINT), {
      node: [
        tainted('node.kubernetes.io/unreachable:NoExecute', 655),
        tainted('node.kubernetes.io/out-of-service=yes:NoExecute', END + 300),
      ],
    }),
    { cause: 'NodeUnreachable' },
  ],
  'two taints that stand, of which it tolerates one or the other: the one that is due, and both are named': [
    aCase(disrupted(TAINT), {
      node: [tainted('node.kubernetes.io/unreachable:NoExecute', 700), tainted('maintenance=soon:NoExecute', 850)],
    }),
    {
      ...{ cause: 'NodeUnreachable', certainty: 'inferred', cites: 2 },
      sentence:
        'was deleted because of one of the taints of worker-2: node.kubernetes.io/unreachable:NoExecute, maintenance=soon:NoExecute.',
    },
  ],
  'two taints that stand, and none is due': [
    aCase(disrupted(TAINT), { node: [tainted('a=b:NoExecute', 600), tainted('c=d:NoExecute', 800)] }),
    { cause: 'Taint', certainty: 'inferred', cites: 2 },
  ],
  'two taints of one key': [
    aCase(disrupted(TAINT), { node: [tainted('a=b:NoExecute', 600), tainted('a=c:NoExecute', 800)] }),
    { cause: 'Taint', certainty: 'inferred', cites: 1 },
  ],
  'two taints, and one was put on right before it was deleted': [
    aCase(disrupted(TAINT), { node: [tainted('a=b:NoExecute', 600), tainted('c=d:NoExecute', 999)] }),
    {
      ...{ cause: 'Taint', certainty: 'certain', cites: 1 },
      sentence: 'was deleted because of the taint c=d:NoExecute of worker-2.',
    },
  ],
  'two taints that were put on at once, of which it may tolerate either': [
    aCase(disrupted(TAINT), { node: [tainted('a=b:NoExecute', 999), tainted('c=d:NoExecute', 999)] }),
    {
      ...{ cause: 'Taint', certainty: 'inferred', cites: 2 },
      sentence: 'was deleted because of one of the taints of worker-2: a=b:NoExecute, c=d:NoExecute.',
    },
  ],
  'a taint that was put on right before, when another one was due': [
    aCase(disrupted(TAINT), {
      node: [
        tainted('node.kubernetes.io/unreachable:NoExecute', END - 300),
        tainted('maintenance=now:NoExecute', END - 2),
      ],
    }),
    {
      ...{ certainty: 'inferred', cites: 2 },
      sentence:
        'was deleted because of one of the taints of worker-2: node.kubernetes.io/unreachable:NoExecute, maintenance=now:NoExecute.',
    },
  ],
  'two taints that were put on at once, and that a watch of nodes showed after the end': [
    aCase(disrupted(TAINT), {
      endSeenAt: at(END + 0.2),
      node: [tainted('a=b:NoExecute', END + 0.4), tainted('c=d:NoExecute', END + 0.4)],
    }),
    {
      ...{ cause: 'Taint', certainty: 'inferred', cites: 2 },
      sentence: 'was deleted because of one of the taints of worker-2: a=b:NoExecute, c=d:NoExecute.',
    },
  ],
  'an event without a condition, and the audit log has who deleted it first': [
    aCase(aLife(), {
      pod: [
        evidence(POD, 'audited', END, { reason: 'delete', by: 'alice' }),
        event(
          { ...POD, uid: '' },
          'taint-eviction-controller',
          'TaintManagerEviction',
          END,
          'Marking for deletion Pod',
        ),
      ],
    }),
    { cause: 'DeletedOnRequest', certainty: 'certain', actor: 'alice' },
  ],
  'the taint of a device is none of the node': [
    aCase(disrupted('DeletionByDeviceTaintManager'), { node: [tainted('a=b:NoExecute', 990)] }),
    { cause: 'DeviceTaint', certainty: 'certain', cites: 0 },
  ],
});

const DEVICE = 'DeletionByDeviceTaintManager';
const ofDevices = (seconds: number, message = 'Marking for deletion') =>
  event(POD, 'device-taint-eviction-controller', 'DeviceTaintManagerEviction', seconds, message);

verdictTable('a tainted device', {
  'the event of its controller is cited': [
    aCase(disrupted(DEVICE), { pod: [ofDevices(END)] }),
    {
      ...{ cause: 'DeviceTaint', certainty: 'certain', cites: 1 },
      sentence: 'was deleted because a device that it used was tainted.',
    },
  ],
  'a taint that was taken back in time, and then one that was not': [
    aCase(disrupted(DEVICE), { pod: [ofDevices(END - 3, 'Cancelling deletion'), ofDevices(END)] }),
    { cause: 'DeviceTaint', certainty: 'certain', cites: 1 },
  ],
  'the event alone is no cause: the controller writes the condition before it deletes': [
    aCase(aLife(), { pod: [ofDevices(END)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'an event of long before is of another taint': [
    aCase(disrupted(DEVICE), { pod: [ofDevices(END - 300)] }),
    { cause: 'DeviceTaint', cites: 0 },
  ],
});
