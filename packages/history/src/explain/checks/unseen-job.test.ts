// Pods of Jobs that ended while nobody was watching, and were found to be gone by a listing ten minutes later.
import { at } from '../../engines/testing/record-builders.ts';
import { aCase, aLife, aPod, END, event, evidence, object } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const GARBAGE_COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';
const JOB = object('Job', 'load');
const OF_JOB = object('Pod', 'load-x');
const worker = aLife({
  ...{ deletion: undefined, gone: at(END + 600), source: 'inferred' },
  ...{ pod: aPod('load-x', { workload: { kind: 'Job', name: 'load', inferred: false } }), owner: JOB },
});
const said = (reason: string, seconds: number) => event(JOB, 'job-controller', reason, seconds);
const askedBy = (by: string, seconds: number) => evidence(OF_JOB, 'audited', seconds, { reason: 'delete', by });
const completed = said('Completed', END + 101);

verdictTable('a pod of a Job that was done meanwhile', {
  'and was deleted by somebody later': [
    aCase(worker, { pod: [askedBy('alice', END + 300)], owner: [completed] }),
    {
      ...{ cause: 'JobCompleted', certainty: 'inferred', actor: undefined, cites: 1 },
      sentence: 'ended while nobody was watching: Job load was complete in that time.',
    },
  ],
  'and was cleaned up later': [
    aCase(worker, {
      pod: [askedBy(GARBAGE_COLLECTOR, END + 300)],
      owner: [completed, evidence(JOB, 'deleted', END + 299)],
    }),
    { cause: 'JobCompleted', certainty: 'inferred' },
  ],
  'and was cleaned up later, without an audit log': [
    aCase(worker, { owner: [completed, evidence(JOB, 'deleted', END + 299)] }),
    { cause: 'JobCompleted', certainty: 'inferred' },
  ],
  'and had failed': [
    aCase(worker, { owner: [said('BackoffLimitExceeded', END + 101), evidence(JOB, 'deleted', END + 299)] }),
    { sentence: 'ended while nobody was watching: Job load had failed in that time.' },
  ],
  'who deleted it before the Job was done is named, and it may have ended by itself before': [
    aCase(worker, { pod: [askedBy('alice', END + 50)], owner: [completed] }),
    { cause: 'DeletedOnRequest', certainty: 'inferred', actor: 'alice' },
  ],
  'with a Job that says nothing it may have ended by itself, too': [
    aCase(worker, {
      pod: [askedBy(GARBAGE_COLLECTOR, END + 300)],
      owner: [evidence(JOB, 'deleted', END + 299)],
    }),
    { cause: 'OwnerDeleted', certainty: 'inferred' },
  ],
  'a pod that its Job names was running when the Job deleted it': [
    aCase(worker, {
      owner: [
        event(JOB, 'job-controller', 'SuccessfulDelete', END + 300, 'Deleted pod: load-x'),
        said('DeadlineExceeded', END + 301),
      ],
    }),
    { cause: 'JobDeadline' },
  ],
});
