import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodTrackerSpec } from '../crds/podtracker.ts';
import { matchesLabels, Selection } from './selection.ts';
import { podView } from './testing/tracker-fixture.ts';

const pod = podView('web-7', { namespace: 'shop', node: 'n1', labels: { app: 'web', tier: 'gold' } });
const namespaceLabels = new Map([['team', 'retail']]);

const CASES: Record<string, { readonly spec: PodTrackerSpec; readonly selects: boolean }> = {
  'an empty spec selects everything': { spec: {}, selects: true },
  'its namespace is named': { spec: { namespaces: ['bank', 'shop'] }, selects: true },
  'its namespace is not named': { spec: { namespaces: ['bank'] }, selects: false },
  'its namespace has the label': { spec: { namespaceSelector: { matchLabels: { team: 'retail' } } }, selects: true },
  'its namespace has another value': { spec: { namespaceSelector: { matchLabels: { team: 'x' } } }, selects: false },
  'named, but without the label': {
    spec: { namespaces: ['shop'], namespaceSelector: { matchLabels: { team: 'x' } } },
    selects: false,
  },
  'it has the label': { spec: { podSelector: { matchLabels: { app: 'web' } } }, selects: true },
  'it has one label of two': { spec: { podSelector: { matchLabels: { app: 'web', a: 'b' } } }, selects: false },
  'an empty selector selects everything': { spec: { podSelector: {}, namespaceSelector: {} }, selects: true },
  'its name begins so': { spec: { namePrefix: 'web-' }, selects: true },
  'its name holds that elsewhere': { spec: { namePrefix: 'eb-' }, selects: false },
  'its node is named': { spec: { nodeNames: ['n2', 'n1'] }, selects: true },
  'its node is not named': { spec: { nodeNames: ['n2'] }, selects: false },
  'everything holds but one thing': {
    spec: { namespaces: ['shop'], namePrefix: 'web-', nodeNames: ['n1'], podSelector: { matchLabels: { app: 'x' } } },
    selects: false,
  },
};

for (const [what, { spec, selects }] of Object.entries(CASES)) {
  test(`${what}: ${selects ? 'selected' : 'not selected'}`, () => {
    assert.equal(new Selection(spec).selects(pod, namespaceLabels), selects);
  });
}

test('a namespace that is not known yet is selected by name, but by no selector, not even an empty one', () => {
  assert.equal(new Selection({ namespaces: ['shop'] }).selects(pod, undefined), true);
  assert.equal(new Selection({ namespaceSelector: {} }).selects(pod, undefined), false);
});

test('requirements mean what they mean to Kubernetes', () => {
  const labels = new Map([['app', 'web']]);
  const holds = (key: string, operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', values?: string[]) =>
    matchesLabels({ matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }] }, labels);
  assert.deepEqual(
    [holds('app', 'In', ['api', 'web']), holds('app', 'In', ['api']), holds('tier', 'In', ['web'])],
    [true, false, false],
  );
  assert.deepEqual(
    [holds('app', 'NotIn', ['web']), holds('app', 'NotIn', ['api']), holds('tier', 'NotIn', ['web'])],
    [false, true, true],
  );
  assert.deepEqual([holds('app', 'Exists'), holds('tier', 'Exists')], [true, false]);
  assert.deepEqual([holds('app', 'DoesNotExist'), holds('tier', 'DoesNotExist')], [false, true]);
});

test('labels such as "constructor" are ordinary labels', () => {
  assert.equal(matchesLabels({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }, new Map()), false);
});
