// What a Job did, and what of its pods' ends is not its doing.
import { at } from '../../engines/testing/record-builders.ts';
import { aCase, aLife, aPod, disrupted, END, event, evidence, object, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const JOB = object('Job', 'load');
const worker = { pod: aPod('load-x', { workload: { kind: 'Job', name: 'load', inferred: false } }), owner: JOB };
const jobDeleted = event(JOB, 'job-controller', 'SuccessfulDelete', END, 'Deleted pod: load-x');
const cleanedUp = (seen: number) => ({ requested: at(END), graceSeconds: 0, seenAt: at(seen) });
const jobSaid = (reason: string, seconds = END + 1) => event(JOB, 'job-controller', reason, seconds);

verdictTable('Jobs', {
  'a Job whose namespace goes before it can report why is not certain to have been scaled down': [
    aCase(aLife({ ...worker, gone: at(END + 30) }), {
      owner: [jobDeleted],
      namespace: [evidence(object('Namespace', 'shop'), 'terminating', END + 20)],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'nor is one whose pod still ends: the Job reports when it is gone': [
    aCase(aLife({ ...worker, gone: undefined }), { owner: [jobDeleted] }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'a pod that succeeded did its work': [
    aCase(terminated('Succeeded', '', '', worker)),
    { cause: 'JobCompleted', certainty: 'certain', sentence: 'completed its work for Job load.' },
  ],
  'a pod that succeeded and was cleaned up later did its work': [
    aCase(terminated('Succeeded', '', '', { ...worker, deletion: { requested: at(END + 60), graceSeconds: 30 } }), {
      owner: [evidence(JOB, 'deleted', END + 59)],
    }),
    { cause: 'JobCompleted' },
  ],
  'a pod that was seen to succeed before it was seen to be deleted, within one second, did its work': [
    aCase(terminated('Succeeded', '', '', { ...worker, deletion: cleanedUp(END + 0.9) }), {
      endSeenAt: at(END + 0.2),
      owner: [jobSaid('Completed'), evidence(JOB, 'deleted', END + 0.9)],
    }),
    { cause: 'JobCompleted', certainty: 'certain' },
  ],
  'where both were seen at once the deletion may have been first': [
    aCase(terminated('Succeeded', '', '', { ...worker, deletion: cleanedUp(END + 0.2) }), {
      endSeenAt: at(END + 0.2),
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'the deadline of the Job': [
    aCase(aLife(worker), { owner: [jobDeleted, jobSaid('DeadlineExceeded')] }),
    { cause: 'JobDeadline', certainty: 'certain', cites: 2 },
  ],
  'the deadline of the pod is none of the Job': [
    aCase(
      terminated('Failed', 'DeadlineExceeded', 'Pod was active on the node longer than the specified deadline', worker),
    ),
    { cause: 'Deadline', certainty: 'certain' },
  ],
  'a suspension': [
    aCase(aLife(worker), { owner: [jobDeleted, jobSaid('Suspended')] }),
    { cause: 'Suspended', certainty: 'certain', sentence: 'was ended by Job load, which was suspended.' },
  ],
  'a suspension an hour before has nothing to do with it': [
    aCase(aLife(worker), { owner: [jobSaid('Suspended', END - 3600)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'a Job that was complete while a pod still ran': [
    aCase(aLife(worker), { owner: [jobDeleted, jobSaid('Completed')] }),
    { cause: 'JobCompleted' },
  ],
  'fewer pods at once': [aCase(aLife(worker), { owner: [jobDeleted] }), { cause: 'ScaledDown' }],
  'a pod that was done before its node was lost did its work, though its kubelet said so later': [
    aCase(
      disrupted('DeletionByTaintManager', {
        ...worker,
        terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END - 30) },
      }),
    ),
    { cause: 'JobCompleted' },
  ],
  'a pod that ends well because it was evicted was evicted': [
    aCase(
      disrupted('EvictionByEvictionAPI', {
        ...worker,
        terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END) },
      }),
    ),
    { cause: 'Evicted' },
  ],
  'a pod that crashed is no completed one': [
    aCase(
      terminated('Failed', '', '', {
        ...worker,
        endings: [{ container: 'app', reason: 'Error', exitCode: 1, signal: 0, at: at(END) }],
      }),
    ),
    { cause: 'Crashed', sentence: 'failed: its container app ended with exit code 1.' },
  ],
});
