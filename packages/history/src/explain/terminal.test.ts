// What a kubelet wrote down after its pod was to be deleted, with times of its own clock: that clock may be minutes off, and
// only versions, and what was seen before by the recorder, are an order.
import { at } from '../engines/testing/record-builders.ts';
import type { PodLife } from '../model/pod-life.ts';
import { aCase, aLife, aPod, because, END, event, evidence, NODE, object, POD } from './testing/case-builders.ts';
import { verdictTable } from './testing/verdict-table.ts';

const version = (resourceVersion: string) => ({ epoch: 1, resourceVersion });
const deletion = { requested: at(END), graceSeconds: 60, seenIn: version('100') };
const SEEN = { endVersion: version('100'), endSeenAt: at(END + 0.2) };
const worker = {
  ...{
    pod: aPod('load-x', { workload: { kind: 'Job', name: 'load', inferred: false } }),
    owner: object('Job', 'load'),
  },
};
/** It is deleted, and its last state is written later with a time from before. */
const doneLater = (seconds: number, more: Partial<PodLife> = {}) =>
  aLife({
    ...{ ...worker, deletion, gone: at(END + 3) },
    terminal: { phase: 'Succeeded', reason: '', message: '', at: at(seconds), seenIn: version('110') },
    ...more,
  });

verdictTable('a pod of a Job that is deleted and whose end is written later, with a time from before', {
  'it obeyed, and the clock of its node is a minute behind': [
    aCase(doneLater(END - 58), SEEN),
    {
      ...{ cause: 'JobCompleted', certainty: 'inferred' },
      sentence: 'completed its work for Job load, unless it ended well because it was deleted.',
    },
  ],
  'nobody reached its node, so that nobody could say before that it was done': [
    aCase(doneLater(END - 320), {
      ...SEEN,
      node: [evidence(NODE, 'condition', END - 300, { reason: 'Ready=Unknown' })],
    }),
    { cause: 'JobCompleted', certainty: 'certain', sentence: 'completed its work for Job load.' },
  ],
  'nobody reached its node, and it ended when that had been so for long': [
    aCase(doneLater(END - 58), {
      ...SEEN,
      node: [evidence(NODE, 'condition', END - 300, { reason: 'Ready=Unknown' })],
    }),
    { cause: 'JobCompleted', certainty: 'inferred' },
  ],
});

const LOW = 'The node was low on resource: memory. ';
const evictedLater = aLife({
  deletion,
  disruption: { ...because('TerminationByKubelet', END - 115), seenIn: version('110') },
  terminal: { phase: 'Failed', reason: 'Evicted', message: LOW, at: at(END - 110), seenIn: version('110') },
  gone: at(END + 11),
});
const decided = (resourceVersion: string, observed: number) => ({
  ...event(POD, 'kubelet', 'Evicted', END - 115, LOW),
  ...{ resourceVersion, observedAt: at(observed) },
});

verdictTable('a kubelet that evicts a pod, and whose status is written after its deletion', {
  'its event was written after the deletion, and its clock is two minutes behind': [
    aCase(evictedLater, { ...SEEN, pod: [decided('108', END + 5)] }),
    {
      ...{ cause: 'NodePressure', certainty: 'inferred' },
      sentence: 'was evicted: worker-2 was short of memory, unless somebody had deleted it before.',
    },
  ],
  'its event was written before the deletion': [
    aCase(evictedLater, { ...SEEN, pod: [decided('90', END - 0.1)] }),
    { cause: 'NodePressure', certainty: 'certain', sentence: 'was evicted: worker-2 was short of memory.' },
  ],
  'its event was seen long before the deletion by another recorder, which counted versions of its own': [
    aCase(evictedLater, { ...SEEN, pod: [{ ...decided('90', END - 30), epoch: 0 }] }),
    { cause: 'NodePressure', certainty: 'certain' },
  ],
});
