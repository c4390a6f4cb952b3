// Which of several containers ended a pod, and whether memory was why.
import { at } from '../../engines/testing/record-builders.ts';
import type { ContainerEnding } from '../../model/pod-life.ts';
import { aCase, aLife, END, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const ending = (more: Partial<ContainerEnding> = {}): ContainerEnding => ({
  ...{ container: 'app', reason: 'Error', exitCode: 1, signal: 0, at: at(END) },
  ...more,
});
const failed = (...endings: readonly Partial<ContainerEnding>[]) =>
  aCase(terminated('Failed', '', '', { endings: endings.map(ending) }));

// The runtime gives that reason to every container in which the kernel killed a process; the phase counts exit codes alone.
verdictTable('containers in which a process was killed for want of memory', {
  'one ended well all the same, and another one failed ten minutes later': [
    failed({ container: 'helper', reason: 'OOMKilled', exitCode: 0, at: at(END - 600) }, {}),
    { cause: 'Crashed', certainty: 'certain', sentence: 'failed: its container app ended with exit code 1.' },
  ],
  'it was the process of the container itself': [
    failed({ reason: 'OOMKilled', exitCode: 137 }),
    { cause: 'OOMKilled', certainty: 'certain', sentence: 'failed: its container app ran out of memory.' },
  ],
  'it was a child, and the container ended with a code of its own': [
    failed({ reason: 'OOMKilled', exitCode: 1 }),
    {
      ...{ cause: 'OOMKilled', certainty: 'inferred' },
      sentence:
        'failed: its container app ended with exit code 1, and a process in it had been killed for want of memory.',
    },
  ],
});

/** A listing was the first to show that it had failed, and that it was to be deleted. */
const listedAtOnce = (failed: number) => {
  const seenIn = { epoch: 1, resourceVersion: '9', listed: true as const };
  return aLife({
    terminal: { phase: 'Failed', reason: '', message: '', at: at(failed), seenIn },
    deletion: { requested: at(END), graceSeconds: 30, seenIn },
    endings: [ending({ exitCode: 143, at: at(failed) })],
  });
};

verdictTable('containers', {
  'a container that used too much memory': [
    aCase(terminated('Failed', '', '', { endings: [ending({ reason: 'OOMKilled', exitCode: 137 })] })),
    { cause: 'OOMKilled', certainty: 'certain', sentence: 'failed: its container app ran out of memory.' },
  ],
  'a container that its kubelet lost: the exit code is made up': [
    aCase(
      terminated('Failed', '', '', {
        endings: [ending({ exitCode: 137, reason: 'ContainerStatusUnknown', signal: 0 })],
      }),
    ),
    {
      ...{ cause: 'Crashed', certainty: 'inferred' },
      sentence: 'failed: its container app was lost, and how it ended is not known.',
    },
  ],
  'a container that failed before another was lost': [
    aCase(
      terminated('Failed', '', '', {
        endings: [
          ending({ exitCode: 2, at: at(END - 30) }),
          ending({ container: 'sidecar', exitCode: 137, reason: 'ContainerStatusUnknown' }),
        ],
      }),
    ),
    { cause: 'Crashed', certainty: 'certain', sentence: 'failed: its container app ended with exit code 2.' },
  ],
  'a container that crashed': [
    aCase(terminated('Failed', '', '', { endings: [ending()] })),
    { cause: 'Crashed', certainty: 'certain' },
  ],
  'a sidecar that was out of memory long ago and was started again did not end the pod': [
    aCase(
      terminated('Failed', '', '', {
        endings: [
          ending({ container: 'sidecar', reason: 'OOMKilled', exitCode: 137, at: at(100), restarted: true }),
          ending({ exitCode: 1 }),
        ],
      }),
    ),
    { cause: 'Crashed', certainty: 'certain', sentence: 'failed: its container app ended with exit code 1.' },
  ],
  'the first container that failed, not those that were killed because of it': [
    aCase(
      terminated('Failed', '', '', {
        endings: [
          ending({ exitCode: 3, at: at(END - 30) }),
          ending({ container: 'sidecar', exitCode: 137, reason: 'OOMKilled' }),
        ],
      }),
    ),
    { cause: 'Crashed', certainty: 'certain', sentence: 'failed: its container app ended with exit code 3.' },
  ],
  'two containers that fail within a second: the one that was out of memory': [
    aCase(
      terminated('Failed', '', '', {
        endings: [ending(), ending({ container: 'cache', exitCode: 137, reason: 'OOMKilled' })],
      }),
    ),
    { cause: 'OOMKilled', sentence: 'failed: its container cache ran out of memory.' },
  ],
  'a container of which only an earlier end is known': [
    aCase(terminated('Failed', '', '', { endings: [ending({ at: at(900), restarted: true })] })),
    { cause: 'Crashed', certainty: 'inferred' },
  ],
  'a pod without a Job that completed': [
    aCase(terminated('Succeeded', '', '', { endings: [ending({ reason: 'Completed', exitCode: 0 })] })),
    { cause: 'Completed', certainty: 'certain' },
  ],
  'a container that was killed because the pod was deleted says nothing': [
    aCase(
      aLife({
        terminal: { phase: 'Failed', reason: '', message: '', at: at(END + 2) },
        endings: [ending({ exitCode: 137, reason: 'Error', at: at(END + 2) })],
      }),
    ),
    { cause: 'DeletedOnRequest' },
  ],
  'a container that ends well within the second of its deletion was deleted': [
    aCase(
      aLife({
        terminal: { phase: 'Succeeded', reason: '', message: '', at: at(END) },
        endings: [ending({ exitCode: 0, reason: 'Completed' })],
      }),
    ),
    { cause: 'DeletedOnRequest' },
  ],
  'a listing that shows a failure and a deletion at once, two seconds apart by two clocks': [
    aCase(listedAtOnce(END - 2), { endedAt: at(END - 2) }),
    { cause: 'Crashed', certainty: 'inferred' },
  ],
  'the same a minute apart: clocks do not differ that much': [
    aCase(listedAtOnce(END - 60), { endedAt: at(END - 60) }),
    { cause: 'Crashed', certainty: 'certain' },
  ],
  'a container that waits for its next start when somebody deletes the pod says nothing': [
    aCase(
      aLife({
        terminal: { phase: 'Failed', reason: '', message: '', at: at(END - 200) },
        endings: [ending({ at: at(END - 200) })],
      }),
    ),
    { cause: 'DeletedOnRequest' },
  ],
  'a container that was out of memory once and was started again says nothing about a deletion': [
    aCase(aLife({ restarts: 1, endings: [ending({ reason: 'OOMKilled', exitCode: 137, at: at(100) })] })),
    { cause: 'DeletedOnRequest' },
  ],
});
