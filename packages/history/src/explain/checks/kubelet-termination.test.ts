// What the kubelet ends: pressure, limits of storage, room for critical pods, shutdowns; by status, condition or event.
import { at } from '../../engines/testing/record-builders.ts';
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

/** Its last state was written a second after its deletion. */
const deletedFirst = (reason: string, message: string) =>
  aLife({
    terminal: { phase: 'Failed', reason, message, at: at(END + 1), seenIn: { epoch: 1, resourceVersion: '9' } },
    deletion: { requested: at(END), graceSeconds: 30, seenIn: { epoch: 1, resourceVersion: '7' } },
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
    aCase(
      disrupted('EvictionByEvictionAPI', {
        terminal: { phase: 'Failed', reason: 'Terminated', message: '', at: at(END + 2) },
      }),
    ),
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
