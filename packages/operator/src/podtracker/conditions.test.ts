import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConditionFacts, nextConditions } from './conditions.ts';

const NOW = Date.UTC(2026, 10, 15, 10);

function said(facts: Partial<ConditionFacts>): Record<string, string> {
  const all = nextConditions([], { health: { kind: 'listed' }, sliced: false, generation: 1, now: NOW, ...facts });
  return Object.fromEntries(all.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]));
}

test('Ready claims no more than is listed: pods without an address, and ended ones, are not', () => {
  assert.equal(said({})['Ready'], 'True Listed: Every selected pod that has an address and has not ended is listed.');
});

test('the message of Ready says why it is not, also when the tracker is degraded', () => {
  assert.equal(said({ health: { kind: 'filling' } })['Ready'], 'False Filling: The slices are being filled.');
  const { Ready, Degraded } = said({ health: { kind: 'degraded', reason: 'Forbidden', message: 'may not' } });
  assert.equal(Ready, 'False Forbidden: What is listed may be old: may not');
  assert.equal(Degraded, 'True Forbidden: may not');
});

test('footprints that fail make it Degraded and leave Ready as it is; the tracker’s own failure goes first', () => {
  const footprints = { kind: 'failing', reason: 'Forbidden', message: 'no rights in shop' } as const;
  const { Ready, Degraded } = said({ footprints });
  assert.match(`${Ready}`, /^True Listed/);
  assert.equal(Degraded, 'True FootprintsForbidden: no rights in shop');
  const health = { kind: 'degraded', reason: 'Invalid', message: 'no' } as const;
  assert.equal(said({ footprints, health })['Degraded'], 'True Invalid: no');
  assert.equal(said({ footprints: { kind: 'working' } })['Degraded'], 'False Working: ');
});

test('a leader that has not tried to write footprints yet leaves what was said of them; without any they are well', () => {
  const facts = { health: { kind: 'listed' }, sliced: false, generation: 1, now: NOW } as const;
  const failing = { kind: 'failing', reason: 'Forbidden', message: 'no rights' } as const;
  const before = nextConditions([], { ...facts, footprints: failing });
  const later = { ...facts, now: NOW + 60_000 };
  assert.deepEqual(nextConditions(before, { ...later, footprints: { kind: 'unknown' } }), before);
  const degraded = (footprints?: ConditionFacts['footprints']) =>
    nextConditions(before, { ...later, footprints }).find(({ type }) => type === 'Degraded')?.status;
  assert.equal(degraded({ kind: 'working' }), 'False');
  assert.equal(degraded(undefined), 'False', 'it asks for none any more');
});

test('Sliced says what holds for every number of pods above 80', () => {
  assert.equal(
    said({ sliced: true })['Sliced'],
    'True TooManyForStatus: Pods or nodes are in PodTrackerSlices: above 100 they go there, and back into status at 80.',
  );
});

test('the time of a condition changes with its status only, and conditions of others stay', () => {
  const foreign = { type: 'Mine', status: 'True', reason: 'R', message: '', lastTransitionTime: 'then' } as const;
  const facts = { health: { kind: 'listed' }, sliced: false, generation: 1, now: NOW } as const;
  const before = nextConditions([foreign], facts);
  const later = nextConditions(before, { ...facts, health: { kind: 'filling' }, generation: 2, now: NOW + 60_000 });
  const times = (conditions: typeof later) => conditions.map(({ type, lastTransitionTime: time }) => `${type} ${time}`);
  assert.deepEqual(times(later), [
    'Ready 2026-11-15T10:01:00Z',
    'Degraded 2026-11-15T10:00:00Z',
    'Sliced 2026-11-15T10:00:00Z',
    'Mine then',
  ]);
});
