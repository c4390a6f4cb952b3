// The first DisruptionTarget: what it is taken for, and the near misses that it is not taken for.

import { at } from '../../engines/testing/record-builders.ts';
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
  terminated,
} from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const EVICTION = 'EvictionByEvictionAPI';
const TAINT = 'DeletionByTaintManager';
const cordoned = (seconds: number) => evidence(NODE, 'cordoned', seconds);
const uncordoned = (seconds: number) => evidence(NODE, 'uncordoned', seconds);
const tainted = (reason: string, seconds: number) => evidence(NODE, 'tainted', seconds, { reason });
const untainted = (reason: string, seconds: number) => evidence(NODE, 'untainted', seconds, { reason });

/** Its last state was written a second after its deletion. */
const deletedFirst = (reason: string, message: string) =>
  aLife({
    terminal: { phase: 'Failed', reason, message, at: at(END + 1), seenIn: { epoch: 1, resourceVersion: '9' } },
    deletion: { requested: at(END), graceSeconds: 30, seenIn: { epoch: 1, resourceVersion: '7' } },
  });

verdictTable('the Eviction API', {
  'an eviction from a cordoned node is a drain': [
    aCase(disrupted(EVICTION), { node: [cordoned(900)] }),
    { cause: 'Evicted', certainty: 'inferred', sentence: 'was evicted: worker-2 was drained.', cites: 1 },
  ],
  'a cordon that was taken back before is no drain': [
    aCase(disrupted(EVICTION), { node: [cordoned(800), uncordoned(900)] }),
    {
      cause: 'Evicted',
      certainty: 'certain',
      sentence: 'was evicted through the Eviction API; by whom is not known.',
      cites: 0,
    },
  ],
  'a cordon that is taken back right after the eviction was a drain': [
    aCase(disrupted(EVICTION), { node: [cordoned(900), uncordoned(END + 2)] }),
    { cause: 'Evicted', sentence: 'was evicted: worker-2 was drained.', cites: 1 },
  ],
  'a cordon after the eviction is no drain': [
    aCase(disrupted(EVICTION), { node: [cordoned(END + 60)] }),
    { cause: 'Evicted', sentence: 'was evicted through the Eviction API; by whom is not known.' },
  ],
  'without events an autoscaler may have done it: the sentence says that they were not watched': [
    aCase(disrupted(EVICTION), { unwatched: ['events'] }),
    { sentence: 'was evicted through the Eviction API; by whom is not known (events were not watched then).' },
  ],
  "the cluster-autoscaler's event wins over the cordon": [
    aCase(disrupted(EVICTION), {
      pod: [event(POD, 'cluster-autoscaler', 'ScaleDown', 999, 'deleting pod for node scale down')],
      node: [cordoned(900)],
    }),
    { certainty: 'certain', sentence: 'was evicted by cluster-autoscaler.', actor: 'cluster-autoscaler', cites: 1 },
  ],
  'the cluster-autoscaler that comes when the pod ends already: who asked first did it': [
    aCase(disrupted(EVICTION), {
      pod: [
        evidence(POD, 'audited', END, { reason: 'evict', by: 'alice' }),
        event(POD, 'cluster-autoscaler', 'ScaleDown', END + 60, 'deleting pod for node scale down'),
      ],
    }),
    { certainty: 'certain', sentence: 'was evicted by alice.', actor: 'alice', cites: 1 },
  ],
  'the same without an audit log: nobody knows who asked first': [
    aCase(disrupted(EVICTION), {
      pod: [event(POD, 'cluster-autoscaler', 'ScaleDown', END + 60, 'deleting pod for node scale down')],
    }),
    { sentence: 'was evicted through the Eviction API; by whom is not known.', actor: undefined },
  ],
  'a person who drains a node that the cluster-autoscaler had given up': [
    aCase(disrupted(EVICTION), {
      pod: [
        event(POD, 'cluster-autoscaler', 'ScaleDown', END - 14 * 60, 'deleting pod for node scale down'),
        evidence(POD, 'audited', END, { reason: 'evict', by: 'alice' }),
      ],
      node: [evidence(NODE, 'cordoned', 995)],
    }),
    { certainty: 'certain', sentence: 'was evicted by alice: worker-2 was drained.', actor: 'alice' },
  ],
  'the cluster-autoscaler that waited for budgets, and its own request': [
    aCase(disrupted(EVICTION), {
      pod: [
        event(POD, 'cluster-autoscaler', 'ScaleDown', END - 14 * 60, 'deleting pod for node scale down'),
        evidence(POD, 'audited', END, {
          ...{ reason: 'evict', by: 'system:serviceaccount:kube-system:cluster-autoscaler' },
        }),
      ],
    }),
    { certainty: 'certain', actor: 'cluster-autoscaler' },
  ],
  'the cluster-autoscaler that may have given up, and nothing else that says who asked': [
    aCase(disrupted(EVICTION), {
      pod: [event(POD, 'cluster-autoscaler', 'ScaleDown', END - 14 * 60, 'deleting pod for node scale down')],
      node: [
        tainted('ToBeDeletedByClusterAutoscaler=1:NoSchedule', END - 14 * 60),
        untainted('ToBeDeletedByClusterAutoscaler=1:NoSchedule', END - 12 * 60),
        cordoned(995),
      ],
    }),
    { certainty: 'inferred', actor: 'cluster-autoscaler' },
  ],
  'the cluster-autoscaler that still tries after a quarter of an hour': [
    aCase(disrupted(EVICTION), {
      pod: [event(POD, 'cluster-autoscaler', 'ScaleDown', END - 14 * 60, 'deleting pod for node scale down')],
      node: [tainted('ToBeDeletedByClusterAutoscaler=1:NoSchedule', END - 14 * 60)],
    }),
    { certainty: 'certain', actor: 'cluster-autoscaler' },
  ],
  "the cluster-autoscaler's taint on the node says who empties it": [
    aCase(disrupted(EVICTION), { node: [tainted('ToBeDeletedByClusterAutoscaler=1700000000:NoSchedule', 990)] }),
    { certainty: 'inferred', actor: 'cluster-autoscaler', cites: 1 },
  ],
  'a taint of an autoscaler that was taken back says nothing': [
    aCase(disrupted(EVICTION), {
      node: [
        tainted('ToBeDeletedByClusterAutoscaler=1:NoSchedule', 800),
        untainted('ToBeDeletedByClusterAutoscaler=1:NoSchedule', 900),
      ],
    }),
    { actor: undefined },
  ],
  "karpenter's Evicted is an eviction by karpenter": [
    aCase(disrupted(EVICTION), { pod: [event(POD, 'karpenter', 'Evicted', 999, 'Evicted pod: Underutilized')] }),
    { certainty: 'certain', sentence: 'was evicted by karpenter.', actor: 'karpenter' },
  ],
  "the kubelet's Evicted is not karpenter's": [
    aCase(disrupted(EVICTION), { pod: [event(POD, 'kubelet', 'Evicted', 999, 'The node was low on resource')] }),
    { cause: 'Evicted', actor: undefined },
  ],
  "karpenter's taint on the node says who empties it": [
    aCase(disrupted(EVICTION), { node: [tainted('karpenter.sh/disrupted:NoSchedule', 990)] }),
    { certainty: 'inferred', actor: 'karpenter' },
  ],
  'the vertical pod autoscaler says so itself': [
    aCase(disrupted(EVICTION), { pod: [event(POD, 'vpa-updater', 'EvictedByVPA', 1000)] }),
    { certainty: 'certain', actor: 'vertical-pod-autoscaler' },
  ],
  'the descheduler says so itself': [
    aCase(disrupted(EVICTION), { pod: [event(POD, 'sigs.k8s.io/descheduler', 'Descheduled', 1000)] }),
    { actor: 'descheduler' },
  ],
  'the audit log names who drained the node': [
    aCase(disrupted(EVICTION), {
      pod: [evidence(POD, 'audited', END, { reason: 'evict', by: 'alice' })],
      node: [cordoned(900)],
    }),
    { certainty: 'certain', sentence: 'was evicted by alice: worker-2 was drained.', actor: 'alice', cites: 2 },
  ],
  'the kubelet, which finishes every deletion, is not who evicted it': [
    aCase(disrupted(EVICTION), {
      pod: [
        evidence(POD, 'audited', END, { reason: 'evict', by: 'alice' }),
        evidence(POD, 'audited', END + 5, { reason: 'delete', by: 'system:node:worker-2' }),
      ],
    }),
    { actor: 'alice' },
  ],
  'a condition whose deletion never came is not the cause of a deletion an hour later': [
    aCase(disrupted(EVICTION, {}, END - 3600)),
    { cause: 'DeletedOnRequest' },
  ],
  'a condition that was written when it was already being deleted is not the cause': [
    aCase(disrupted('DeletionByPodGC', {}, END + 60)),
    { cause: 'DeletedOnRequest' },
  ],
  'a completed pod that a drain evicts later had completed': [
    aCase(
      aLife({
        terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END) },
        deletion: { requested: at(END + 600), graceSeconds: 0 },
        disruption: because(EVICTION, END + 600),
      }),
      { node: [cordoned(END + 500)] },
    ),
    { cause: 'Completed' },
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

verdictTable('preemption', {
  'the event names the preemptor': [
    aCase(disrupted('PreemptionByScheduler'), {
      pod: [
        evidence(POD, 'event', END, {
          by: 'default-scheduler',
          reason: 'Preempted',
          message: 'Preempted by pod uid-big-1 on node worker-2',
          related: object('Pod', 'big-1'),
        }),
      ],
    }),
    {
      cause: 'Preempted',
      certainty: 'certain',
      sentence: 'was preempted by shop/big-1.',
      actor: 'shop/big-1',
      cites: 1,
    },
  ],
  // Schedulers send the event also for a pod that waits to be bound: they put that back into their queue, and delete nothing.
  'a pod that was to be bound and was preempted before is not ended by that: who deletes it later does': [
    aCase(aLife({ pod: aPod('cart-1', { node: '' }), scheduled: undefined }), {
      pod: [event(POD, 'default-scheduler', 'Preempted', END - 8, 'Preempted by pod uid-big-1 on node worker-2')],
    }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'the same pod once it is bound to another node': [
    aCase(aLife({ scheduled: at(END - 5) }), {
      pod: [event(POD, 'default-scheduler', 'Preempted', END - 8, 'Preempted by pod uid-big-1 on node worker-3')],
    }),
    { cause: 'DeletedOnRequest', certainty: 'inferred' },
  ],
  'the event of a cluster from before 1.26, which has no condition': [
    aCase(aLife(), {
      pod: [event(POD, 'default-scheduler', 'Preempted', END, 'Preempted by pod uid-big-1 on node worker-2')],
    }),
    { cause: 'Preempted', certainty: 'certain', actor: 'pod uid-big-1' },
  ],
  'an event without a condition, and the audit log has who deleted it first': [
    aCase(aLife(), {
      pod: [
        evidence(POD, 'audited', END, { reason: 'delete', by: 'alice' }),
        event(POD, 'default-scheduler', 'Preempted', END + 1, 'Preempted by pod uid-big-1 on node worker-2'),
      ],
    }),
    { cause: 'DeletedOnRequest', certainty: 'certain', actor: 'alice' },
  ],
  'without the event the condition is enough': [
    aCase(disrupted('PreemptionByKubeScheduler')),
    { cause: 'Preempted', certainty: 'certain', sentence: 'was preempted by a pod of a higher priority.', cites: 0 },
  ],
  'an event without a related object has the UID in its message': [
    aCase(disrupted('PreemptionByScheduler'), {
      pod: [event(POD, 'default-scheduler', 'Preempted', END, 'Preempted by pod 1234-5678 on node worker-2')],
    }),
    { actor: 'pod 1234-5678' },
  ],
});

verdictTable('what the kubelet ends', {
  'a node under pressure': [
    aCase(
      terminated('Failed', 'Evicted', 'The node was low on resource: memory. Threshold quantity: 100Mi', {
        disruption: because('TerminationByKubelet', END - 1),
      }),
      {
        pod: [event(POD, 'kubelet', 'Evicted', END - 1)],
        node: [evidence(NODE, 'condition', 995, { reason: 'MemoryPressure=True' })],
      },
    ),
    { cause: 'NodePressure', certainty: 'certain', sentence: 'was evicted: worker-2 was short of memory.', cites: 2 },
  ],
  // A real kubelet whose containers end well when they are asked to: the phase is Succeeded, and the status says nothing.
  'a node under pressure, and containers that end well then': [
    aCase(
      terminated('Succeeded', '', '', {
        disruption: because(
          'TerminationByKubelet',
          END,
          'The node was low on resource: memory. Threshold quantity: 1Gi',
        ),
      }),
      { pod: [event(POD, 'kubelet', 'Evicted', END - 20, 'The node was low on resource: memory.')] },
    ),
    { cause: 'NodePressure', certainty: 'certain', sentence: 'was evicted: worker-2 was short of memory.', cites: 1 },
  ],
  'a volume over its limit, and containers that end well then': [
    aCase(terminated('Succeeded'), {
      pod: [event(POD, 'kubelet', 'Evicted', END - 20, 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ')],
    }),
    {
      cause: 'StorageLimit',
      certainty: 'certain',
      sentence: 'was evicted: it exceeded the limit of its volume scratch.',
      cites: 1,
    },
  ],
  'a critical pod, and containers that end well then': [
    aCase(
      terminated('Succeeded', '', '', {
        disruption: because('TerminationByKubelet', END, 'Pod was preempted by Kubelet to accommodate a critical pod.'),
      }),
    ),
    { cause: 'KubeletPreemption', certainty: 'certain' },
  ],
  'a shutdown, and containers that end well then': [
    aCase(
      terminated('Succeeded', '', '', {
        disruption: because('TerminationByKubelet', END, 'Pod was terminated in response to imminent node shutdown.'),
      }),
      { node: [event(NODE, 'kubelet', 'Shutdown', 990)] },
    ),
    { cause: 'NodeShutdown', certainty: 'certain', cites: 1 },
  ],
  'a shutdown that a pod of a Job obeys: its Job takes it for done, and why it ended is the shutdown': [
    aCase(
      terminated('Succeeded', '', '', {
        owner: object('Job', 'report'),
        terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END - 1) },
        disruption: because('TerminationByKubelet', END, 'Pod was terminated in response to imminent node shutdown.'),
      }),
    ),
    { cause: 'NodeShutdown', certainty: 'certain' },
  ],
  'a pod of a Job over its limit that ends well then': [
    aCase(terminated('Succeeded', '', '', { owner: object('Job', 'report') }), {
      pod: [
        event(
          POD,
          'kubelet',
          'Evicted',
          END - 2,
          'Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. ',
        ),
      ],
    }),
    { cause: 'StorageLimit', certainty: 'certain', cites: 1 },
  ],
  'who deletes it while the kubelet evicts it is not the cause': [
    aCase(aLife({ terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END + 9) } }), {
      pod: [event(POD, 'kubelet', 'Evicted', END - 30, 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ')],
    }),
    { cause: 'StorageLimit', certainty: 'certain' },
  ],
  'a kubelet that evicts it in the seconds of its deletion: its clock is another one than that of the API server': [
    aCase(aLife({ terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END + 9) } }), {
      pod: [event(POD, 'kubelet', 'Evicted', END - 3, 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ')],
    }),
    { cause: 'StorageLimit', certainty: 'inferred' },
  ],
  'a status that its kubelet wrote after the deletion, in the same seconds: nobody knows what was decided first': [
    aCase(deletedFirst('Evicted', 'The node was low on resource: memory. ')),
    {
      ...{ cause: 'NodePressure', certainty: 'inferred' },
      sentence: 'was evicted: worker-2 was short of memory, unless somebody had deleted it before.',
    },
  ],
  'the same, and an event of half a minute before says that it had been decided': [
    aCase(deletedFirst('Evicted', 'The node was low on resource: memory. '), {
      pod: [
        {
          ...event(POD, 'kubelet', 'Evicted', END - 30, 'The node was low on resource: memory. '),
          resourceVersion: '5',
        },
      ],
    }),
    { cause: 'NodePressure', certainty: 'certain', cites: 1 },
  ],
  'a deadline that its kubelet wrote down after the deletion, in the same seconds': [
    aCase(deletedFirst('DeadlineExceeded', 'Pod was active on the node longer than the specified deadline')),
    { cause: 'Deadline', certainty: 'inferred' },
  ],
  'an eviction by its kubelet that came after its deletion is not the cause': [
    aCase(aLife(), {
      pod: [event(POD, 'kubelet', 'Evicted', END + 3, 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ')],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'a kubelet that starts under pressure and takes the pod no more': [
    aCase(terminated('Failed', 'Evicted', 'Pod was rejected: The node had condition: [MemoryPressure]. '), {
      pod: [event(POD, 'kubelet', 'Evicted', END, 'The node had condition: [MemoryPressure]. ')],
    }),
    { cause: 'NodePressure', certainty: 'certain', sentence: 'was evicted: worker-2 was short of memory.', cites: 1 },
  ],
  "karpenter's event is no evidence of pressure": [
    aCase(terminated('Failed', 'Evicted', 'x', { disruption: because('TerminationByKubelet', END) }), {
      pod: [event(POD, 'karpenter', 'Evicted', END)],
    }),
    { cause: 'NodePressure', sentence: 'was evicted: worker-2 was short of a resource.', cites: 0 },
  ],
  'a volume over its limit': [
    aCase(terminated('Failed', 'Evicted', 'Usage of EmptyDir volume "scratch" exceeds the limit "10Mi". ')),
    {
      cause: 'StorageLimit',
      certainty: 'certain',
      sentence: 'was evicted: it exceeded the limit of its volume scratch.',
    },
  ],
  'a container over its limit': [
    aCase(terminated('Failed', 'Evicted', 'Container app exceeded its local ephemeral storage limit "1Gi". ')),
    { cause: 'StorageLimit', sentence: 'was evicted: it exceeded its limit of local storage.' },
  ],
  'pressure before the condition had a name is no storage limit': [
    aCase(
      terminated(
        'Failed',
        'Evicted',
        'The node was low on resource: ephemeral-storage. app was using 2Gi, which exceeds its request of 0. ',
      ),
    ),
    { cause: 'NodePressure', sentence: 'was evicted: worker-2 was short of ephemeral-storage.' },
  ],
  'room for a critical pod': [
    aCase(
      terminated('Failed', 'Preempting', 'Preempted in order to admit critical pod', {
        disruption: because('TerminationByKubelet', END),
      }),
    ),
    { cause: 'KubeletPreemption', certainty: 'certain' },
  ],
  'a node that shuts down': [
    aCase(
      terminated('Failed', 'Terminated', 'Pod was terminated in response to imminent node shutdown.', {
        disruption: because('TerminationByKubelet', END),
      }),
      {
        node: [event(NODE, 'kubelet', 'Shutdown', 990)],
      },
    ),
    { cause: 'NodeShutdown', certainty: 'certain', sentence: 'ended because worker-2 was shut down.', cites: 1 },
  ],
  'a pod that was evicted first and terminated by its kubelet later was evicted': [
    aCase(disrupted(EVICTION, { terminal: { phase: 'Failed', reason: 'Terminated', message: '', at: at(END + 2) } })),
    { cause: 'Evicted' },
  ],
  'a pod that somebody deleted first was not ended by the pressure that came while it was going': [
    aCase(
      aLife({
        terminal: {
          phase: 'Failed',
          reason: 'Evicted',
          message: 'The node was low on resource: memory',
          at: at(END + 20),
        },
      }),
    ),
    { cause: 'DeletedOnRequest' },
  ],
});

verdictTable('the collector of pods', {
  'a Node that was deleted': [
    aCase(disrupted('DeletionByPodGC', { terminal: { phase: 'Failed', reason: '', message: '', at: at(END) } }), {
      node: [evidence(NODE, 'deleted', 940)],
    }),
    { cause: 'NodeGone', certainty: 'certain', sentence: 'ended because Node worker-2 was deleted.', cites: 1 },
  ],
  'a Node that never was: a pod that names it is collected, too': [
    aCase(disrupted('DeletionByPodGC', { pod: aPod('cart-1', { node: 'worker-22' }) })),
    { cause: 'NodeGone', certainty: 'certain', sentence: 'ended because there was no Node worker-22.', cites: 0 },
  ],
  'a Node that came back is not cited': [
    aCase(disrupted('DeletionByPodGC'), { node: [evidence(NODE, 'deleted', 940), evidence(NODE, 'created', 950)] }),
    { cause: 'NodeGone', cites: 0 },
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
    aCase(late(EVICTION), { ...SEEN, node: [cordoned(END)] }),
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
const asked = (reason: string, by: string, seconds: number) => evidence(POD, 'audited', seconds, { reason, by });
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
        pod: [asked('delete', COLLECTOR, END + 0.1), asked('evict', 'admin', END + 0.2)],
        owner: [evidence(REPLICA_SET, 'terminating', END - 1)],
      },
    ),
    { cause: 'OwnerDeleted', certainty: 'certain', sentence: 'was deleted with ReplicaSet cart-7f9.' },
  ],
  'an eviction that was received first and written later is not why it ended': [
    aCase(inVersions(EVICTION, '100', '99'), {
      pod: [asked('evict', 'admin', END + 0.1), asked('delete', 'alice', END + 0.2)],
    }),
    { cause: 'DeletedOnRequest', certainty: 'certain', actor: 'alice' },
  ],
  'an eviction that was written first was by whom evicted it, whoever asked for a deletion before': [
    aCase(inVersions(EVICTION, '99', '100'), {
      pod: [asked('delete', 'alice', END + 0.1), asked('evict', 'admin', END + 0.2)],
    }),
    { cause: 'Evicted', certainty: 'certain', actor: 'admin' },
  ],
  'an eviction that the log lacks was not by whom deleted it': [
    aCase(inVersions(EVICTION, '99', '100'), { pod: [asked('delete', COLLECTOR, END + 0.1)] }),
    { cause: 'Evicted', actor: undefined, sentence: 'was evicted through the Eviction API; by whom is not known.' },
  ],
  'an eviction of a pod whose first condition was of a taint, and came after the deletion': [
    aCase(inVersions(TAINT, '100', '99'), {
      pod: [asked('evict', 'admin', END + 0.1), asked('delete', 'alice', END + 0.2)],
    }),
    { cause: 'DeletedOnRequest', actor: 'alice' },
  ],
  'a listing showed both at once, and the eviction was asked for first': [
    aCase(listedAtOnce(EVICTION), { pod: [asked('evict', 'admin', END), asked('delete', 'alice', END + 0.5)] }),
    { cause: 'Evicted', certainty: 'certain', actor: 'admin' },
  ],
  'a listing showed both at once, and the deletion was asked for first': [
    aCase(listedAtOnce(EVICTION), { pod: [asked('delete', 'alice', END), asked('evict', 'admin', END + 0.5)] }),
    { cause: 'DeletedOnRequest', certainty: 'certain', actor: 'alice' },
  ],
  'a listing showed both at once, and the log has no eviction at all': [
    aCase(listedAtOnce(EVICTION), { pod: [asked('delete', 'alice', END)] }),
    { cause: 'Evicted', certainty: 'inferred', actor: undefined },
  ],
  'a listing showed a taint and a deletion at once, and the deletion was asked for first': [
    aCase(listedAtOnce(TAINT), { pod: [asked('delete', 'alice', END), asked('delete', TAINTER, END + 0.5)] }),
    { cause: 'DeletedOnRequest', actor: 'alice' },
  ],
  'a listing showed a taint and a deletion at once, and the taint was first': [
    aCase(listedAtOnce(TAINT), { pod: [asked('delete', TAINTER, END), asked('delete', 'alice', END + 0.5)] }),
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
