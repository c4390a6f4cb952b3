// What a Job did, and what of its pods' ends is not its doing.
import { at } from '../../engines/testing/record-builders.ts';
import type { PodLife } from '../../model/pod-life.ts';
import { aCase, aLife, aPod, disrupted, END, event, evidence, object, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const JOB = object('Job', 'load');
const worker = { pod: aPod('load-x', { workload: { kind: 'Job', name: 'load', inferred: false } }), owner: JOB };
const jobDeleted = event(JOB, 'job-controller', 'SuccessfulDelete', END, 'Deleted pod: load-x');
const cleanedUp = (seen: number) => ({ requested: at(END), graceSeconds: 0, seenAt: at(seen) });
const jobSaid = (reason: string, seconds = END + 1) => event(JOB, 'job-controller', reason, seconds);
const workerOf = (name: string, more: Partial<PodLife>) =>
  aLife({ ...worker, pod: { ...worker.pod, name, uid: `uid-${name}` }, deletion: undefined, gone: undefined, ...more });
const ended = (name: string, phase: string, seconds: number) =>
  workerOf(name, { terminal: { phase, reason: '', message: '', at: at(seconds) } });
const changed = (seconds: number) => evidence(JOB, 'revision', seconds, { reason: '2', message: 'generation 2' });

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
  'nor is one whose pod is gone since a moment: the Job reports when the last of its pods is gone': [
    aCase(aLife({ ...worker, gone: at(END + 1) }), { owner: [jobDeleted], knownUntil: at(END + 20) }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred' },
      sentence: 'was removed by Job load, which had too many pods or had ended: what it reports of that comes later.',
    },
  ],
  'two minutes later it would have reported that it ended; but Events get lost': [
    aCase(aLife({ ...worker, gone: at(END + 1) }), { owner: [jobDeleted], knownUntil: at(END + 121) }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred' },
      sentence:
        'was removed by Job load, which had more pods than it wanted, or had ended and reported nothing of that.',
    },
  ],
  'a Job that was changed, and whose other pods go on: one that ends would have ended them, too': [
    aCase(aLife(worker), { owner: [changed(END - 1), jobDeleted], siblings: [workerOf('load-y', {})] }),
    {
      ...{ cause: 'ScaledDown', certainty: 'certain', cites: 2 },
      sentence: 'was removed when Job load was scaled down.',
    },
  ],
  'the same, asked while it may still end the others': [
    aCase(aLife(worker), {
      knownUntil: at(END + 6),
      owner: [changed(END - 1), jobDeleted],
      siblings: [workerOf('load-y', {})],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  // One that was deleted by somebody and ends well all the same leaves less work than there are pods.
  'a Job that was not changed, and whose other pods go on': [
    aCase(aLife(worker), { owner: [jobDeleted], siblings: [workerOf('load-y', {})] }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred' },
      sentence: 'was removed by Job load, which had more pods than it wanted.',
    },
  ],
  'a Job that was changed, and whose other pods end by themselves half a minute later': [
    aCase(aLife(worker), { owner: [changed(END - 1), jobDeleted], siblings: [ended('load-y', 'Failed', END + 30)] }),
    { cause: 'ScaledDown', certainty: 'certain' },
  ],
  'the same on a node whose clock is fast: by their versions the other one had ended before': [
    aCase(aLife(worker), {
      endVersion: { epoch: 1, resourceVersion: '105' },
      owner: [changed(END - 1), jobDeleted],
      siblings: [
        workerOf('load-y', {
          terminal: {
            ...{ phase: 'Failed', reason: '', message: '', at: at(END + 30) },
            seenIn: { epoch: 1, resourceVersion: '101' },
          },
        }),
      ],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'a Job that failed, whose other pod takes its ten minutes to end: the Job reports it when that is gone': [
    aCase(aLife(worker), {
      owner: [jobDeleted, jobSaid('BackoffLimitExceeded', END + 601)],
      siblings: [
        ended('load-a', 'Failed', END - 1),
        workerOf('load-y', { deletion: { requested: at(END), graceSeconds: 600 }, gone: at(END + 600) }),
      ],
    }),
    { cause: 'JobCompleted', certainty: 'certain' },
  ],
  'the same while the other pod is still ending': [
    aCase(aLife(worker), {
      knownUntil: at(END + 300),
      owner: [jobDeleted],
      siblings: [
        ended('load-a', 'Failed', END - 1),
        workerOf('load-y', { deletion: { requested: at(END), graceSeconds: 600 } }),
      ],
    }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred' },
      sentence: 'was removed by Job load, which had too many pods or had ended: what it reports of that comes later.',
    },
  ],
  'the deadline of a Job of 50 pods, whose last Event is dropped: it had sent as many as a client may': [
    aCase(aLife(worker), {
      owner: [jobDeleted],
      siblings: Array.from({ length: 49 }, (_, i) =>
        workerOf(`load-${i}`, { deletion: { requested: at(END), graceSeconds: 30 }, gone: at(END + 5) }),
      ),
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'fewer pods at once, and a Job that is complete half a minute later; its first pod was done long before': [
    aCase(aLife(worker), {
      owner: [jobDeleted, jobSaid('Completed', END + 31)],
      siblings: [
        ended('load-0', 'Succeeded', END - 300),
        ended('load-1', 'Succeeded', END + 10),
        ended('load-2', 'Succeeded', END + 30),
      ],
    }),
    {
      ...{ cause: 'ScaledDown', certainty: 'inferred' },
      sentence: 'was removed by Job load, which had more pods than it wanted: it went on, and only later was complete.',
    },
  ],
  'fewer pods at once, and a Job that has failed half a minute later; it had retried once long before': [
    aCase(aLife(worker), {
      owner: [jobDeleted, jobSaid('BackoffLimitExceeded', END + 31)],
      siblings: [ended('load-0', 'Failed', END - 300), ended('load-1', 'Failed', END + 30)],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'fewer pods at once, and the deadline of the Job half a minute later, which ended the other pods': [
    aCase(aLife(worker), {
      owner: [jobDeleted, jobSaid('DeadlineExceeded', END + 36)],
      siblings: [workerOf('load-y', { deletion: { requested: at(END + 30), graceSeconds: 30 }, gone: at(END + 35) })],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'fewer pods at once, and a suspension half a minute later, which ended the other pods': [
    aCase(aLife(worker), {
      owner: [jobDeleted, jobSaid('Suspended', END + 30)],
      siblings: [workerOf('load-y', { deletion: { requested: at(END + 30), graceSeconds: 30 }, gone: at(END + 35) })],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'a Job that made another pod afterwards had not ended': [
    aCase(aLife(worker), {
      owner: [jobDeleted, jobSaid('BackoffLimitExceeded', END + 40)],
      siblings: [workerOf('load-y', { created: at(END + 20), gone: at(END + 39) })],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'a Job without other pods that was changed right before, and passes its deadline a little later': [
    aCase(aLife(worker), { owner: [changed(END - 1), jobDeleted, jobSaid('DeadlineExceeded', END + 40)] }),
    {
      ...{ cause: 'JobDeadline', certainty: 'inferred' },
      sentence:
        'was ended by Job load, which ran longer than its active deadline, or had fewer pods to run before that.',
    },
  ],
  'a Job that went on and then passes its deadline: it was changed before this pod was there': [
    aCase(aLife({ ...worker, created: at(END - 20) }), {
      owner: [changed(END - 21), jobDeleted, jobSaid('DeadlineExceeded')],
    }),
    { cause: 'JobDeadline', certainty: 'certain' },
  ],
  'the end of a Job where nobody watched Jobs: it may have been changed': [
    aCase(aLife(worker), { unwatched: ['jobs'], owner: [jobDeleted, jobSaid('DeadlineExceeded')] }),
    { cause: 'JobDeadline', certainty: 'inferred' },
  ],
  'a suspension, which its controller reports in the same moment, by a clock that is three minutes behind': [
    aCase(aLife(worker), { owner: [{ ...jobDeleted, at: at(END - 180) }, jobSaid('Suspended', END - 180)] }),
    { cause: 'Suspended', certainty: 'certain' },
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
  'a pod whose end was seen after its deletion, and is a second older by the clock of its node': [
    aCase(
      terminated('Succeeded', '', '', {
        ...worker,
        terminal: {
          phase: 'Succeeded',
          reason: '',
          message: '',
          at: at(END - 1),
          seenIn: { epoch: 1, resourceVersion: '9' },
        },
        deletion: { requested: at(END), graceSeconds: 30, seenIn: { epoch: 1, resourceVersion: '7' } },
      }),
    ),
    { cause: 'JobCompleted', certainty: 'inferred' },
  ],
  'the same a minute older: clocks may differ that much': [
    aCase(
      terminated('Succeeded', '', '', {
        ...worker,
        terminal: {
          phase: 'Succeeded',
          reason: '',
          message: '',
          at: at(END - 60),
          seenIn: { epoch: 1, resourceVersion: '9' },
        },
        deletion: { requested: at(END), graceSeconds: 30, seenIn: { epoch: 1, resourceVersion: '7' } },
      }),
    ),
    { cause: 'JobCompleted', certainty: 'inferred' },
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
  'a suspension, and the deadline of the Job soon after it went on': [
    aCase(aLife(worker), { owner: [jobDeleted, jobSaid('Suspended'), jobSaid('DeadlineExceeded', END + 50)] }),
    { cause: 'Suspended', certainty: 'certain' },
  ],
  'a suspension from before the pod was there': [
    aCase(aLife({ ...worker, created: at(END - 20) }), {
      owner: [jobSaid('Suspended', END - 30), jobDeleted, jobSaid('Completed')],
    }),
    { cause: 'JobCompleted', certainty: 'certain' },
  ],
  'a suspension an hour before has nothing to do with it': [
    aCase(aLife(worker), { owner: [jobSaid('Suspended', END - 3600)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'fewer pods at once, and a Job whose other pods go on, and that is complete a little later': [
    aCase(aLife(worker), {
      owner: [jobDeleted, jobSaid('Completed', END + 50)],
      siblings: [
        terminated('Succeeded', '', '', {
          ...{ ...worker, pod: aPod('load-y', { workload: worker.pod.workload }) },
          terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END + 49) },
        }),
      ],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
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
