// The out-of-service taint is taken away by hand, and often stays for months: what it ended, and what it did not.
import { at } from '../../engines/testing/record-builders.ts';
import { aCase, aLife, END, evidence, NODE, terminated } from '../testing/case-builders.ts';
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
