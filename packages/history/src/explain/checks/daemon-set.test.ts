// What a DaemonSet did: an update, a restart, or a node that it has left.
import { at } from '../../engines/testing/record-builders.ts';
import type { PodLife } from '../../model/pod-life.ts';
import { sibling } from '../testing/cart-builders.ts';
import { aCase, aLife, aPod, END, event, evidence, NODE, object } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const AGENT = object('DaemonSet', 'agent');
const agentPod = (name: string, node = 'worker-2') =>
  aPod(name, { node, workload: { kind: 'DaemonSet', name: 'agent', inferred: false } });
const agent = (more: Partial<PodLife> = {}) =>
  aLife({ pod: agentPod('agent-a'), owner: AGENT, revision: 'r1', ...more });
const nextAgent = (seconds: number, more: Partial<PodLife> = {}, node = 'worker-2') =>
  sibling('agent-b', seconds, { pod: agentPod('agent-b', node), owner: AGENT, revision: 'r1', ...more });
const agentDeleted = event(AGENT, 'daemonset-controller', 'SuccessfulDelete', END, 'Deleted pod: agent-a');
const agentChanged = (generation: number, seconds: number, resourceVersion: string) => ({
  ...evidence(AGENT, 'revision', seconds, { reason: `${generation}`, message: `generation ${generation}` }),
  resourceVersion,
});

verdictTable('DaemonSets', {
  'another revision on the same node is an update': [
    aCase(agent(), { owner: [agentDeleted], siblings: [nextAgent(1006, { revision: 'r2' })] }),
    {
      cause: 'DaemonSetUpdate',
      certainty: 'certain',
      sentence: 'ended in an update of DaemonSet agent to revision r2.',
    },
  ],
  'a node that loses its label, and has it again half a minute later, after the template was changed': [
    aCase(agent(), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [agentDeleted, agentChanged(3, END + 20, '130')],
      siblings: [nextAgent(END + 30, { revision: 'r2' })],
    }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred', cites: 2 },
      sentence: 'was removed because DaemonSet agent did not run on worker-2 for a while.',
    },
  ],
  'an update, and one more change before its next came': [
    aCase(agent(), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [agentChanged(2, END - 1, '100'), agentDeleted, agentChanged(3, END + 2, '110')],
      siblings: [nextAgent(END + 6, { revision: 'r3' })],
    }),
    {
      ...{ cause: 'DaemonSetUpdate', certainty: 'inferred', cites: 3 },
      sentence:
        'ended in an update of DaemonSet agent to revision r3, or was removed before that because it did not run on worker-2 for a while.',
    },
  ],
  'an update that other nodes have had for long, and one more change': [
    aCase(agent(), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [agentDeleted, agentChanged(3, END + 2, '110')],
      siblings: [
        nextAgent(END - 700, { pod: agentPod('agent-c', 'worker-3'), revision: 'r2' }, 'worker-3'),
        nextAgent(END + 6, { revision: 'r3' }),
      ],
    }),
    { cause: 'DaemonSetUpdate', certainty: 'inferred' },
  ],
  'an update on a node that has a NoSchedule taint since: its next is not made there': [
    aCase(agent(), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      node: [evidence(NODE, 'tainted', 500, { reason: 'dedicated=db:NoSchedule' })],
      owner: [agentChanged(3, END - 20, '90'), agentDeleted],
      siblings: [nextAgent(END - 10, { pod: agentPod('agent-c', 'worker-3'), revision: 'r2' }, 'worker-3')],
    }),
    {
      ...{ cause: 'DaemonSetUpdate', certainty: 'inferred' },
      sentence:
        'ended in an update of DaemonSet agent to revision r2, and is not made again on worker-2 (taint dedicated=db:NoSchedule), or worker-2 is none of its nodes any more.',
    },
  ],
  'the same where the taint was taken back before': [
    aCase(agent(), {
      node: [
        evidence(NODE, 'tainted', 500, { reason: 'dedicated=db:NoSchedule' }),
        evidence(NODE, 'untainted', 900, { reason: 'dedicated=db:NoSchedule' }),
      ],
      owner: [agentDeleted],
      siblings: [nextAgent(END - 10, { pod: agentPod('agent-c', 'worker-3'), revision: 'r2' }, 'worker-3')],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'the same with a cordon, which DaemonSets tolerate': [
    aCase(agent(), {
      node: [evidence(NODE, 'tainted', 500, { reason: 'node.kubernetes.io/unschedulable:NoSchedule' })],
      owner: [agentDeleted],
      siblings: [nextAgent(END - 10, { pod: agentPod('agent-c', 'worker-3'), revision: 'r2' }, 'worker-3')],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
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
  'an update that is taken back before its next came, where another node has another revision': [
    aCase(agent(), {
      owner: [agentDeleted],
      siblings: [nextAgent(END - 4, { revision: 'r2' }, 'worker-3'), nextAgent(END + 6)],
    }),
    {
      ...{ cause: 'DaemonSetUpdate', certainty: 'inferred' },
      sentence: 'ended in an update of DaemonSet agent that was taken back.',
    },
  ],
  'an update that is taken back before its next came, on the only node': [
    aCase(agent(), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [
        { ...evidence(AGENT, 'revision', END - 1, { reason: '2' }), resourceVersion: '100' },
        agentDeleted,
        { ...evidence(AGENT, 'revision', END + 2, { reason: '3' }), resourceVersion: '110' },
      ],
      siblings: [nextAgent(END + 6)],
    }),
    {
      ...{ cause: 'DaemonSetUpdate', certainty: 'inferred', cites: 3 },
      sentence: 'ended in an update of DaemonSet agent that was taken back.',
    },
  ],
  'one that its DaemonSet removed and made again of the same revision: its node was none of its nodes for a while': [
    aCase(agent(), { owner: [agentDeleted], siblings: [nextAgent(END + 6)] }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred', cites: 1 },
      sentence: 'was removed because DaemonSet agent did not run on worker-2 for a while.',
    },
  ],
  'an update that is taken back within the second in which the pod was created': [
    aCase(
      agent({
        ...{ created: at(END), resourceVersion: '106' },
        deletion: { requested: at(END), graceSeconds: 5, seenIn: { epoch: 1, resourceVersion: '105' } },
      }),
      {
        owner: [agentDeleted],
        siblings: [
          nextAgent(END, { pod: agentPod('agent-c'), resourceVersion: '120' }),
          nextAgent(END, {
            ...{ revision: 'r2', resourceVersion: '116' },
            deletion: { requested: at(END), graceSeconds: 5, seenIn: { epoch: 1, resourceVersion: '115' } },
          }),
        ],
      },
    ),
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
    { cause: 'DaemonSetUpdate', certainty: 'inferred' },
  ],
  'one that no node took: another that no node took may be of another node': [
    aCase(agent({ pod: agentPod('agent-a', '') }), {
      owner: [agentDeleted],
      siblings: [nextAgent(1006, { revision: 'r2' }, '')],
    }),
    { cause: 'DaemonSetUpdate', certainty: 'inferred' },
  ],
  'one that no node took, and no other revision': [
    aCase(agent({ pod: agentPod('agent-a', '') }), { owner: [agentDeleted], siblings: [nextAgent(1006, {}, '')] }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred' },
      sentence: 'was removed by DaemonSet agent before a node took it.',
    },
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
