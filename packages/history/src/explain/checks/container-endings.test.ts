// Which of several containers ended a pod, and whether memory was why.
import { at } from '../../engines/testing/record-builders.ts';
import type { ContainerEnding } from '../../model/pod-life.ts';
import { aCase, END, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const ending = (more: Partial<ContainerEnding>): ContainerEnding => ({
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
