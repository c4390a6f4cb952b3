// The deadline of a pod, by its status.
import { at } from '../../engines/testing/record-builders.ts';
import { aCase, aLife, END, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const EXCEEDED = {
  ...{ phase: 'Failed', reason: 'DeadlineExceeded' },
  message: 'Pod was active on the node longer than the specified deadline',
};

verdictTable('deadlines of pods', {
  'its own deadline': [
    aCase(terminated(EXCEEDED.phase, EXCEEDED.reason, EXCEEDED.message)),
    { cause: 'Deadline', certainty: 'certain' },
  ],
  'a deadline that its kubelet wrote down after the deletion, in the same seconds': [
    aCase(
      aLife({
        terminal: { ...EXCEEDED, at: at(END + 1), seenIn: { epoch: 1, resourceVersion: '9' } },
        deletion: { requested: at(END), graceSeconds: 30, seenIn: { epoch: 1, resourceVersion: '7' } },
      }),
    ),
    { cause: 'Deadline', certainty: 'inferred' },
  ],
});
