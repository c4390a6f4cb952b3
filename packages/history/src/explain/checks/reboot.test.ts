// Ends around a boot of the node. Without a graceful shutdown systemd asks all containers to end, and whoever obeys has an
// exit code of its own: nothing in the status says that it did not end by itself.
import { at } from '../../engines/testing/record-builders.ts';
import type { ContainerEnding } from '../../model/pod-life.ts';
import { aCase, aPod, END, evidence, NODE, object, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const ending = (exitCode: number, more: Partial<ContainerEnding> = {}): ContainerEnding => ({
  ...{ container: 'app', reason: exitCode === 0 ? 'Completed' : 'Error', exitCode, signal: 0, at: at(END) },
  ...more,
});
const rebooted = (seconds: number) => ({ node: [evidence(NODE, 'booted', seconds, { reason: 'boot-2' })] });
const ended = (phase: string, exitCode: number) => terminated(phase, '', '', { endings: [ending(exitCode)] });
const worker = {
  ...{
    pod: aPod('load-x', { workload: { kind: 'Job', name: 'load', inferred: false } }),
    owner: object('Job', 'load'),
  },
};

verdictTable('a boot without a graceful shutdown', {
  'a container that obeys and says with its exit code that it was asked to end': [
    aCase(ended('Failed', 143), rebooted(END + 60)),
    { cause: 'Reboot', certainty: 'inferred', cites: 1 },
  ],
  'a server that takes three minutes to boot': [
    aCase(ended('Failed', 143), rebooted(END + 180)),
    { cause: 'Reboot', certainty: 'inferred' },
  ],
  'a container with that exit code, and no boot': [
    aCase(ended('Failed', 143)),
    { cause: 'Crashed', certainty: 'certain', sentence: 'failed: its container app ended with exit code 143.' },
  ],
  'a container that fails a minute before: it may have failed because it was asked to end': [
    aCase(ended('Failed', 1), rebooted(END + 60)),
    {
      ...{ cause: 'Crashed', certainty: 'inferred', cites: 1 },
      sentence: 'failed: its container app ended with exit code 1, unless that was because worker-2 was rebooted.',
    },
  ],
  'a container that ends well a minute before': [
    aCase(ended('Succeeded', 0), rebooted(END + 60)),
    {
      ...{ cause: 'Completed', certainty: 'inferred', cites: 1 },
      sentence: 'completed: all of its containers ended well, unless that was because worker-2 was rebooted.',
    },
  ],
  'a pod of a Job that ends well a minute before': [
    aCase(terminated('Succeeded', '', '', { ...worker, endings: [ending(0)] }), rebooted(END + 60)),
    {
      ...{ cause: 'JobCompleted', certainty: 'inferred', cites: 1 },
      sentence: 'completed its work for Job load, unless it ended because worker-2 was rebooted.',
    },
  ],
  'a container that ends well a quarter of an hour before': [
    aCase(ended('Succeeded', 0), rebooted(END + 900)),
    { cause: 'Completed', certainty: 'certain' },
  ],
  'a container that ends well two minutes after': [
    aCase(ended('Succeeded', 0), rebooted(END - 120)),
    { cause: 'Completed', certainty: 'certain' },
  ],
});

verdictTable('a boot of the node, and how containers ended', {
  'a reboot that its containers did not survive': [
    aCase(terminated('Failed', '', '', { endings: [ending(255, { reason: 'Unknown', at: at(992) })] }), {
      node: [evidence(NODE, 'booted', 990)],
    }),
    { cause: 'Reboot', certainty: 'certain', sentence: 'ended because worker-2 was rebooted.', cites: 1 },
  ],
  'a crash a minute before a reboot is a crash': [
    aCase(terminated('Failed', '', '', { endings: [ending(1)] }), {
      node: [evidence(NODE, 'booted', END + 55)],
    }),
    { cause: 'Crashed' },
  ],
  'a crash some minutes after a reboot is a crash': [
    aCase(terminated('Failed', '', '', { endings: [ending(2)] }), { node: [evidence(NODE, 'booted', 700)] }),
    { cause: 'Crashed' },
  ],
  'a container that was out of memory a minute before a reboot': [
    aCase(terminated('Failed', '', '', { endings: [ending(137, { reason: 'OOMKilled' })] }), {
      node: [evidence(NODE, 'booted', END + 55)],
    }),
    { cause: 'OOMKilled', certainty: 'certain' },
  ],
  'a pod that came after the reboot was not ended by it': [
    aCase(terminated('Failed', '', '', { created: at(991), scheduled: at(992), endings: [ending(2)] }), {
      node: [evidence(NODE, 'booted', 990)],
    }),
    { cause: 'Crashed' },
  ],
});
