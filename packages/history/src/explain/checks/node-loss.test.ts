// Nodes that were lost: deleted, not reached, out of service. The out-of-service taint is taken away by hand, and often
// stays for months: what it ended, and what it did not.
import { at } from '../../engines/testing/record-builders.ts';
import { aCase, aLife, aPod, disrupted, END, evidence, NODE, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const TAINT = { reason: 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute' };
const tainted = evidence(NODE, 'tainted', 100, TAINT);
const untainted = (seconds: number) => evidence(NODE, 'untainted', seconds, TAINT);
const ready = (status: string, seconds: number) =>
  evidence(NODE, 'condition', seconds, { reason: `Ready=${status}`, message: 'x' });

// The collector of pods looks at nodes that are not ready, and at pods that are to be deleted.
verdictTable('the out-of-service taint', {
  'a node that is not ready': [
    aCase(aLife(), { node: [ready('Unknown', 90), tainted] }),
    { cause: 'OutOfService', certainty: 'inferred', cites: 1 },
  ],
  'a node that is not ready, and is in service again right after the pod began to end': [
    aCase(aLife(), { node: [ready('False', 90), tainted, untainted(END + 1)] }),
    { cause: 'OutOfService', certainty: 'inferred', cites: 1 },
  ],
  'a node that is not ready, and was in service again long before': [
    aCase(aLife(), { node: [ready('False', 90), tainted, untainted(901)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'a node that is ready again, and on which the taint was forgotten': [
    aCase(aLife(), { node: [ready('Unknown', 90), tainted, ready('True', 300)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'a node of which nobody ever saw that it was not ready': [
    aCase(aLife(), { node: [tainted] }),
    { cause: 'DeletedOnRequest' },
  ],
  'a pod that is done, where the taint was forgotten': [
    aCase(terminated('Succeeded'), { node: [tainted] }),
    { cause: 'Completed', certainty: 'certain' },
  ],
  'a pod that failed, where the taint was forgotten': [
    aCase(
      terminated('Failed', '', '', {
        endings: [{ container: 'app', reason: 'Error', exitCode: 1, signal: 0, at: at(END) }],
      }),
      { node: [tainted] },
    ),
    { cause: 'Crashed', certainty: 'certain' },
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

const unseen = { deletion: undefined, gone: at(END), source: 'inferred' } as const;
const away = { ...unseen, gone: at(END + 600) };

verdictTable('nodes that were lost', {
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
  'NodeLost, as it was written up to 1.26': [aCase(terminated('Failed', 'NodeLost', '')), { cause: 'NodeUnreachable' }],
  'a Node that went meanwhile took it along': [
    aCase(aLife(away), { node: [evidence(NODE, 'deleted', END + 300)] }),
    { cause: 'NodeGone', certainty: 'inferred' },
  ],
  'a Node that went after it was found to be gone did not': [
    aCase(aLife(away), { node: [evidence(NODE, 'deleted', END + 700)] }),
    { cause: 'Unknown' },
  ],
});
