// Every kind of the registry is read back from its line of an export as it was, and what is wrong in a line is named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredFact } from '../../model/fact.ts';
import { occurrenceFact } from '../../model/occurrence.ts';
import { canonicalLine } from '../canonical.ts';
import { addMadeUpKind, aNote, noteFact } from '../testing/made-up-kind.ts';
import {
  aChange,
  aConflict,
  aDeparture,
  anAnomaly,
  anomalyFact,
  aPieceOfEvidence,
  aPodLife,
  at,
  changeFact,
  conflictFact,
} from '../testing/record-builders.ts';
import { LineProblem } from './line.ts';
import { occurrenceKinds, parseOccurrence } from './registry.ts';

const seen = { seenAt: at(2), seenIn: { epoch: 1, resourceVersion: '7', listed: true as const } };
const because = { reason: 'Why', message: 'because', at: at(1), ...seen };
const LIFE = occurrenceFact(
  'life',
  aPodLife('web-1', 10, {
    ...{ restartedAt: '2026-11-16T00:00:00Z', labels: { app: 'web' }, labelsCut: true, priority: -7, restarts: 3 },
    ...{ networkUp: at(3), notReady: at(8), gone: at(9), unschedulable: because, disruption: because },
    ...{ terminal: { ...because, phase: 'Failed' }, deletion: { requested: at(7), graceSeconds: 30, ...seen } },
    endings: [{ container: 'app', reason: 'Error', exitCode: 1, signal: 0, at: at(6), restarted: true }],
  }),
);
const owner = { kind: 'Job', namespace: 'shop', name: 'nightly', uid: 'uid-nightly' };
const FACTS: readonly StoredFact[] = [
  changeFact(aChange('web-1', 5)),
  changeFact(aChange('web-1', 6, { after: undefined, suppressed: { budget: 'pod', changes: 7, last: at(9) } })),
  conflictFact(aConflict('10.0.0.7', 'a', 'b', 5)),
  anomalyFact(anAnomaly('uid-a', 5)),
  LIFE,
  occurrenceFact('life', aPodLife('web-2', 10)),
  occurrenceFact('departure', { ...aDeparture('web-1', 5), owner }),
  occurrenceFact('departure', { ...aDeparture('web-2', 5), disruption: because }),
  occurrenceFact('evidence', aPieceOfEvidence('web-1', 5, { related: owner, unconfirmed: true, impersonatedBy: 'ci' })),
];

const parsed = (fact: StoredFact) => parseOccurrence(JSON.parse(canonicalLine(fact)));

test('every kind is read back from its line as it was, also one that only the registry knows', () => {
  const remove = addMadeUpKind();
  const facts = [...FACTS, noteFact(aNote('web-1', 5))];
  assert.deepEqual(
    new Set(facts.map(({ kind }) => kind)),
    new Set(occurrenceKinds()),
    'a kind without a line in this test',
  );
  for (const fact of facts) {
    const again = parsed(fact) ?? assert.fail(`${fact.kind} is not read`);
    assert.equal(canonicalLine(again as StoredFact), canonicalLine(fact));
  }
  remove();
});

test('a kind that nobody knows is no occurrence', () => {
  assert.equal(parseOccurrence({ kind: 'made-up', 'made-up': {} }), undefined);
});

for (const [what, change, message] of [
  ['a field that is missing', { created: undefined }, 'created is not a whole number'],
  ['a time beyond 9999', { created: 253_402_300_800_000 }, 'created is not an instant'],
  ['a negative count', { restarts: -1 }, 'restarts is not a whole number'],
  ['a list that is none', { endings: {} }, 'endings is not a list'],
  ['an object that is none', { pod: 'web-1' }, 'pod is not an object'],
  ['a label that is no text', { labels: { app: 1 } }, 'app is not a text'],
  ['a flag that is none', { isMirror: 'no' }, 'isMirror is neither true nor false'],
  ['a version that is no decimal', { resourceVersion: 'x' }, 'resourceVersion is not a decimal'],
  ['a source that is not known', { source: 'rumour' }, 'source is none of watch, list, audit, import, inferred'],
] as const) {
  test(`${what} is refused with its place`, () => {
    const line = JSON.parse(canonicalLine(LIFE));
    assert.throws(() => parseOccurrence({ ...line, life: { ...line.life, ...change } }), new LineProblem(message));
  });
}
