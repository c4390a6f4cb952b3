import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodTracker, PodTrackerSpec } from '../crds/podtracker.ts';
import { footprintPlaces, leftPlaces } from './footprint-places.ts';

type Place = [namespace: string, retention: string];

const places = (...all: Place[]) => all.map(([namespace, retention]) => ({ namespace, retention }));
const into = (namespace: string, retention: string, enabled = true): PodTrackerSpec => ({
  footprints: { configMaps: { enabled, namespace, retention } },
});
const tracker = (spec: PodTrackerSpec, ...remembered: Place[]): PodTracker => ({
  ...{ metadata: { name: 't' }, spec, status: { configMaps: places(...remembered) } },
});
const none = () => false;

const CASES: Record<string, [PodTracker, Place[]]> = {
  'none are asked for': [tracker({}), []],
  'where they are written': [tracker(into('a', '1h')), [['a', '1h']]],
  'the retention of now, where they are written': [tracker(into('a', '2h'), ['a', '1h']), [['a', '2h']]],
  'what was left, with the retention of then': [
    tracker(into('b', '2h'), ['a', '1h']),
    [
      ['b', '2h'],
      ['a', '1h'],
    ],
  ],
  'what was left by switching them off': [tracker(into('a', '1h', false), ['a', '1h']), [['a', '1h']]],
  "the operator's own namespace, where the spec names none": [
    tracker({ footprints: { configMaps: { enabled: true } } }, ['default', '1h']),
    [
      ['home', '168h'],
      ['default', '1h'],
    ],
  ],
  'not what is kept for ever': [tracker(into('b', 'never'), ['a', 'never']), [['b', 'never']]],
};

for (const [what, [given, expected]] of Object.entries(CASES)) {
  test(`status remembers ${what}`, () => {
    assert.deepEqual(footprintPlaces(given, 'home', none), places(...expected));
  });
}

test('a namespace that holds nothing any more is forgotten, unless they are written there', () => {
  const given = tracker(into('b', '1h'), ['b', '1h'], ['a', '1h'], ['c', '1h']);
  assert.deepEqual(
    footprintPlaces(given, 'home', (namespace) => namespace !== 'c'),
    places(['b', '1h'], ['c', '1h']),
  );
  assert.deepEqual(leftPlaces(given, 'home'), places(['a', '1h'], ['c', '1h']));
});

test('no more is remembered than the schema takes', () => {
  const many = Array.from({ length: 120 }, (_, i): Place => [`n${i}`, '1h']);
  const kept = footprintPlaces(tracker(into('now', '1h'), ...many), 'home', none);
  assert.equal(kept.length, 100);
  assert.equal(kept[0]?.namespace, 'now');
});
