// What a DaemonSet did: an update, a restart, or a node that it has left.
import { at } from '../../engines/testing/record-builders.ts';
import type { PodLife } from '../../model/pod-life.ts';
import { sibling } from '../testing/cart-builders.ts';
import { aCase, aLife, aPod, END, event, object } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

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
