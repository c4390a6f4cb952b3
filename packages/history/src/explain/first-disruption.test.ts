// A DisruptionTarget whose writer did not delete the pod then: whoever writes one deletes the pod at once, unless that fails.
import { at } from '../engines/testing/record-builders.ts';
import type { PodLife } from '../model/pod-life.ts';
import type { Case } from './case.ts';
import { deleted, OLD, ofOld, rolled, shrunk, sibling } from './testing/cart-builders.ts';
import { aCase, aLife, because, END, evidence, NODE, POD } from './testing/case-builders.ts';
import { verdictTable } from './testing/verdict-table.ts';

const EVICTION = 'EvictionByEvictionAPI';
const TAINT = 'DeletionByTaintManager';
const version = (resourceVersion: string) => ({ epoch: 1, resourceVersion });
/** Condition first, by their versions; so many seconds before the deletion, by its time and where it was seen. */
const before = (reason: string, seconds: number, seenSeconds = seconds, more: Partial<PodLife> = {}) =>
  aLife({
    disruption: { ...because(reason, END - seconds), seenAt: at(END + 0.2 - seenSeconds), seenIn: version('50') },
    deletion: { requested: at(END), graceSeconds: 30, seenIn: version('100') },
    ...more,
  });
const caseOf = (life: PodLife, more: Partial<Case> = {}) =>
  aCase(life, { endVersion: version('100'), endSeenAt: at(END + 0.2), ...more });
const asked = (reason: string, by: string) => ({ pod: [evidence(POD, 'audited', END, { reason, by })] });
/** Before the end by its version. */
const maintenance = (seconds: number) => ({
  node: [{ ...evidence(NODE, 'tainted', seconds, { reason: 'maintenance:NoExecute' }), resourceVersion: '40' }],
});

verdictTable('an eviction that failed when its condition was written', {
  'a minute later its ReplicaSet removed it, which leaves alone what is being deleted': [
    caseOf(before(EVICTION, 60, 60, rolled), {
      owner: [shrunk(OLD, END - 0.3, 'generation 3, 2 replicas desired, 4 before'), deleted],
      siblings: [sibling('cart-2', 5, ofOld)],
    }),
    { cause: 'ScaledDown' },
  ],
  'a minute later a person deleted it, as the audit log says': [
    caseOf(before(EVICTION, 60), asked('delete', 'jane')),
    { cause: 'DeletedOnRequest', certainty: 'certain', sentence: 'was deleted by jane.' },
  ],
  'a minute later it was deleted, and nothing says by whom': [
    caseOf(before(EVICTION, 60)),
    {
      ...{ cause: 'Evicted', certainty: 'inferred' },
      sentence:
        'was evicted through the Eviction API; by whom is not known, unless somebody else deleted it: that was 60 s later.',
    },
  ],
  'a drain that tries again after five seconds, as the audit log says': [
    caseOf(before(EVICTION, 5), asked('evict', 'jane')),
    { cause: 'Evicted', certainty: 'certain', sentence: 'was evicted by jane.' },
  ],
  'the API server that writes the condition deletes the pod in the same second or the next': [
    caseOf(before(EVICTION, 1)),
    { cause: 'Evicted', certainty: 'certain' },
  ],
});

verdictTable('controllers that write a condition and delete the pod then', {
  'one that deletes many pods takes its turns': [
    caseOf(before(TAINT, 6), maintenance(END - 8)),
    {
      ...{ cause: 'Taint', certainty: 'certain' },
      sentence: 'was deleted because of the taint maintenance:NoExecute of worker-2.',
    },
  ],
  'one whose clock is three minutes behind: both were seen at once': [
    caseOf(before(TAINT, 180, 0.1), maintenance(END - 1)),
    {
      ...{ cause: 'Taint', certainty: 'inferred' },
      sentence:
        'was deleted because of the taint maintenance:NoExecute of worker-2, unless somebody else deleted it: that was 180 s later.',
    },
  ],
  'one whose clock is a minute ahead: the condition was seen a minute before': [
    caseOf(before(TAINT, 0, 60), maintenance(END - 61)),
    { cause: 'Taint', certainty: 'inferred' },
  ],
  'a condition that was seen three minutes before is none of its reasons': [
    caseOf(before(TAINT, 180), maintenance(END - 1)),
    { cause: 'DeletedOnRequest' },
  ],
});
