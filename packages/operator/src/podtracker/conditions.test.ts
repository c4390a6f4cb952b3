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
